// Connected pieces by union and find; bridges by Borůvka's algorithm.
#include "graph/components.hpp"

#include "graph/brute_neighbors.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

namespace mercer {

UnionFind::UnionFind(Index size) : parent_(static_cast<std::size_t>(size)) {
  std::iota(parent_.begin(), parent_.end(), Index{0});
}

Index UnionFind::find(Index i) {
  auto at = static_cast<std::size_t>(i);
  while (parent_[at] != static_cast<Index>(at)) {
    parent_[at] = parent_[static_cast<std::size_t>(parent_[at])];
    at = static_cast<std::size_t>(parent_[at]);
  }
  return static_cast<Index>(at);
}

bool UnionFind::join(Index a, Index b) {
  const Index x = find(a), y = find(b);
  if (x == y) return false;
  parent_[static_cast<std::size_t>(std::max(x, y))] = std::min(x, y);
  return true;
}

namespace {

/// The sets, numbered by their first members.
GraphPieces numbered(UnionFind& sets, Index n) {
  GraphPieces out;
  out.of.assign(static_cast<std::size_t>(n), -1);
  for (Index i = 0; i < n; ++i) {
    const auto leader = static_cast<std::size_t>(sets.find(i));  // never behind i: the smaller number leads
    if (leader == static_cast<std::size_t>(i)) {
      out.of[leader] = out.count();
      out.sizes.push_back(0);
    }
    out.of[static_cast<std::size_t>(i)] = out.of[leader];
    ++out.sizes[static_cast<std::size_t>(out.of[leader])];
  }
  return out;
}

/// The nearest way out of each piece but the largest. Points are put in order of their pieces, so that those
/// a point must not be joined to are one stretch.
template <class T>
std::vector<Bridge> ways_out(const Samples<T>& points, const GraphPieces& pieces, const Run& run) {
  const Index n = points.rows(), largest = pieces.largest();
  std::vector<Index> begin(static_cast<std::size_t>(pieces.count()) + 1, 0);
  std::vector<Index> rank(static_cast<std::size_t>(pieces.count()));  // the largest goes last
  for (Index c = 0, next = 0; c < pieces.count(); ++c)
    rank[static_cast<std::size_t>(c)] = c == largest ? pieces.count() - 1 : next++;
  for (Index c = 0; c < pieces.count(); ++c)
    begin[static_cast<std::size_t>(rank[static_cast<std::size_t>(c)]) + 1] =
        pieces.sizes[static_cast<std::size_t>(c)];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<Index> order(static_cast<std::size_t>(n)), next(begin.begin(), begin.end() - 1);
  for (Index i = 0; i < n; ++i) {
    const Index r = rank[static_cast<std::size_t>(pieces.of[static_cast<std::size_t>(i)])];
    order[static_cast<std::size_t>(next[static_cast<std::size_t>(r)]++)] = i;
  }

  const Samples<T> sorted = points.select_rows(order);
  const Index outside = n - pieces.sizes[static_cast<std::size_t>(largest)];
  const BruteNeighbors<T> search(sorted, run, outside);
  std::vector<Excluded> excluded;
  for (Index r = 0; r + 1 < pieces.count(); ++r) {
    const Index from = begin[static_cast<std::size_t>(r)], to = begin[static_cast<std::size_t>(r) + 1];
    excluded.insert(excluded.end(), static_cast<std::size_t>(to - from), Excluded{from, to});
  }
  const NeighborLists nearest = search.nearest(sorted.middle_rows(0, outside), 1, excluded, run);

  // Equal distances in an order that both ends agree upon: no circles then.
  const auto key = [](const Bridge& x) { return std::tie(x.distance, x.a, x.b); };
  std::vector<Bridge> out;
  for (Index r = 0; r + 1 < pieces.count(); ++r) {
    std::optional<Bridge> best;
    for (Index p = begin[static_cast<std::size_t>(r)]; p < begin[static_cast<std::size_t>(r) + 1]; ++p) {
      const Index i = order[static_cast<std::size_t>(p)];
      const Index j = order[static_cast<std::size_t>(nearest.neighbors(p)[0])];
      const Bridge candidate{std::min(i, j), std::max(i, j), nearest.distances(p)[0]};
      if (!best || key(candidate) < key(*best)) best = candidate;
    }
    out.push_back(*best);
  }
  return out;
}

}  // namespace

Index GraphPieces::largest() const { return std::max_element(sizes.begin(), sizes.end()) - sizes.begin(); }

GraphPieces pieces_of(const NeighborLists& lists) {
  UnionFind sets(lists.size());
  for (Index i = 0; i < lists.size(); ++i)
    for (const std::int32_t j : lists.neighbors(i)) sets.join(i, j);
  return numbered(sets, lists.size());
}

template <class T>
std::vector<Bridge> bridges_between(const Samples<T>& points, const GraphPieces& components, const Run& run) {
  const Index n = points.rows();
  UnionFind sets(n);
  std::vector<Index> first(components.sizes.size(), -1);
  for (Index i = 0; i < n; ++i) {
    Index& leader = first[static_cast<std::size_t>(components.of[static_cast<std::size_t>(i)])];
    if (leader < 0) leader = i;
    sets.join(leader, i);
  }
  std::vector<Bridge> out;
  for (GraphPieces pieces = components; pieces.count() > 1; pieces = numbered(sets, n))
    for (const Bridge& bridge : ways_out(points, pieces, run))
      if (sets.join(bridge.a, bridge.b)) out.push_back(bridge);
  return out;
}

NeighborLists with_bridges(const NeighborLists& lists, const std::vector<Bridge>& bridges) {
  std::vector<std::vector<std::pair<double, Index>>> added(static_cast<std::size_t>(lists.size()));
  for (const Bridge& bridge : bridges) {
    added[static_cast<std::size_t>(bridge.a)].emplace_back(bridge.distance, bridge.b);
    added[static_cast<std::size_t>(bridge.b)].emplace_back(bridge.distance, bridge.a);
  }
  NeighborLists out;
  out.recall = lists.recall;
  out.begin.assign(1, 0);
  for (Index i = 0; i < lists.size(); ++i) {
    std::vector<std::pair<double, Index>> row = added[static_cast<std::size_t>(i)];
    const auto near = lists.neighbors(i);
    for (std::size_t p = 0; p < near.size(); ++p) row.emplace_back(lists.distances(i)[p], near[p]);
    std::sort(row.begin(), row.end());
    for (const auto& [distance, j] : row) {
      out.index.push_back(static_cast<std::int32_t>(j));
      out.distance.push_back(distance);
    }
    out.begin.push_back(static_cast<Index>(out.index.size()));
  }
  return out;
}

NeighborLists restricted(const NeighborLists& lists, const std::vector<Index>& rows) {
  std::vector<std::int32_t> number(static_cast<std::size_t>(lists.size()), -1);
  for (std::size_t r = 0; r < rows.size(); ++r)
    number[static_cast<std::size_t>(rows[r])] = static_cast<std::int32_t>(r);
  NeighborLists out;
  out.recall = lists.recall;
  out.begin.assign(1, 0);
  for (const Index i : rows) {
    for (const std::int32_t j : lists.neighbors(i)) out.index.push_back(number[static_cast<std::size_t>(j)]);
    out.distance.insert(out.distance.end(), lists.distances(i).begin(), lists.distances(i).end());
    out.begin.push_back(static_cast<Index>(out.index.size()));
  }
  return out;
}

#define MERCER_INSTANTIATE(T) \
  template std::vector<Bridge> bridges_between(const Samples<T>&, const GraphPieces&, const Run&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
