// All pairs, by tiles of inner products. Tiles bound the distances; those that may be among the nearest are
// kept in short lists and computed directly at the end (graph/shortlist.hpp).
#include "graph/brute_neighbors.hpp"

#include "base/parallel.hpp"
#include "graph/distance_strips.hpp"
#include "graph/row_distance.hpp"
#include "graph/search_trial.hpp"
#include "graph/shortlist.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <span>
#include <type_traits>

namespace mercer {
namespace {

/// Which points the rows of tiles are; empty: they come as they are.
struct Order {
  std::span<const Index> numbers;
  [[nodiscard]] Index number(Index i) const {
    return numbers.empty() ? i : numbers[static_cast<std::size_t>(i)];
  }
};

/// Bounds from a tile, narrower ones from a second look, and the distance itself.
template <class T, class S>
struct TileJudge {
  const DotTiles<S>& tiles;
  const TileRows<S>& left;
  RowDistance<T> distance;
  SecondLook second_look;
  Order left_order, order;  ///< of left's rows, and of the points

  /// A lower bound that may be larger.
  [[nodiscard]] S lower(Index row, Index index, S lower) const {
    return second_look ? S(second_look.lower(row, index, float(lower))) : lower;
  }
  [[nodiscard]] S upper(Index row, const Found<S>& found) const {
    const S halves = left.half[row] + tiles.points().half[found.index];
    const S upper = found.lower + tiles.width(halves);
    return second_look ? upper + S(second_look.width(row, found.index, float(halves))) : upper;
  }
  [[nodiscard]] double exact(Index row, Index index) const {
    return distance(left_order.number(row), number(index));
  }
  void expect(Index index) const { distance.expect(number(index)); }
  [[nodiscard]] Index number(Index index) const { return order.number(index); }
};

template <class T, class S>
TileJudge<T, S> judge_among(const DotTiles<S>& tiles, const Samples<T>& points, const Shadows& shadows,
                            std::span<const Index> order) {
  return {tiles,   tiles.points(), RowDistance<T>(points, points), SecondLook(shadows, shadows),
          {order}, {order}};
}

/// Says from one thread how much is done.
class Progress {
 public:
  Progress(Index total, const Run& run) : total_(total), run_(run) {}
  void step() {
    const Index finished = ++done_;
    if (omp_get_thread_num() == 0) run_.report("neighbours", double(finished) / double(total_));
  }

 private:
  Index total_;
  const Run& run_;
  std::atomic<Index> done_{0};
};

/// Tiles of a triangle, band by band from the diagonal: points that come one after another are often near,
/// and narrow each other's limits early; and threads at work on one band have rows of their own.
struct Position {
  Index row, col;
};
Position triangle(Index t, Index blocks) {
  const auto begin = [&](Index band) { return band * (2 * blocks - band + 1) / 2; };
  const double b = double(blocks) + 0.5;
  auto band = static_cast<Index>(b - std::sqrt(std::max(0.0, b * b - 2 * double(t))));
  while (begin(band) > t) --band;
  while (begin(band + 1) <= t) ++band;
  const Index col = t - begin(band);
  return {col + band, col};
}

/// A pair for the list of `row`.
template <class S>
struct Hit {
  Index row;
  Found<S> found;
};

/// Offers point i the columns [from, to) of a tile that begins at point j0, `dots` being its row of the tile,
/// but for those that are excluded. Where there is no limit yet it gets one from the first few.
template <class S, class Lists>
void offer(const DotTiles<S>& tiles, const S* dots, Index j0, Index from, Index to, Index i, S own,
           const Excluded& excluded, Lists& lists) {
  thread_local std::vector<Found<S>> found;
  for (Index count = 0; from < to; from += count) {
    constexpr Index few = 128;
    const S limit = lists.limit(i);
    count = std::isinf(limit) ? std::min(few, to - from) : to - from;
    found.resize(static_cast<std::size_t>(std::max<Index>(count, static_cast<Index>(found.size()))));
    const Index seen = tile_scan::near_row(dots + from, count, own, tiles.points().half.data() + j0 + from,
                                           limit, found.data());
    for (Index p = 0; p < seen; ++p) {
      Found<S> f = found[static_cast<std::size_t>(p)];
      f.index += static_cast<std::int32_t>(j0 + from);
      const Index number = lists.judge().number(f.index);
      if (number >= excluded.begin && number < excluded.end) continue;
      f.lower = lists.judge().lower(i, f.index, f.lower);
      lists.add(i, f);
    }
  }
}

/// All pairs of the points; `lists` takes what its limits let through, of either side.
template <class S, class Lists>
class AllPairs {
 public:
  AllPairs(const DotTiles<S>& tiles, Lists& lists)
      : tiles_(tiles),
        points_(tiles.points()),
        lists_(lists),
        side_(tiles.side()),
        blocks_((tiles.size() + side_ - 1) / side_),
        locks_(static_cast<std::size_t>(blocks_)) {}

