// All pairs, by tiles of inner products. Tiles bound the distances; those that may be among the nearest are
// kept in short lists and computed directly at the end (graph/shortlist.hpp).
#include "graph/brute_neighbors.hpp"

#include "base/parallel.hpp"
#include "graph/all_pairs.hpp"
#include "graph/distance_strips.hpp"
#include "graph/search_cost.hpp"
#include "graph/search_trial.hpp"
#include "graph/shortlist.hpp"
#include "graph/tile_judge.hpp"

#include <algorithm>
#include <type_traits>

namespace mercer {
namespace {

/// The lists' rows, finished in parallel; `order` says whose they are.
template <class Lists>
NeighborLists gather(Lists& lists, Index rows, Index count, Order order, const Run& run) {
  NeighborLists out = lists_of(rows, count);
  constexpr Index chunk = 256;
  parallel_for((rows + chunk - 1) / chunk, run, [&](Index part) {
    for (Index i = part * chunk; i < std::min(rows, (part + 1) * chunk); ++i)
      set_row(out, order.number(i), lists.finish(i));
  });
  return out;
}

template <class Lists>
NeighborLists gather(Lists& lists, Index rows, Order order, const Run& run) {
  std::vector<std::vector<Neighbor>> out(static_cast<std::size_t>(rows));
  parallel_for(rows, run, [&](Index i) { out[static_cast<std::size_t>(order.number(i))] = lists.finish(i); });
  return join(std::move(out));
}

std::vector<Excluded> each_itself(Index n) {
  std::vector<Excluded> out(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) out[static_cast<std::size_t>(i)] = {i, i + 1};
  return out;
}

}  // namespace

template <class T>
BruteNeighbors<T>::ByShadows::ByShadows(const Samples<T>& points, ShadowAxes on, const Run& run)
    : axes(std::move(on)),
      order(axes.order(points, DotTiles<float>::plain_side, run)),
      shadows(axes.shadows(points, order, run)),
      tiles(shadows.coarse(), Vector<double>()) {}

/// Rows to be compared with the points.
template <class T>
template <class S>
struct BruteNeighbors<T>::Left {
  Shadows shadows;
  TileRows<S> rows;

