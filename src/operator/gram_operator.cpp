// K·V by tiles of the lower triangle, stored or recomputed.
#include "operator/gram_operator.hpp"

#include "base/parallel.hpp"
#include "operator/ordered_sum.hpp"
#include "operator/tile_product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <vector>

namespace mercer {
namespace {

/// The tiles of a triangle are dealt out in this many strips, each with sums of its own that are
/// added in order. Fixed, so that the answer does not depend on the number of threads.
constexpr Index max_strips = 16;

struct TilePosition {
  Index row, col;
};

/// Tile number t of the lower triangle, counted row by row.
TilePosition position_of(Index t) {
  auto row = static_cast<Index>((std::sqrt(8.0 * double(t) + 1) - 1) / 2);
  while (row * (row + 1) / 2 > t) --row;
  while ((row + 1) * (row + 2) / 2 <= t) ++row;
  return {row, t - row * (row + 1) / 2};
}

struct Strips {
  Index tiles, count;
  explicit Strips(Index tile_rows)
      : tiles(tile_rows * (tile_rows + 1) / 2), count(std::min(max_strips, tiles)) {}
  [[nodiscard]] Index begin(Index strip) const { return tiles * strip / count; }
  /// Rows of tiles that a strip's sums reach: everything up to its last tile's row.
  [[nodiscard]] Index rows(Index strip) const { return position_of(begin(strip + 1) - 1).row + 1; }
};

/// Scratch for one thread's tiles, kept between passes.
template <class T>
T* thread_scratch(Index count) {
  thread_local std::vector<T> buffer;
  if (static_cast<Index>(buffer.size()) < count) buffer.resize(static_cast<std::size_t>(count));
  return buffer.data();
}

/// A power of two that brings the kernel's values near 1 if they are far outside float's range. Read
/// off small tiles along the diagonal, which bounds all values of a PSD kernel.
template <class T>
double scale_of(const KernelTiles<T>& tiles, Index n) {
  constexpr Index step = 8;
  std::array<T, step * step> values{};
  double largest = 0;
  for (Index i = 0; i < n; i += step) {
    const Index count = std::min(step, n - i);
    tiles.evaluate(i, count, i, count, values.data());
    for (Index p = 0; p < count * count; ++p)
      largest = std::max(largest, std::abs(double(values[static_cast<std::size_t>(p)])));
  }
  if (!(largest > 0) || !std::isfinite(largest) || (largest > 1e-15 && largest < 1e15)) return 1;
  return std::ldexp(1.0, -std::ilogb(largest));
}

}  // namespace

template <class T>
double GramOperator<T>::bytes(Index n, Index block, Storage storage, int threads) {
  const double tile_rows = std::ceil(double(n) / tile::size),
               tile_bytes = double(tile::floats<T>) * sizeof(float);
  const double kept = storage == Storage::stored ? tile_rows * (tile_rows + 1) / 2 * tile_bytes : 0;
  const double blocks = std::min(double(max_strips), threads + 1.0) + 2;  // sums, V and Y, all packed
  return kept + blocks * tile_rows * tile::size * double(block) * sizeof(T) + 2 * threads * tile_bytes;
}

template <class T>
GramOperator<T>::GramOperator(const Kernel& kernel, const Samples<T>& samples, Storage storage,
                              const Run& run)
    : SymmetricOperator<T>(samples.rows()),
      tiles_(kernel, samples),
      tile_rows_((samples.rows() + tile::size - 1) / tile::size) {
  const Index n = samples.rows();
  const Strips strips(tile_rows_);
  scale_ = scale_of(tiles_, n);
  if (storage == Storage::stored)
    stored_ = HugeBuffer<float>(static_cast<std::size_t>(strips.tiles * tile::floats<T>));
  else if constexpr (std::is_same_v<T, double>)
    rough_tiles_.emplace(kernel, samples.template cast<float>());

  // Each tile's sums are kept apart and added in order below.
  struct Sums {
    double trace = 0, squares = 0;
  };
  std::vector<Sums> sums(static_cast<std::size_t>(strips.tiles));
  std::vector<Vector<double>> row_sums(static_cast<std::size_t>(strips.count));
  std::atomic<Index> done{0};
  parallel_for(strips.count, run, [&](Index strip) {
    Vector<double>& mine = row_sums[static_cast<std::size_t>(strip)];
    mine = Vector<double>::Zero(n);
    for (Index t = strips.begin(strip); t < strips.begin(strip + 1); ++t) {
      run.check();
      const auto [row, col] = position_of(t);
      const Index i0 = row * tile::size, j0 = col * tile::size;
      const Index rows = std::min(tile::size, n - i0), cols = std::min(tile::size, n - j0);
      T* values = thread_scratch<T>(tile::plane);
      if (row == col)
        tiles_.evaluate_diagonal(i0, rows, values);
      else
        tiles_.evaluate(i0, rows, j0, cols, values);
      const Eigen::Map<Matrix<T>> k(values, rows, cols);
      Sums& s = sums[static_cast<std::size_t>(t)];
      if (row == col) {
        s.trace = k.diagonal().template cast<double>().sum();
        s.squares = k.template cast<double>().squaredNorm();
        mine.segment(i0, rows) += k.template cast<double>().rowwise().sum();
      } else {
        s.squares = 2 * k.template cast<double>().squaredNorm();
        mine.segment(i0, rows) += k.template cast<double>().rowwise().sum();
        mine.segment(j0, cols) += k.template cast<double>().colwise().sum().transpose();
      }
      if (!(s.squares * scale_ * scale_ < 1e76))  // the square of float's largest number
        throw Error(ErrorCode::bad_data,
                    fmt::format("kernel {} overflows between rows {}..{} and {}..{}", kernel.to_string(), i0,
                                i0 + rows - 1, j0, j0 + cols - 1),
                    "scale the inputs (--scale standardize) or choose smaller parameters");
      if (storage == Storage::stored)
        tile::pack<T>(values, rows, cols, T(scale_), stored_.data() + t * tile::floats<T>);
      const Index finished = ++done;
      if (omp_get_thread_num() == 0) run.report("kernel matrix", double(finished) / double(strips.tiles));
    }
  });
  row_sums_ = Vector<double>::Zero(n);
  for (const auto& part : row_sums) row_sums_ += part;
  for (const Sums& s : sums) trace_ += s.trace, frobenius_squared_ += s.squares;
}

template <class T>
template <class S>
void GramOperator<T>::multiply(const BlockView<T>& v, BlockRef<T> y, const Run& run) const {
  const Index n = this->size(), b = v.cols(), w = tile::width(), groups = (b + w - 1) / w;
  const Index group = tile::size * w, tile_length = groups * group, length = tile_rows_ * tile_length;
  const Strips strips(tile_rows_);
  const KernelTiles<S>* evaluator = nullptr;
  if constexpr (std::is_same_v<S, T>)
    evaluator = &tiles_;
  else
    evaluator = rough_tiles_ ? &*rough_tiles_ : nullptr;

  const std::lock_guard one_at_a_time(scratch_mutex_);
  const Index buffers = std::min<Index>(strips.count, run.thread_count() + 1);
  const auto needed = static_cast<std::size_t>((buffers + 2) * length);
  if (scratch_size_ < needed) {
    scratch_ = HugeBuffer<T>();  // the old one first
    scratch_ = HugeBuffer<T>(scratch_size_ = needed);
  }
  S* const packed = reinterpret_cast<S*>(scratch_.data());
  S* const total = packed + length;
  std::vector<S*> parts;
  for (Index i = 0; i < buffers; ++i) parts.push_back(total + (i + 1) * length);

  // The vectors by tiles of rows, each tile's groups of w vectors one after the other, padded with
  // zeros in both directions: whatever a tile of K needs is contiguous.
  parallel_for(tile_rows_, run, [&](Index t) {
    S* out = packed + t * tile_length;
    const Index i0 = t * tile::size, rows = std::min(tile::size, n - i0);
    std::fill(out, out + tile_length, S(0));
    std::fill(total + t * tile_length, total + (t + 1) * tile_length, S(0));
    for (Index c = 0; c < b; ++c)
      for (Index i = 0; i < rows; ++i) out[c / w * group + tile::place<S>(i, c % w, w)] = S(v(i0 + i, c));
  });

  OrderedSum<S> sums(total, strips.count, std::move(parts));
  parallel_for(strips.count, run, [&](Index strip) {
    try {
      const Index reach = strips.rows(strip) * tile_length;
      S* const mine = sums.borrow(strip, run);
      std::fill(mine, mine + reach, S(0));
      for (Index t = strips.begin(strip); t < strips.begin(strip + 1); ++t) {
        run.check();
        const auto [i, j] = position_of(t);
        const float* k = stored_.data() + t * tile::floats<T>;
        if (!stored_.data()) {
          const Index i0 = i * tile::size, j0 = j * tile::size;
          const Index rows = std::min(tile::size, n - i0), cols = std::min(tile::size, n - j0);
          S* values = thread_scratch<S>(2 * tile::plane);
          evaluator->evaluate(i0, rows, j0, cols, values);
          float* fresh = reinterpret_cast<float*>(values + tile::plane);
          tile::pack<S>(values, rows, cols, S(scale_), fresh);
          k = fresh;
        }
        for (Index g = 0; g < groups; ++g) {
          const Index at_i = i * tile_length + g * group, at_j = j * tile_length + g * group;
          tile::multiply(k, packed + at_j, mine + at_i, packed + at_i, i == j ? nullptr : mine + at_j);
        }
      }
      sums.give(strip, mine, reach);
    } catch (...) {
      sums.abandon();
      throw;
    }
  });

  parallel_for(tile_rows_, run, [&](Index t) {
    const S* in = total + t * tile_length;
    const Index i0 = t * tile::size, rows = std::min(tile::size, n - i0);
    for (Index c = 0; c < b; ++c)
      for (Index i = 0; i < rows; ++i)
        y(i0 + i, c) = T(double(in[c / w * group + tile::place<S>(i, c % w, w)]) / scale_);
  });
}

template <class T>
void GramOperator<T>::do_apply(const BlockView<T>& v, BlockRef<T> y, const Run& run) const {
  multiply<T>(v, y, run);
}

template <class T>
void GramOperator<T>::do_apply_roughly(const BlockView<T>& v, BlockRef<T> y, const Run& run) const {
  multiply<float>(v, y, run);
}

template class GramOperator<float>;
template class GramOperator<double>;

}  // namespace mercer
