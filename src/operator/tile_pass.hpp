// What passes over the tiles of a lower triangle share: how the tiles are dealt out, and sums in an order
// that does not depend on the number of threads.
#pragma once

#include <mercer/symmetric_operator.hpp>

#include "base/huge_buffer.hpp"
#include "base/parallel.hpp"
#include "operator/ordered_sum.hpp"
#include "operator/tile_product.hpp"
#include "operator/triangle.hpp"

#include <algorithm>
#include <vector>

namespace mercer {

/// The tiles of a triangle are dealt out in this many strips, each with sums of its own that are
/// added in order. It depends on the size alone, so that the answer does not depend on the number of
/// threads; more where passes are long, so that threads wait little for each other.
constexpr Index strips_for(Index tile_rows) { return tile_rows < 128 ? 16 : 64; }

struct Strips {
  Index tiles, count;
  explicit Strips(Index tile_rows)
      : tiles(tile_rows * (tile_rows + 1) / 2), count(std::min(strips_for(tile_rows), tiles)) {}
  [[nodiscard]] Index begin(Index strip) const { return tiles * strip / count; }
  /// Rows of tiles that a strip's sums reach: everything up to its last tile's row.
  [[nodiscard]] Index rows(Index strip) const { return position_of(begin(strip + 1) - 1).row + 1; }
};

/// Partial sums at a time: one a thread, and one more so that nobody waits for its turn, unless they are
/// large.
inline Index buffers_for(Index strips, Index length, int threads) {
  constexpr Index large = Index(1) << 20;
  return std::min<Index>(strips, std::max(2, threads + (length < large ? 1 : 0)));
}

/// f(y_I, y_J) with sums of one tile in S that are then added up in double: over many tiles float's rounding
/// would show.
template <class S, class F>
void with_sums_in(Index length, double* y_i, double* y_j, const F& f) {
  if constexpr (std::is_same_v<S, double>) {
    f(y_i, y_j);
  } else {
    thread_local std::vector<float> sums;
    sums.assign(static_cast<std::size_t>(2 * length), 0.0F);
    float *const own = sums.data(), *const other = y_j ? own + length : nullptr;
    f(own, other);
    for (Index p = 0; p < length; ++p) y_i[p] += double(own[p]);
    if (y_j)
      for (Index p = 0; p < length; ++p) y_j[p] += double(other[p]);
  }
}

}  // namespace mercer
