// Comparing points tile by tile: all of them among themselves, where a tile serves both of its sides, or rows
// with all of them. Lists (graph/shortlist.hpp) take what their limits let through.
#pragma once

#include "base/parallel.hpp"
#include "graph/dot_tiles.hpp"
#include "graph/neighbor.hpp"
#include "graph/tile_scan.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <vector>

namespace mercer {

/// Says from one thread how much is done.
class SearchProgress {
 public:
  SearchProgress(Index total, const Run& run) : total_(total), run_(run) {}
  void step() {
    const Index finished = ++done_;
    if (omp_get_thread_num() == 0) run_.report("neighbours", double(finished) / double(total_));
  }

 private:
  Index total_;
  const Run& run_;
  std::atomic<Index> done_{0};
};

/// Tiles of a triangle.
struct Position {
  Index row, col;
};

/// Those on the diagonal first, so that rows which lie near each other in the data set narrow each other's
/// limits early; then row by row, so that one side of a tile has just been used.
inline Position by_rows(Index t, Index blocks) {
  if (t < blocks) return {t, t};
  t -= blocks;  // strictly below the diagonal, row r begins at r(r − 1)/2
  auto row = static_cast<Index>((std::sqrt(8.0 * double(t) + 1) + 1) / 2);
  while (row * (row - 1) / 2 > t) --row;
  while ((row + 1) * row / 2 <= t) ++row;
  return {row, t - row * (row - 1) / 2};
}

/// Band by band from the diagonal, for points in an order in which near ones come one after another; and
/// threads at work on one band have rows of their own.
inline Position by_bands(Index t, Index blocks) {
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
    SearchProgress progress(total, run);
    parallel_for(total, run, [&](Index t) {
      const Position at = lists_.judge().ordered() ? by_bands(t, blocks_) : by_rows(t, blocks_);
      if (at.row == at.col)
        square(at.row);
      else
        rectangle(at.row, at.col);
      lists_.judge().check();
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
    const auto wanted = [&](Index i) {  // points in another order may be anywhere
      return lists.judge().ordered() || excluded_of(i).begin > j0 || excluded_of(i).end < j0 + cols;
    };
    Index i = first;
    while (i < first + count && !wanted(i)) ++i;
    if (i == first + count) continue;
    run.check();
    lists.judge().check();
    tiles.for_rows(left, first, count, j0, cols, [&](Index row, const S* dots) {
      offer(tiles, dots, j0, 0, cols, row, left.half[row], excluded_of(row), lists);
    });
  }
}

template <class S, class Lists>
void compare_rows(const DotTiles<S>& tiles, const TileRows<S>& left, const std::vector<Excluded>& excluded,
                  Lists& lists, const Run& run) {
  const Index rows = left.size(), step = tiles.portion(rows), parts = (rows + step - 1) / step;
  SearchProgress progress(parts, run);
  parallel_for(parts, run, [&](Index part) {
    const Index first = part * step;
    compare_rows(tiles, left, first, std::min(step, rows - first), excluded, lists, run);
    progress.step();
  });
}

}  // namespace mercer
