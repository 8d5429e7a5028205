// Passes over the tiles of a lower triangle: how the tiles are dealt out, the vectors in the form that tiles
// take, and sums in an order that does not depend on the number of threads.
#pragma once

#include <mercer/symmetric_operator.hpp>

#include "base/huge_buffer.hpp"
#include "base/parallel.hpp"
#include "operator/ordered_sum.hpp"
#include "operator/tile_product.hpp"
#include "operator/triangle.hpp"

#include <algorithm>
#include <mutex>
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

/// Vectors by tiles of rows, each tile's groups of w vectors one after the other, padded with zeros in both
/// directions: whatever a tile needs is contiguous.
struct TiledBlock {
  Index n, vectors, w = tile::width(), group = tile::size * w, length = (vectors + w - 1) / w * group;

  [[nodiscard]] Index rows(Index t) const { return std::min(tile::size, n - t * tile::size); }
  /// Row i of tile t, vector c, within the tile's part of `length` values.
  template <class S>
  [[nodiscard]] Index at(Index i, Index c) const {
    return c / w * group + tile::place<S>(i, c % w, w);
  }
  template <class S>
  void pack(const BlockView<double>& v, Index t, S* out) const {
    std::fill(out, out + length, S(0));
    for (Index c = 0; c < vectors; ++c)
      for (Index i = 0; i < rows(t); ++i) out[at<S>(i, c)] = S(v(t * tile::size + i, c));
  }
  /// y's rows of tile t, over `scale`.
  template <class S, class Rows>
  void unpack(const double* in, Index t, double scale, Rows&& y) const {
    for (Index c = 0; c < vectors; ++c)
      for (Index i = 0; i < rows(t); ++i) y(i, c) = in[at<S>(i, c)] / scale;
  }
};

/// Where the vectors and the sums of one tile (i, j) are; y_j is null on the diagonal.
template <class S>
struct TileOperands {
  const S* v_j;
  double* y_i;
  const S* v_i;
  double* y_j;
};

/// Y = A V. What a pass works in is kept for the next: fresh memory costs as much as the pass itself.
class TilePass {
 public:
  /// `add(strip, operands)` adds the products of all tiles of a strip; operands(i, j) says where. The sums
  /// are those of scale·A.
  template <class S, class Add>
  void apply(const BlockView<double>& v, BlockRef<double> y, double scale, const Run& run,
             const Add& add) const {
    const TiledBlock block{.n = v.rows(), .vectors = v.cols()};
    const Index tile_rows = (block.n + tile::size - 1) / tile::size, length = tile_rows * block.length;
    const Strips strips(tile_rows);

    const std::lock_guard one_at_a_time(mutex_);
    const Index buffers = buffers_for(strips.count, length, run.thread_count());
    reserve(static_cast<std::size_t>((buffers + 2) * length));
    S* const packed = reinterpret_cast<S*>(scratch_.data());
    double* const total = scratch_.data() + length;
    std::vector<double*> parts;
    for (Index i = 0; i < buffers; ++i) parts.push_back(total + (i + 1) * length);

    parallel_for(tile_rows, run, [&](Index t) {
      block.pack(v, t, packed + t * block.length);
      std::fill(total + t * block.length, total + (t + 1) * block.length, 0.0);
    });
    OrderedSum<double> sums(total, strips.count, std::move(parts));
    parallel_for(strips.count, run, [&](Index strip) {
      try {
        const Index used = strips.rows(strip) * block.length;
        double* const mine = sums.borrow(strip, run);
        std::fill(mine, mine + used, 0.0);
        add(strip, [&](Index i, Index j) {
          const Index at_i = i * block.length, at_j = j * block.length;
          return TileOperands<S>{packed + at_j, mine + at_i, packed + at_i, i == j ? nullptr : mine + at_j};
        });
        sums.give(strip, mine, used);
      } catch (...) {
        sums.abandon();
        throw;
      }
    });
    parallel_for(tile_rows, run, [&](Index t) {
      block.unpack<S>(total + t * block.length, t, scale, y.middleRows(t * tile::size, block.rows(t)));
    });
  }

 private:
  void reserve(std::size_t needed) const {
    if (size_ >= needed) return;
    size_ = 0;
    scratch_ = HugeBuffer<double>();  // the old one first
    scratch_ = HugeBuffer<double>(needed);
    size_ = needed;
  }

  mutable std::mutex mutex_;
  mutable HugeBuffer<double> scratch_;
  mutable std::size_t size_ = 0;
};

}  // namespace mercer
