// NeighborIndex: which search suits, and asking it.
#include <mercer/neighbors.hpp>

#include "base/parallel.hpp"
#include "graph/brute_neighbors.hpp"
#include "graph/dot_tiles.hpp"
#include "graph/hnsw_neighbors.hpp"
#include "graph/kdtree_neighbors.hpp"
#include "graph/suitable_search.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace mercer {
namespace {

void require_radius(double radius) {
  if (!(radius > 0) || !std::isfinite(radius))
    throw Error(ErrorCode::usage, fmt::format("a radius of {} makes no sense", radius),
                "a positive number, in the units of the data");
}

}  // namespace

template <class T>
struct NeighborIndex<T>::Search {
  Samples<T> points;
  NeighborSearch kind = NeighborSearch::brute;
  std::unique_ptr<BruteNeighbors<T>> brute;
  std::unique_ptr<KdTreeNeighbors<T>> kdtree;
  std::unique_ptr<HnswNeighbors<T>> hnsw;

  /// New points, fit to be compared.
  [[nodiscard]] Samples<T> checked(const Samples<T>& rows) const {
    if (rows.cols() != points.cols())
      throw Error(ErrorCode::usage,
                  fmt::format("the points have {} features, those to find neighbours among {}", rows.cols(),
                              points.cols()));
    require_finite(rows, "the points");
    (void)squared_norms(rows, Vector<double>());  // says which row overflows, whatever the search
    return kdtree && rows.is_sparse() ? Samples<T>(rows.to_dense()) : rows;
  }
};

template <class T>
NeighborIndex<T>::NeighborIndex(Samples<T> points, NeighborSearch search, const Run& run, Index new_points) {
  if (points.rows() == 0 || points.cols() == 0)
    throw Error(ErrorCode::bad_data,
                fmt::format("no neighbours among {} points of {} features", points.rows(), points.cols()));
  if (points.rows() >= std::numeric_limits<std::int32_t>::max())
    throw Error(ErrorCode::usage, fmt::format("{} points are more than 2³¹", points.rows()));
  require_finite(points);
  (void)squared_norms(points, Vector<double>());  // says which row overflows, whatever the search
  auto made = std::make_unique<Search>();
  made->kind = search == NeighborSearch::automatic ? suitable_search(points, run) : search;
  if (made->kind == NeighborSearch::kdtree && points.is_sparse()) points = points.to_dense();
  made->points = points;
  switch (made->kind) {
    case NeighborSearch::kdtree:
      made->kdtree = std::make_unique<KdTreeNeighbors<T>>(points);
      break;
    case NeighborSearch::hnsw:
      made->hnsw = std::make_unique<HnswNeighbors<T>>(points, run);
      break;
    default:
      made->brute = std::make_unique<BruteNeighbors<T>>(points, run, new_points);
  }
  search_ = std::move(made);
}

template <class T>
NeighborIndex<T>::~NeighborIndex() = default;
template <class T>
NeighborIndex<T>::NeighborIndex(NeighborIndex&&) noexcept = default;

template <class T>
const Samples<T>& NeighborIndex<T>::points() const {
  return search_->points;
}
template <class T>
NeighborSearch NeighborIndex<T>::search() const {
  return search_->kind;
}

template <class T>
NeighborLists NeighborIndex<T>::nearest(Index count, const Run& run) const {
  const Index n = points().rows();
  if (count < 1 || count >= n)
    throw Error(ErrorCode::usage, fmt::format("{} neighbours for each of {} points", count, n),
                n > 1 ? fmt::format("choose 1 to {} neighbours", n - 1) : "one point has no neighbours");
  if (search_->kdtree) return search_->kdtree->nearest(points(), count, true, run);
  if (search_->hnsw) return search_->hnsw->nearest(points(), count, true, run);
  return search_->brute->nearest(count, run);
}

template <class T>
NeighborLists NeighborIndex<T>::nearest(const Samples<T>& rows, Index count, const Run& run) const {
  const Index n = points().rows();
  if (count < 1 || count > n)
    throw Error(ErrorCode::usage, fmt::format("{} neighbours were asked for among {} points", count, n),
                fmt::format("from 1 to {}", n));
  const Samples<T> checked = search_->checked(rows);
  if (search_->kdtree) return search_->kdtree->nearest(checked, count, false, run);
  if (search_->brute) return search_->brute->nearest(checked, count, {}, run);
  // Measuring the recall costs as much as an exact search of a few points: those are searched exactly.
  constexpr Index few = 256;
  if (rows.rows() <= few)
    return BruteNeighbors<T>(points(), run, std::max<Index>(1, rows.rows())).nearest(checked, count, {}, run);
  return search_->hnsw->nearest(checked, count, false, run);
}

template <class T>
NeighborLists NeighborIndex<T>::within(double radius, const Run& run) const {
  require_radius(radius);
  if (search_->kdtree) return search_->kdtree->within(points(), radius, true, run);
  if (search_->brute) return search_->brute->within(radius, run);
  return BruteNeighbors<T>(points(), run).within(radius, run);  // HNSW knows no radius
}

template <class T>
NeighborLists NeighborIndex<T>::within(const Samples<T>& rows, double radius, const Run& run) const {
  require_radius(radius);
  const Samples<T> checked = search_->checked(rows);
  if (search_->kdtree) return search_->kdtree->within(checked, radius, false, run);
  if (search_->brute) return search_->brute->within(checked, radius, run);
  return BruteNeighbors<T>(points(), run, std::max<Index>(1, rows.rows())).within(checked, radius, run);
}

template class NeighborIndex<float>;
template class NeighborIndex<double>;

}  // namespace mercer
