// All pairs, by tiles of inner products. Tiles bound the distances; those that may be among the nearest are
// kept in short lists and computed directly at the end (graph/shortlist.hpp).
#include "graph/brute_neighbors.hpp"

#include "base/parallel.hpp"
#include "graph/distance_strips.hpp"
#include "graph/row_distance.hpp"
#include "graph/shortlist.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <type_traits>

namespace mercer {
namespace {

/// Bounds from a tile, and the distance itself.
template <class T, class S>
struct TileJudge {
  const DotTiles<S>& tiles;
  const TileRows<S>& left;
  RowDistance<T> distance;

  [[nodiscard]] S upper(Index row, const Found<S>& found) const {
    return found.lower + tiles.width(left.half[row] + tiles.points().half[found.index]);
  }
  [[nodiscard]] double exact(Index row, Index index) const { return distance(row, index); }
};

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

/// Tiles of a triangle: those on the diagonal first, so that rows which lie near each other in the data set
/// narrow each other's limits early.
struct Position {
  Index row, col;
};
Position triangle(Index t, Index blocks) {
  if (t < blocks) return {t, t};
  t -= blocks;  // strictly below the diagonal, row by row: row r begins at r(r − 1)/2
  auto row = static_cast<Index>((std::sqrt(8.0 * double(t) + 1) + 1) / 2);
  while (row * (row - 1) / 2 > t) --row;
  while ((row + 1) * row / 2 <= t) ++row;
  return {row, t - row * (row - 1) / 2};
}

/// A pair for the list of `row`.
template <class S>
struct Hit {
  Index row;
  Found<S> found;
};

/// Offers point i the columns [from, to) of a tile that begins at point j0, `dots` being its row of the tile.
/// Where there is no limit yet it gets one from the first few.
template <class S, class Lists>
void offer(const DotTiles<S>& tiles, const S* dots, Index j0, Index from, Index to, Index i, S own,
           Lists& lists) {
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
      offer(tiles_, dots, j0, 0, i - j0, i, points_.half[i], lists_);
      offer(tiles_, dots, j0, i - j0 + 1, cols, i, points_.half[i], lists_);
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
        const Found<S> f = found[static_cast<std::size_t>(p)];
        const Index j = j0 + f.index;
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
    Index wanted = 0;
    for (Index i = first; i < first + count; ++i)
      wanted += excluded_of(i).begin > j0 || excluded_of(i).end < j0 + cols;
    if (wanted == 0) continue;
    run.check();
    tiles.for_rows(left, first, count, j0, cols, [&](Index i, const S* row) {
      const Index from = std::clamp<Index>(excluded_of(i).begin - j0, 0, cols);
      const Index to = std::clamp<Index>(excluded_of(i).end - j0, from, cols);
      offer(tiles, row, j0, 0, from, i, left.half[i], lists);
      offer(tiles, row, j0, to, cols, i, left.half[i], lists);
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

/// The lists' rows, finished in parallel.
template <class Lists>
NeighborLists gather(Lists& lists, Index rows, Index count, const Run& run) {
  NeighborLists out = lists_of(rows, count);
  constexpr Index chunk = 256;
  parallel_for((rows + chunk - 1) / chunk, run, [&](Index part) {
    for (Index i = part * chunk; i < std::min(rows, (part + 1) * chunk); ++i)
      set_row(out, i, lists.finish(i));
  });
  return out;
}

template <class Lists>
NeighborLists gather(Lists& lists, Index rows, const Run& run) {
  std::vector<std::vector<Neighbor>> out(static_cast<std::size_t>(rows));
  parallel_for(rows, run, [&](Index i) { out[static_cast<std::size_t>(i)] = lists.finish(i); });
  return join(std::move(out));
}

std::vector<Excluded> each_itself(Index n) {
  std::vector<Excluded> out(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) out[static_cast<std::size_t>(i)] = {i, i + 1};
  return out;
}

/// Whether float tells the neighbours of some of the points apart well enough: how many points its error
/// lets in beside the nearest.
template <class T>
bool float_suffices(const Samples<T>& points, const Vector<double>& norms) {
  if (norms.maxCoeff() > 1e37) return false;  // would overflow
  const Index n = points.rows(), count = std::min<Index>(16, n - 1), sample = std::min<Index>(16, n);
  if (count < 1) return true;
  const RowDistance<T> distance(points, points);
  const double slack = DotTiles<float>::slack(longest_row(points));
  Index let_in = 0;
  std::vector<double> squares(static_cast<std::size_t>(n)), order;
  for (Index s = 0; s < sample; ++s) {
    const Index i = s * n / sample;
    for (Index j = 0; j < n; ++j) squares[static_cast<std::size_t>(j)] = distance(i, j);
    order = squares;
    std::nth_element(order.begin(), order.begin() + count, order.end());
    const double nearest = order[static_cast<std::size_t>(count)];
    for (Index j = 0; j < n; ++j)
      let_in += squares[static_cast<std::size_t>(j)] - slack * (norms[i] + norms[j]) <= nearest;
  }
  return let_in <= sample * (2 * count + 16 + n / 128);
}

template <class T>
std::variant<DotTiles<float>, DotTiles<double>> prepare(const Samples<T>& points) {
  const bool dense = !points.is_sparse();
  Vector<double> mean = dense ? mean_of(points) : Vector<double>();
  const Vector<double> norms = squared_norms(points, mean);
  const bool in_float = float_suffices(points, norms);
  // A shift means that rows are converted for each tile. It is worth that where most of the squared lengths
  // is the mean's, and free where they are converted anyway.
  const bool converted = in_float != std::is_same_v<T, float>;
  if (dense && !converted && mean.squaredNorm() < 3 * norms.mean()) mean.resize(0);
  if (in_float) return DotTiles<float>(points, std::move(mean));
  return DotTiles<double>(points, std::move(mean));
}

}  // namespace

template <class T>
BruteNeighbors<T>::BruteNeighbors(Samples<T> points, const Run& run)
    : points_(std::move(points)), compact_(compacted(points_, run)), tiles_(prepare(compact_)) {}

template <class T>
NeighborLists BruteNeighbors<T>::nearest(Index count, const Run& run) const {
  const SteadyRun steady(run);
  const Index n = points_.rows();
  return std::visit(
      [&]<class S>(const DotTiles<S>& tiles) {
        const TileJudge<T, S> judge{tiles, tiles.points(), RowDistance<T>(compact_, compact_)};
        using Lists = Shortlists<S, TileJudge<T, S>>;
        if (Lists::bytes(n, count) > 0.25 * double(run.memory_budget()))
          return nearest(points_, count, each_itself(n), steady);
        Lists lists(n, count, judge);
        AllPairs<S, decltype(lists)>(tiles, lists).compare(steady);
        return gather(lists, n, count, steady);
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
          const TileRows<S> left = tiles.prepare(some);
          const TileJudge<T, S> judge{tiles, left, RowDistance<T>(some, compact_)};
          Shortlists<S, TileJudge<T, S>> lists(some.rows(), count, judge);
          compare_rows(tiles, left, none, lists, steady);
          const NeighborLists found = gather(lists, some.rows(), count, steady);
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
        const TileJudge<T, S> judge{tiles, tiles.points(), RowDistance<T>(compact_, compact_)};
        WithinLists<S, TileJudge<T, S>> lists(points_.rows(), radius, 0.5 * double(run.memory_budget()),
                                              judge);
        AllPairs<S, decltype(lists)>(tiles, lists).compare(steady);
        return gather(lists, points_.rows(), steady);
      },
      tiles_);
}

template <class T>
NeighborLists BruteNeighbors<T>::within(const Samples<T>& rows, double radius, const Run& run) const {
  const SteadyRun steady(run);
  const Samples<T> mine = rows.in_the_form_of(compact_);
  return std::visit(
      [&]<class S>(const DotTiles<S>& tiles) {
        const TileRows<S> left = tiles.prepare(mine);
        const TileJudge<T, S> judge{tiles, left, RowDistance<T>(mine, compact_)};
        WithinLists<S, TileJudge<T, S>> lists(mine.rows(), radius, 0.5 * double(run.memory_budget()), judge);
        compare_rows(tiles, left, {}, lists, steady);
        return gather(lists, mine.rows(), steady);
      },
      tiles_);
}

template class BruteNeighbors<float>;
template class BruteNeighbors<double>;

}  // namespace mercer
