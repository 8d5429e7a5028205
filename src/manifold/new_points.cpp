// Neighbours of new points.
#include "manifold/new_points.hpp"

#include "base/parallel.hpp"
#include "graph/dot_tiles.hpp"
#include "graph/neighbor.hpp"
#include "graph/row_distance.hpp"
#include "graph/tile_scan.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

constexpr Index exact_search_most = 50000;

/// Lists whose empty rows are filled from others, a list of one for each of them in order.
NeighborLists filled(const NeighborLists& lists, const NeighborLists& nearest) {
  NeighborLists out;
  out.begin.assign(1, 0);
  for (Index i = 0, lonely = 0; i < lists.size(); ++i) {
    const bool empty = lists.neighbors(i).empty();
    const NeighborLists& from = empty ? nearest : lists;
    const Index row = empty ? lonely++ : i;
    out.index.insert(out.index.end(), from.neighbors(row).begin(), from.neighbors(row).end());
    out.distance.insert(out.distance.end(), from.distances(row).begin(), from.distances(row).end());
    out.begin.push_back(static_cast<Index>(out.index.size()));
  }
  return out;
}

}  // namespace

template <class T>
void require_in_reach(const Samples<T>& map_points, const Samples<T>& points) {
  require_finite(points, "the points");
  const Samples<T> rows = points.in_the_form_of(map_points);
  const Vector<double> middle = map_points.is_sparse() ? Vector<double>() : mean_of(map_points);
  const double farthest = squared_norms(map_points, middle).maxCoeff();
  Index row = 0;
  const double far = squared_norms(rows, middle).maxCoeff(&row);
  if (farthest > 0 && far > 1e12 * farthest)
    throw Error(
        ErrorCode::bad_data,
        fmt::format(
            "row {} of the new points is {:.1g} times as far from the middle of the map's points as any of "
            "them: where it belongs cannot be told",
            row, std::sqrt(far / farthest)),
        "look at its units, or leave it out");
}

template <class T>
NeighborIndex<T> index_for_new(const Samples<T>& points, Index new_points, const Run& run) {
  const bool exact = points.rows() > exact_search_most && new_points < points.rows();
  return NeighborIndex<T>(points, exact ? NeighborSearch::brute : NeighborSearch::automatic, run, new_points);
}

template <class T>
NeighborLists links_of_new(const NeighborIndex<T>& index, const Samples<T>& points,
                           const NeighborOptions& neighbors, const Run& run) {
  const Index most = index.points().rows();
  if (!(neighbors.radius > 0)) return index.nearest(points, std::min(neighbors.count, most), run);
  NeighborLists lists = index.within(points, neighbors.radius, run);
  std::vector<Index> lonely;
  for (Index i = 0; i < lists.size(); ++i)
    if (lists.neighbors(i).empty()) lonely.push_back(i);
  if (lonely.empty()) return lists;
  return filled(lists, index.nearest(points.select_rows(lonely), 1, run));
}

template <class T>
NeighborLists mutual_links_of_new(const NeighborIndex<T>& index, const Samples<T>& points,
                                  const NeighborOptions& neighbors, const Vector<double>& radii,
                                  const Run& run) {
  const Samples<T> rows = points.in_the_form_of(index.points());
  const NeighborLists own = links_of_new(index, rows, neighbors, run);
  if (neighbors.radius > 0) return own;  // one radius for all: it holds both ways

  const Samples<T>& fixed = index.points();
  const DotTiles<T> tiles(fixed, fixed.is_sparse() ? Vector<double>() : mean_of(fixed));
  const TileRows<T> left = tiles.prepare(rows);
  const RowDistance<T> distance(rows, fixed);
  const Index n = fixed.rows(), side = tiles.side();
  const Index together = tiles.portion(rows.rows());
  // Half the squared radii, rounded up: bounds are compared with them, and what passes is measured.
  const Vector<T> limits =
      (radii.array().square() * (0.5 * (1 + 4 * double(std::numeric_limits<T>::epsilon()))))
          .template cast<T>();
  std::vector<std::vector<Neighbor>> lists(static_cast<std::size_t>(rows.rows()));
  parallel_for((rows.rows() + together - 1) / together, run, [&](Index part) {
    const Index first = part * together, count = std::min(together, rows.rows() - first);
    std::vector<Found<T>> found(static_cast<std::size_t>(side));
    for (Index j0 = 0; j0 < n; j0 += side) {
      const Index cols = std::min(side, n - j0);
      tiles.for_rows(left, first, count, j0, cols, [&](Index i, const T* dots) {
        const Index seen =
            tile_scan::near_either(dots, cols, left.half[i], tiles.points().half.data() + j0,
                                   -std::numeric_limits<T>::infinity(), limits.data() + j0, found.data());
        for (Index p = 0; p < seen; ++p) {
          const Index j = j0 + found[static_cast<std::size_t>(p)].index;
          const double squared = distance(i, j);
          if (std::sqrt(squared) <= radii[j])
            lists[static_cast<std::size_t>(i)].push_back({squared, static_cast<std::int32_t>(j)});
        }
      });
    }
    for (Index i = first; i < first + count; ++i) {
      auto& list = lists[static_cast<std::size_t>(i)];
      for (const std::int32_t j : own.neighbors(i)) list.push_back({distance(i, j), j});
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end(),
                             [](const Neighbor& a, const Neighbor& b) { return a.index == b.index; }),
                 list.end());
    }
  });
  return join(std::move(lists));
}

#define MERCER_INSTANTIATE(T)                                                                             \
  template void require_in_reach(const Samples<T>&, const Samples<T>&);                                   \
  template NeighborIndex<T> index_for_new(const Samples<T>&, Index, const Run&);                          \
  template NeighborLists links_of_new(const NeighborIndex<T>&, const Samples<T>&, const NeighborOptions&, \
                                      const Run&);                                                        \
  template NeighborLists mutual_links_of_new(const NeighborIndex<T>&, const Samples<T>&,                  \
                                             const NeighborOptions&, const Vector<double>&, const Run&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