  void compare(const Run& run) {
    const Index total = blocks_ * (blocks_ + 1) / 2;
    Progress progress(total, run);
    parallel_for(total, run, [&](Index t) {
      const Position at = triangle(t, blocks_);
      if (at.row == at.col)
        square(at.row);
      else
        rectangle(at.row, at.col);
      progress.step();
    });
  }

 private:
  [[nodiscard]] Index rows(Index block) const { return std::min(side_, tiles_.size() - block * side_); }
  [[nodiscard]] std::lock_guard<std::mutex> lists_of_block(Index block) {
    return std::lock_guard(locks_[static_cast<std::size_t>(block)]);
  }

  template <class Use>
  void for_rows(Index block, Index col, const Use& use) {
    tiles_.for_rows(points_, block * side_, rows(block), col * side_, rows(col), use);
  }

  /// On the diagonal every pair comes twice, so that one side is enough.
  void square(Index block) {
    const Index j0 = block * side_, cols = rows(block);
    const auto mine = lists_of_block(block);
    for_rows(block, block, [&](Index i, const S* dots) {
      offer(tiles_, dots, j0, 0, i - j0, i, points_.half[i], {}, lists_);
      offer(tiles_, dots, j0, i - j0 + 1, cols, i, points_.half[i], {}, lists_);
    });
  }

  void rectangle(Index row, Index col) {
    thread_local std::vector<S> row_limits, col_limits;
    thread_local std::vector<Found<S>> found;
    thread_local std::vector<Hit<S>> row_hits, col_hits;
    const Index i0 = row * side_, j0 = col * side_, cols = rows(col);
    copy_limits(row, row_limits);
    copy_limits(col, col_limits);
    found.resize(static_cast<std::size_t>(cols));
    row_hits.clear(), col_hits.clear();
    for_rows(row, col, [&](Index i, const S* dots) {
      const S limit = row_limits[static_cast<std::size_t>(i - i0)];
      const Index seen = tile_scan::near_either(dots, cols, points_.half[i], points_.half.data() + j0, limit,
                                                col_limits.data(), found.data());
      for (Index p = 0; p < seen; ++p) {
        Found<S> f = found[static_cast<std::size_t>(p)];
        const Index j = j0 + f.index;
        f.lower = lists_.judge().lower(i, j, f.lower);
        if (!(f.lower > limit)) row_hits.push_back({i, {f.lower, static_cast<std::int32_t>(j)}});
        if (!(f.lower > col_limits[static_cast<std::size_t>(f.index)]))
          col_hits.push_back({j, {f.lower, static_cast<std::int32_t>(i)}});
      }
    });
    hand_in(row, row_hits);
    hand_in(col, col_hits);
  }

  void copy_limits(Index block, std::vector<S>& out) {
    const auto mine = lists_of_block(block);
    out.resize(static_cast<std::size_t>(rows(block)));
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = lists_.limit(block * side_ + static_cast<Index>(i));
  }
  void hand_in(Index block, const std::vector<Hit<S>>& hits) {
    const auto mine = lists_of_block(block);
    for (const Hit<S>& hit : hits) lists_.add(hit.row, hit.found);
  }

