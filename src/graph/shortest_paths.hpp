// Lengths of shortest paths in a graph of neighbours (Dijkstra 1959), eight sources at once.
//
//     const PathFinder paths(graph.symmetric());
//     paths.from_all([&](const PathBatch& batch) { batch(l, p); }, run);
#pragma once

#include <mercer/matrix.hpp>
#include <mercer/neighbors.hpp>
#include <mercer/run.hpp>

#include "graph/path_links.hpp"

#include <functional>
#include <span>
#include <vector>

namespace mercer {

constexpr Index path_batch = 8;

/// The paths of at most eight sources.
struct PathBatch {
  Index first;                     ///< how many sources are in the batches before it
  std::span<const Index> sources;  ///< their places in the list that was given
  const double* lengths;           ///< eight to a vertex, on a cache line

  [[nodiscard]] Index count() const { return static_cast<Index>(sources.size()); }
  /// Length of the path from source l of the batch to the vertex at this place of order(); ∞: there is none.
  [[nodiscard]] double operator()(Index l, Index place) const { return lengths[place * path_batch + l]; }
};

/// A symmetric graph (NeighborGraph::symmetric: stored zeros are links of length 0) made ready for paths: its
/// vertices are renumbered so that near ones stand near each other, and eight in a row make a batch whose
/// paths are much the same.
class PathFinder {
 public:
  explicit PathFinder(const SparseMatrix<double>& graph);

  using Use = std::function<void(const PathBatch&)>;

  [[nodiscard]] Index size() const { return links_.size(); }
  [[nodiscard]] const std::vector<Index>& order() const { return order_; }  ///< the vertex at each place
  [[nodiscard]] double longest_link() const;

  /// Calls use(batch) for all batches, from several threads and in no order. The lengths are the same bits
  /// for any number of threads and whatever other sources there are: the least, over all paths, of the sums
  /// from the source on.
  void from(std::span<const Index> sources, const Use& use, const Run& run) const;
  /// From every vertex: the sources of a batch stand at the places first, first + 1, … of order().
  void from_all(const Use& use, const Run& run) const;
  /// From points outside of the graph, each linked to some of its vertices.
  void from_outside(const NeighborLists& links, const Use& use, const Run& run) const;

 private:
  struct Source {
    std::int32_t place;  ///< of the vertex, or of the nearest one
    Index number;        ///< in the list that was given
  };
  template <class Starts>
  void run_batches(std::vector<Source> sources, const Starts& starts, const Use& use, const Run& run) const;

  std::vector<Index> order_;
  std::vector<std::int32_t> place_;  ///< of each vertex
  PathLinks links_;                  ///< between places
};

/// lengths(s, v) = the length of the shortest path from sources[s] to v; ∞ where there is none.
template <class T>
void shortest_paths(const SparseMatrix<double>& graph, std::span<const Index> sources, MatrixRef<T> lengths,
                    const Run& run = {});

}  // namespace mercer
