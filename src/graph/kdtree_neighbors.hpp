// Exact neighbours of points of few features by a k-d tree (nanoflann).
#pragma once

#include "graph/neighbor.hpp"

#include <memory>

namespace mercer {

template <class T>
class KdTreeNeighbors {
 public:
  /// Of dense points.
  explicit KdTreeNeighbors(Samples<T> points);
  ~KdTreeNeighbors();

  /// Of dense rows. `among`: the rows are the points themselves, and none is its own neighbour.
  [[nodiscard]] NeighborLists nearest(const Samples<T>& rows, Index count, bool among, const Run& run) const;
  [[nodiscard]] NeighborLists within(const Samples<T>& rows, double radius, bool among, const Run& run) const;

 private:
  struct Tree;
  std::unique_ptr<const Tree> tree_;
};

}  // namespace mercer