  const DotTiles<S>& tiles_;
  const TileRows<S>& points_;
  Lists& lists_;
  Index side_, blocks_;
  std::vector<std::mutex> locks_;  // of the lists of a block of rows
};

/// Rows [first, first + count) of `left` with all points but the excluded.
template <class S, class Lists>
void compare_rows(const DotTiles<S>& tiles, const TileRows<S>& left, Index first, Index count,
                  const std::vector<Excluded>& excluded, Lists& lists, const Run& run) {
  const Index n = tiles.size(), side = tiles.side();
  const auto excluded_of = [&](Index i) {
    return excluded.empty() ? Excluded{} : excluded[static_cast<std::size_t>(i)];
  };
  for (Index j0 = 0; j0 < n; j0 += side) {
    const Index cols = std::min(side, n - j0);
    const auto wanted = [&](Index i) {
      const Excluded none = excluded_of(i);
      for (Index j = j0; j < j0 + cols; ++j) {
        const Index number = lists.judge().number(j);
        if (number < none.begin || number >= none.end) return true;
      }
      return false;
    };
    Index i = first;
    while (i < first + count && !wanted(i)) ++i;
    if (i == first + count) continue;
    run.check();
    tiles.for_rows(left, first, count, j0, cols, [&](Index row, const S* dots) {
      offer(tiles, dots, j0, 0, cols, row, left.half[row], excluded_of(row), lists);
    });
  }
}

template <class S, class Lists>
void compare_rows(const DotTiles<S>& tiles, const TileRows<S>& left, const std::vector<Excluded>& excluded,
                  Lists& lists, const Run& run) {
  const Index rows = left.size(), step = tiles.portion(rows), parts = (rows + step - 1) / step;
  Progress progress(parts, run);
  parallel_for(parts, run, [&](Index part) {
    const Index first = part * step;
    compare_rows(tiles, left, first, std::min(step, rows - first), excluded, lists, run);
    progress.step();
  });
}

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

/// Rows to be compared with the points.
template <class T>
template <class S>
struct BruteNeighbors<T>::Left {
  Shadows shadows;
  TileRows<S> rows;
};

template <class T>
auto BruteNeighbors<T>::prepare(ShadowAxes axes, const Run& run) -> Tiles {
  order_ = axes.order(compact_, DotTiles<float>::plain_side, run);
  shadows_ = axes.shadows(compact_, order_, run);
  axes_ = std::move(axes);
  return DotTiles<float>(shadows_.coarse(), Vector<double>(), axes_->slack());
}

template <class T>
auto BruteNeighbors<T>::prepare(Index rows, const Run& run) -> Tiles {
  const SteadyRun steady(run);
  const SearchTrial<T> trial(compact_, steady);
  const bool in_float = trial.float_suffices();
  if (auto axes = trial.plan(rows > 0 ? rows : compact_.rows(), steady).axes)
    return prepare(std::move(*axes), steady);
  // A shift means that rows are converted for each tile. It is worth that where most of the squared lengths
  // is the mean's, and free where they are converted anyway.
  Vector<double> mean = trial.mean();
  const bool converted = in_float != std::is_same_v<T, float>;
  if (!converted && mean.squaredNorm() < 3 * trial.norms().mean()) mean.resize(0);
  if (in_float) return DotTiles<float>(compact_, std::move(mean));
  return DotTiles<double>(compact_, std::move(mean));
}

template <class T>
template <class S>
auto BruteNeighbors<T>::prepare(const DotTiles<S>& tiles, const Samples<T>& rows, const Run& run) const
    -> Left<S> {
  Left<S> left;
  if (axes_) left.shadows = axes_->shadows(rows, {}, run);
  left.rows = axes_ ? tiles.prepare(left.shadows.coarse()) : tiles.prepare(rows);
  return left;
}

template <class T>
BruteNeighbors<T>::BruteNeighbors(Samples<T> points, const Run& run, Index rows)
    : points_(std::move(points)), compact_(compacted(points_, run)), tiles_(prepare(rows, run)) {}

template <class T>
BruteNeighbors<T>::BruteNeighbors(Samples<T> points, ShadowAxes axes, const Run& run)
    : points_(std::move(points)),
      compact_(compacted(points_, run)),
      tiles_(prepare(std::move(axes), SteadyRun(run))) {}

template <class T>
NeighborLists BruteNeighbors<T>::nearest(Index count, const Run& run) const {
  const SteadyRun steady(run);
  const Index n = points_.rows();
  return std::visit(
      [&]<class S>(const DotTiles<S>& tiles) {
        const TileJudge<T, S> judge = judge_among(tiles, compact_, shadows_, order_);
        using Lists = Shortlists<S, TileJudge<T, S>>;
        if (Lists::bytes(n, count) > 0.25 * double(run.memory_budget()))
          return nearest(points_, count, each_itself(n), steady);
        Lists lists(n, count, judge);
        AllPairs<S, decltype(lists)>(tiles, lists).compare(steady);
        return gather(lists, n, count, {order_}, steady);
      },
      tiles_);
}

template <class T>
NeighborLists BruteNeighbors<T>::nearest(const Samples<T>& rows, Index count,
                                         const std::vector<Excluded>& excluded, const Run& run) const {
  const SteadyRun steady(run);
  const Samples<T> mine = rows.in_the_form_of(compact_);
  return std::visit(
      [&]<class S>(const DotTiles<S>& tiles) {
        NeighborLists out = lists_of(mine.rows(), count);
        // Rows in portions, so that short lists exist for some of them at a time.
        constexpr Index portion = 1 << 14;
        for (Index first = 0; first < mine.rows(); first += portion) {
          const Samples<T> some = mine.middle_rows(first, std::min(portion, mine.rows() - first));
          const std::vector<Excluded> none =
              excluded.empty()
                  ? excluded
                  : std::vector<Excluded>(excluded.begin() + first, excluded.begin() + first + some.rows());
          const Left<S> left = prepare(tiles, some, steady);
          const TileJudge<T, S> judge{
              tiles, left.rows, RowDistance<T>(some, compact_), SecondLook(left.shadows, shadows_),
              {},    {order_}};
          Shortlists<S, TileJudge<T, S>> lists(some.rows(), count, judge);
          compare_rows(tiles, left.rows, none, lists, steady);
          const NeighborLists found = gather(lists, some.rows(), count, {}, steady);
          std::copy(found.index.begin(), found.index.end(), out.index.begin() + first * count);
          std::copy(found.distance.begin(), found.distance.end(), out.distance.begin() + first * count);
        }
        return out;
      },
      tiles_);
}

template <class T>
NeighborLists BruteNeighbors<T>::within(double radius, const Run& run) const {
  const SteadyRun steady(run);
  return std::visit(
      [&]<class S>(const DotTiles<S>& tiles) {
        const TileJudge<T, S> judge = judge_among(tiles, compact_, shadows_, order_);
        WithinLists<S, TileJudge<T, S>> lists(points_.rows(), radius, 0.5 * double(run.memory_budget()),
                                              judge);
        AllPairs<S, decltype(lists)>(tiles, lists).compare(steady);
        return gather(lists, points_.rows(), {order_}, steady);
      },
      tiles_);
}

template <class T>
NeighborLists BruteNeighbors<T>::within(const Samples<T>& rows, double radius, const Run& run) const {
  const SteadyRun steady(run);
  const Samples<T> mine = rows.in_the_form_of(compact_);
  return std::visit(
      [&]<class S>(const DotTiles<S>& tiles) {
        const Left<S> left = prepare(tiles, mine, steady);
        const TileJudge<T, S> judge{
            tiles, left.rows, RowDistance<T>(mine, compact_), SecondLook(left.shadows, shadows_),
            {},    {order_}};
        WithinLists<S, TileJudge<T, S>> lists(mine.rows(), radius, 0.5 * double(run.memory_budget()), judge);
        compare_rows(tiles, left.rows, {}, lists, steady);
        return gather(lists, mine.rows(), {}, steady);
      },
      tiles_);
}

template class BruteNeighbors<float>;
template class BruteNeighbors<double>;

}  // namespace mercer
