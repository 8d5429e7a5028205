// Neighbours of new points.
#include "manifold/new_points.hpp"

#include <algorithm>

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
NeighborIndex<T> index_for_new(const Samples<T>& points, Index new_points, const Run& run) {
  const bool exact = points.rows() > exact_search_most && new_points < points.rows();
  return NeighborIndex<T>(points, exact ? NeighborSearch::brute : NeighborSearch::automatic, run);
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

#define MERCER_INSTANTIATE(T)                                                                              \
  template NeighborIndex<T> index_for_new(const Samples<T>&, Index, const Run&);                           \
  template NeighborLists links_of_new(const NeighborIndex<T>&, const Samples<T>&, const NeighborOptions&, \
                                      const Run&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
