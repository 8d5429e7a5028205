// Approximate neighbours of very many points by a hierarchical navigable small world (Malkov, Yashunin 2018;
// hnswlib), with the share that it finds measured against an exact search.
#pragma once

#include "graph/neighbor.hpp"

#include <memory>

namespace mercer {

template <class T>
class HnswNeighbors {
 public:
  /// Points join in batches: those of a batch look for their places at once and are linked afterwards, in a
  /// fixed order. The graph, and what is found in it, do not depend on the number of threads.
  HnswNeighbors(Samples<T> points, const Run& run);
  ~HnswNeighbors();

  /// `among`: the rows are the points themselves, and none is its own neighbour. The effort is raised until
  /// the recall, measured on some of the rows, is 0.98 or there is no more to be had.
  [[nodiscard]] NeighborLists nearest(const Samples<T>& rows, Index count, bool among, const Run& run) const;

  /// Bytes it takes.
  [[nodiscard]] static double bytes(Index n, Index d);

 private:
  struct World;
  std::unique_ptr<const World> world_;
};

}  // namespace mercer