  Left(const Samples<T>& left, const DotTiles<S>& tiles, const ByShadows* by, const Run& run) {
    if (by != nullptr) {
      shadows = by->axes.shadows(left, {}, run);
      if (!shadows.in_range()) throw ShadowsTellNothing{};
      rows = tiles.prepare(shadows.coarse());
    } else {
      rows = tiles.prepare(left);
    }
  }
};

template <class T>
BruteNeighbors<T>::BruteNeighbors(Samples<T> points, const Run& run, Index rows)
    : points_(std::move(points)), compact_(compacted(points_, run)) {
  const SteadyRun steady(run);
  const SearchTrial<T> trial(compact_, steady);
  in_float_ = trial.float_suffices();
  if (auto axes = trial.plan(rows > 0 ? rows : compact_.rows(), steady).axes)
    by_shadows_.emplace(compact_, std::move(*axes), steady);
  else
    plain_ = made_plain(trial.mean(), trial.norms().mean());
}

template <class T>
BruteNeighbors<T>::BruteNeighbors(Samples<T> points, ShadowAxes axes, double patience, const Run& run)
    : points_(std::move(points)), compact_(compacted(points_, run)), in_float_(true), patience_(patience) {
  by_shadows_.emplace(compact_, std::move(axes), SteadyRun(run));
}

template <class T>
auto BruteNeighbors<T>::made_plain(Vector<double> mean, double mean_norm) const -> Tiles {
  // A shift means that rows are converted for each tile. It is worth that where most of the squared lengths
  // is the mean's, and free where they are converted anyway.
  const bool converted = in_float_ != std::is_same_v<T, float>;
  if (!converted && mean.squaredNorm() < 3 * mean_norm) mean.resize(0);
  if (in_float_) return DotTiles<float>(compact_, std::move(mean));
  return DotTiles<double>(compact_, std::move(mean));
}

template <class T>
auto BruteNeighbors<T>::plain() const -> const Tiles& {
  const std::lock_guard mine(making_plain_);
  if (!plain_) {
    Vector<double> mean = mean_of(compact_);
    const double norm = squared_norms(compact_, mean).mean();
    plain_ = made_plain(std::move(mean), norm);
  }
  return *plain_;
}

template <class T>
template <class Search>
NeighborLists BruteNeighbors<T>::found(const Search& search) const {
  if (by_shadows_) try {
      return search(by_shadows_->tiles, &*by_shadows_);
    } catch (const ShadowsTellNothing&) {
    }
  const ByShadows* const none = nullptr;
  return std::visit([&](const auto& tiles) { return search(tiles, none); }, plain());
}

template <class T>
Effort BruteNeighbors<T>::effort_for(Index rows, const Run& run) const {
  const double all = double(rows) * brute_row_seconds(points_.rows(), double(points_.cols()));
  return {patience_ * all, run.thread_count()};
}

template <class T>
template <class S>
auto BruteNeighbors<T>::judge_among(const DotTiles<S>& tiles, const ByShadows* by, Effort& effort) const
    -> TileJudge<T, S> {
  const RowDistance<T> distance(compact_, compact_);
  if (by == nullptr) return {tiles, tiles.points(), distance, {}, {}, {}, nullptr};
  return {tiles,       tiles.points(), distance, SecondLook(by->shadows, by->shadows),
          {by->order}, {by->order},    &effort};
}

template <class T>
template <class S>
auto BruteNeighbors<T>::judge_of(const Samples<T>& rows, const Left<S>& left, const DotTiles<S>& tiles,
                                 const ByShadows* by, Effort& effort) const -> TileJudge<T, S> {
  const RowDistance<T> distance(rows, compact_);
  if (by == nullptr) return {tiles, left.rows, distance, {}, {}, {}, nullptr};
  return {tiles, left.rows, distance, SecondLook(left.shadows, by->shadows), {}, {by->order}, &effort};
}

template <class T>
NeighborLists BruteNeighbors<T>::nearest(Index count, const Run& run) const {
  const SteadyRun steady(run);
  const Index n = points_.rows();
  return found([&]<class S>(const DotTiles<S>& tiles, const ByShadows* by) {
    using Lists = Shortlists<S, TileJudge<T, S>>;
    if (Lists::bytes(n, count) > 0.25 * double(run.memory_budget()))
      return nearest(points_, count, each_itself(n), steady);
    Effort effort = effort_for(n, steady);
    const TileJudge<T, S> judge = judge_among(tiles, by, effort);
    Lists lists(n, count, judge);
    AllPairs<S, Lists>(tiles, lists).compare(steady);
    return gather(lists, n, count, judge.order, steady);
  });
}

template <class T>
NeighborLists BruteNeighbors<T>::nearest(const Samples<T>& rows, Index count,
                                         const std::vector<Excluded>& excluded, const Run& run) const {
  const SteadyRun steady(run);
  const Samples<T> mine = rows.in_the_form_of(compact_);
  return found([&]<class S>(const DotTiles<S>& tiles, const ByShadows* by) {
    NeighborLists out = lists_of(mine.rows(), count);
    Effort effort = effort_for(mine.rows(), steady);
    // Rows in portions, so that short lists exist for some of them at a time.
    constexpr Index portion = 1 << 14;
    for (Index first = 0; first < mine.rows(); first += portion) {
      const Samples<T> some = mine.middle_rows(first, std::min(portion, mine.rows() - first));
      const std::vector<Excluded> none =
          excluded.empty()
              ? excluded
              : std::vector<Excluded>(excluded.begin() + first, excluded.begin() + first + some.rows());
      const Left<S> left(some, tiles, by, steady);
      const TileJudge<T, S> judge = judge_of(some, left, tiles, by, effort);
      Shortlists<S, TileJudge<T, S>> lists(some.rows(), count, judge);
      compare_rows(tiles, left.rows, none, lists, steady);
      const NeighborLists lists_found = gather(lists, some.rows(), count, {}, steady);
      std::copy(lists_found.index.begin(), lists_found.index.end(), out.index.begin() + first * count);
      std::copy(lists_found.distance.begin(), lists_found.distance.end(),
                out.distance.begin() + first * count);
    }
    return out;
  });
}

template <class T>
NeighborLists BruteNeighbors<T>::within(double radius, const Run& run) const {
  const SteadyRun steady(run);
  return found([&]<class S>(const DotTiles<S>& tiles, const ByShadows* by) {
    Effort effort = effort_for(points_.rows(), steady);
    const TileJudge<T, S> judge = judge_among(tiles, by, effort);
    WithinLists<S, TileJudge<T, S>> lists(points_.rows(), radius, 0.5 * double(run.memory_budget()), judge);
    AllPairs<S, decltype(lists)>(tiles, lists).compare(steady);
    return gather(lists, points_.rows(), judge.order, steady);
  });
}

template <class T>
NeighborLists BruteNeighbors<T>::within(const Samples<T>& rows, double radius, const Run& run) const {
  const SteadyRun steady(run);
  const Samples<T> mine = rows.in_the_form_of(compact_);
  return found([&]<class S>(const DotTiles<S>& tiles, const ByShadows* by) {
    Effort effort = effort_for(mine.rows(), steady);
    const Left<S> left(mine, tiles, by, steady);
    const TileJudge<T, S> judge = judge_of(mine, left, tiles, by, effort);
    WithinLists<S, TileJudge<T, S>> lists(mine.rows(), radius, 0.5 * double(run.memory_budget()), judge);
    compare_rows(tiles, left.rows, {}, lists, steady);
    return gather(lists, mine.rows(), {}, steady);
  });
}

template class BruteNeighbors<float>;
template class BruteNeighbors<double>;

}  // namespace mercer
