// NeighborGraph: lists of neighbours made one piece, counted, and as a symmetric matrix.
#include <mercer/neighbors.hpp>

#include "graph/components.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace mercer {
namespace {

Index at_distance_zero(const NeighborLists& lists) {
  Index count = 0;
  for (Index i = 0; i < lists.size(); ++i) count += !lists.distances(i).empty() && lists.distances(i)[0] == 0;
  return count;
}

[[noreturn]] void refuse(const NeighborLists& lists, const GraphPieces& pieces,
                         const NeighborOptions& options) {
  std::vector<Index> sizes = pieces.sizes;
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  const std::size_t shown = std::min<std::size_t>(sizes.size(), 5);
  std::string message = options.radius > 0
                            ? fmt::format("the graph of neighbours within {} falls into {} pieces",
                                          options.radius, pieces.count())
                            : fmt::format("the graph of {} nearest neighbours falls into {} pieces",
                                          options.count, pieces.count());
  message += fmt::format(" of {}{} points", fmt::join(sizes.begin(), sizes.begin() + Index(shown), ", "),
                         sizes.size() > shown ? ", ..." : "");
  Index alone = 0, first = -1;
  for (Index i = 0; i < lists.size(); ++i)
    if (pieces.sizes[static_cast<std::size_t>(pieces.of[static_cast<std::size_t>(i)])] == 1) {
      ++alone;
      if (first < 0) first = i;
    }
  if (alone > 0)
    message +=
        fmt::format("; {} {} alone, row {} first", alone, alone == 1 ? "point is" : "points are", first);
  throw Error(ErrorCode::bad_data, message,
              fmt::format("{}, --pieces largest to keep the largest alone, or --pieces bridge to join them",
                          options.radius > 0 ? "a larger radius" : "more neighbours"));
}

}  // namespace

NeighborGraph::NeighborGraph(NeighborLists lists, NeighborOptions options, NeighborReport report)
    : lists_(std::move(lists)),
      options_(options),
      report_(report),
      rows_(static_cast<std::size_t>(lists_.size())) {
  std::iota(rows_.begin(), rows_.end(), Index{0});
}

template <class T>
NeighborGraph NeighborGraph::build(const Samples<T>& points, const NeighborOptions& options, const Run& run) {
  const Index n = points.rows();
  if (options.radius < 0)
    throw Error(ErrorCode::usage, fmt::format("a radius of {} makes no sense", options.radius),
                "a positive number, in the units of the data, or 0 for the nearest few");
  if (!(options.radius > 0) && n > 0 && (options.count < 1 || options.count >= n))
    throw Error(ErrorCode::usage, fmt::format("{} neighbours for each of {} points", options.count, n),
                n > 1 ? fmt::format("choose 1 to {} neighbours", n - 1) : "one point has no neighbours");

  const NeighborIndex<T> index(points, options.search, run);
  NeighborLists lists =
      options.radius > 0 ? index.within(options.radius, run) : index.nearest(options.count, run);
  NeighborReport report;
  report.search =
      options.radius > 0 && index.search() == NeighborSearch::hnsw ? NeighborSearch::brute : index.search();
  report.recall = lists.recall;
  report.duplicates = at_distance_zero(lists);
  const GraphPieces pieces = pieces_of(lists);
  report.components = pieces.count();
  std::vector<Index> rows;
  if (pieces.count() > 1) switch (options.disconnected) {
      case Disconnected::error:
        refuse(lists, pieces, options);
      case Disconnected::largest: {
        const Index largest = pieces.largest();
        for (Index i = 0; i < n; ++i)
          if (pieces.of[static_cast<std::size_t>(i)] == largest) rows.push_back(i);
        lists = restricted(lists, rows);
        report.left_out = n - static_cast<Index>(rows.size());
        break;
      }
      case Disconnected::bridge: {
        const std::vector<Bridge> bridges = bridges_between(points, pieces, run);
        lists = with_bridges(lists, bridges);
        report.bridges = static_cast<Index>(bridges.size());
        break;
      }
    }
  NeighborGraph out(std::move(lists), options, report);
  out.report_.links = out.symmetric().nonZeros() / 2;
  if (!rows.empty()) out.rows_ = std::move(rows);
  return out;
}

SparseMatrix<double> NeighborGraph::symmetric() const {
  const Index n = size();
  // Who names each point, in order of the names.
  std::vector<Index> begin(static_cast<std::size_t>(n) + 1, 0);
  for (const std::int32_t j : lists_.index) ++begin[static_cast<std::size_t>(j) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::pair<std::int32_t, double>> named(lists_.index.size());
  std::vector<Index> next(begin.begin(), begin.end() - 1);
  for (Index i = 0; i < n; ++i)
    for (std::size_t p = 0; p < lists_.neighbors(i).size(); ++p)
      named[static_cast<std::size_t>(next[static_cast<std::size_t>(lists_.neighbors(i)[p])]++)] = {
          static_cast<std::int32_t>(i), lists_.distances(i)[p]};

  SparseMatrix<double> out(n, n);
  out.reserve(2 * static_cast<Index>(lists_.index.size()));
  std::vector<std::pair<std::int32_t, double>> row;
  for (Index i = 0; i < n; ++i) {
    row.assign(named.begin() + begin[static_cast<std::size_t>(i)],
               named.begin() + begin[static_cast<std::size_t>(i) + 1]);
    for (std::size_t p = 0; p < lists_.neighbors(i).size(); ++p)
      row.emplace_back(lists_.neighbors(i)[p], lists_.distances(i)[p]);
    std::sort(row.begin(), row.end());
    row.erase(
        std::unique(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first == b.first; }),
        row.end());
    out.startVec(i);
    for (const auto& [j, distance] : row) out.insertBack(i, j) = distance;
  }
  out.finalize();
  return out;
}

template NeighborGraph NeighborGraph::build(const Samples<float>&, const NeighborOptions&, const Run&);
template NeighborGraph NeighborGraph::build(const Samples<double>&, const NeighborOptions&, const Run&);

}  // namespace mercer
