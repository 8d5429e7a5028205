// What a search by tiles knows of a pair: a lower bound, an upper one, and the distance if it must be. By
// shadows there is a second look in between.
#pragma once

#include "graph/dot_tiles.hpp"
#include "graph/row_distance.hpp"
#include "graph/search_cost.hpp"
#include "graph/shadow.hpp"
#include "graph/tile_scan.hpp"

#include <omp.h>

#include <atomic>
#include <span>
#include <vector>

namespace mercer {

/// Thrown where a search by shadows takes longer than comparing all features would.
struct ShadowsTellNothing {};

/// The seconds of one core that looking at pairs more closely has taken, by what such looks take, and how
/// many it may.
class Effort {
 public:
  Effort(double most, Index threads) : most_(most), spent_(static_cast<std::size_t>(threads)) {}

  void add(double seconds) {
    auto& mine = spent_[static_cast<std::size_t>(omp_get_thread_num()) % spent_.size()].seconds;
    mine.store(mine.load(std::memory_order_relaxed) + seconds, std::memory_order_relaxed);
  }
  void check() const {
    double sum = 0;
    for (const Share& share : spent_) sum += share.seconds.load(std::memory_order_relaxed);
    if (sum > most_) throw ShadowsTellNothing{};
  }

 private:
  struct alignas(64) Share {  // of a thread
    std::atomic<double> seconds{0};
  };
  double most_;
  std::vector<Share> spent_;
};

/// Which points the rows of tiles are; empty: they come as they are.
struct Order {
  std::span<const Index> numbers;
  [[nodiscard]] Index number(Index i) const {
    return numbers.empty() ? i : numbers[static_cast<std::size_t>(i)];
  }
};

template <class T, class S>
struct TileJudge {
  const DotTiles<S>& tiles;
  const TileRows<S>& left;
  RowDistance<T> distance;
  SecondLook second_look;
  Order left_order, order;  ///< of left's rows, and of the points
  Effort* effort;           ///< of a search by shadows

  /// A lower bound that may be larger.
  [[nodiscard]] S lower(Index row, Index index, S lower) const {
    if (!second_look) return lower;
    effort->add(second_look.seconds());
    return S(second_look.lower(row, index, float(lower)));
  }
  [[nodiscard]] S upper(Index row, const Found<S>& found) const {
    const S halves = left.half[row] + tiles.points().half[found.index];
    const S upper = found.lower + tiles.width(halves);
    return second_look ? upper + S(second_look.width(row, found.index, float(halves))) : upper;
  }
  [[nodiscard]] double exact(Index row, Index index) const {
    if (effort) effort->add(distance.seconds());
    return distance(left_order.number(row), number(index));
  }
  void expect(Index index) const { distance.expect(number(index)); }
  /// Called now and then, by a thread that holds nothing.
  void check() const {
    if (effort) effort->check();
  }
  [[nodiscard]] Index number(Index index) const { return order.number(index); }
  [[nodiscard]] bool ordered() const { return !order.numbers.empty(); }
};

}  // namespace mercer
