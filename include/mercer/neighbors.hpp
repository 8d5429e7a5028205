// Who is near whom: the k nearest neighbours of each point, or all within a radius. Exact through BLAS or a
// k-d tree, approximate by HNSW for many points, with the recall measured. Graphs are saved and used again.
//
//     auto graph = mercer::NeighborGraph::build<double>(samples, {.count = 12});
//     graph.neighbors(i), graph.distances(i), graph.report().components;
#pragma once

#include <mercer/matrix.hpp>
#include <mercer/run.hpp>
#include <mercer/samples.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

enum class NeighborSearch { automatic, brute, kdtree, hnsw };
/// What to do with a graph that falls into pieces.
enum class Disconnected {
  error,    ///< say how many pieces, and how to join them
  largest,  ///< keep the largest piece; the other points are left out
  bridge,   ///< join the pieces by the shortest links between them
};
[[nodiscard]] std::string_view name_of(NeighborSearch search);
[[nodiscard]] std::string_view name_of(Disconnected policy);
[[nodiscard]] NeighborSearch parse_neighbor_search(std::string_view name);
[[nodiscard]] Disconnected parse_disconnected(std::string_view name);

struct NeighborOptions {
  Index count = 12;   ///< nearest, the point itself not among them
  double radius = 0;  ///< > 0: all within it, instead of `count`
  NeighborSearch search = NeighborSearch::automatic;
  Disconnected disconnected = Disconnected::error;
};

struct NeighborReport {
  NeighborSearch search = NeighborSearch::brute;  ///< that was used
  double recall = 1;     ///< share of true neighbours found; exact searches 1, HNSW measured on some points
  Index links = 0;       ///< undirected
  Index components = 1;  ///< of the graph as it was found
  Index left_out = 0;    ///< points outside of the largest piece, where they were left out
  Index bridges = 0;     ///< links added
  Index duplicates = 0;  ///< points at distance 0 of another
};

/// Lists of neighbours, nearest first, a list a point; equal distances by number.
struct NeighborLists {
  std::vector<Index> begin;         ///< n + 1
  std::vector<std::int32_t> index;  ///< at most 2³¹ points
  std::vector<double> distance;
  double recall = 1;  ///< share of the true neighbours found: 1 where the search is exact, else measured

  [[nodiscard]] Index size() const { return begin.empty() ? 0 : static_cast<Index>(begin.size()) - 1; }
  [[nodiscard]] std::span<const std::int32_t> neighbors(Index i) const;
  [[nodiscard]] std::span<const double> distances(Index i) const;
};

/// Finds neighbours among fixed points. Immutable, may be shared.
template <class T>
class NeighborIndex {
 public:
  /// `new_points`: how many are going to be looked up, about; 0: all points among themselves. It decides how
  /// much an exact search prepares, never what is found.
  NeighborIndex(Samples<T> points, NeighborSearch search, const Run& run = {}, Index new_points = 0);
  ~NeighborIndex();
  NeighborIndex(NeighborIndex&&) noexcept;

  [[nodiscard]] const Samples<T>& points() const;
  [[nodiscard]] NeighborSearch search() const;
  /// Of each of the fixed points, itself left out (duplicates are not).
  [[nodiscard]] NeighborLists nearest(Index count, const Run& run = {}) const;
  [[nodiscard]] NeighborLists within(double radius, const Run& run = {}) const;
  /// Of new points.
  [[nodiscard]] NeighborLists nearest(const Samples<T>& points, Index count, const Run& run = {}) const;
  [[nodiscard]] NeighborLists within(const Samples<T>& points, double radius, const Run& run = {}) const;

 private:
  struct Search;
  std::unique_ptr<const Search> search_;
};

/// The graph that the manifold methods share.
class NeighborGraph {
 public:
  NeighborGraph() = default;
  NeighborGraph(NeighborLists lists, NeighborOptions options, NeighborReport report);
  /// Throws Error{usage} where count ≥ n, Error{bad_data} where the graph falls into pieces and that is an
  /// error.
  template <class T>
  static NeighborGraph build(const Samples<T>& points, const NeighborOptions& options, const Run& run = {});

  [[nodiscard]] Index size() const { return lists_.size(); }
  [[nodiscard]] const NeighborLists& lists() const { return lists_; }  ///< directed, as found
  [[nodiscard]] const NeighborOptions& options() const { return options_; }
  [[nodiscard]] const NeighborReport& report() const { return report_; }
  /// The rows of the data that are in the graph: all, unless pieces were left out.
  [[nodiscard]] const std::vector<Index>& rows() const { return rows_; }
  /// Links in both directions, distances as values; row-compressed, sorted.
  [[nodiscard]] SparseMatrix<double> symmetric() const;

  void save(const std::string& path) const;
  static NeighborGraph load(const std::string& path);

 private:
  NeighborLists lists_;
  NeighborOptions options_;
  NeighborReport report_;
  std::vector<Index> rows_;
};

}  // namespace mercer
