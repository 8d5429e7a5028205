// K·V by tiles of the lower triangle, stored or recomputed.
#include "operator/gram_operator.hpp"

#include "base/parallel.hpp"
#include "operator/tile_product.hpp"

#include <fmt/format.h>

#include <algorithm>
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
T* thread_scratch(std::size_t count) {
  thread_local std::vector<T> buffer;
  if (buffer.size() < count) buffer.resize(count);
  return buffer.data();
}

}  // namespace

template <class T>
double GramOperator<T>::bytes(Index n, Index block, Storage storage, int threads) {
  const double tile_rows = std::ceil(double(n) / tile::size), tile_bytes = double(tile::elements) * sizeof(T);
  const double kept = storage == Storage::stored ? tile_rows * (tile_rows + 1) / 2 * tile_bytes : 0;
  const double sums = (0.7 * max_strips + 2) * tile_rows * tile::size * double(block) * sizeof(T);
  return kept + sums + 2 * threads * tile_bytes;
}

template <class T>
void GramOperator<T>::evaluate_packed(Index row, Index col, T* scratch, T* packed) const {
  const Index n = this->size(), i0 = row * tile::size, j0 = col * tile::size;
  const Index rows = std::min(tile::size, n - i0), cols = std::min(tile::size, n - j0);
  tiles_.evaluate(i0, rows, j0, cols, scratch);
  tile::pack(scratch, rows, cols, packed);
}

template <class T>
GramOperator<T>::GramOperator(const Kernel& kernel, const Samples<T>& samples, Storage storage,
                              const Run& run)
    : SymmetricOperator<T>(samples.rows()),
      tiles_(kernel, samples),
      tile_rows_((samples.rows() + tile::size - 1) / tile::size) {
  const Index n = samples.rows();
  const Strips strips(tile_rows_);
  if (storage == Storage::stored)
    stored_ = HugeBuffer<T>(static_cast<std::size_t>(strips.tiles * tile::elements));

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
      T* values = thread_scratch<T>(tile::elements);
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
      if (!std::isfinite(s.squares))
        throw Error(ErrorCode::bad_data,
                    fmt::format("kernel {} overflows between rows {}..{} and {}..{}", kernel.to_string(), i0,
                                i0 + rows - 1, j0, j0 + cols - 1),
                    "scale the inputs (--scale standardize) or choose smaller parameters");
      if (storage == Storage::stored) tile::pack(values, rows, cols, stored_.data() + t * tile::elements);
      const Index finished = ++done;
      if (omp_get_thread_num() == 0) run.report("kernel matrix", double(finished) / double(strips.tiles));
    }
  });
  row_sums_ = Vector<double>::Zero(n);
  for (const auto& part : row_sums) row_sums_ += part;
  for (const Sums& s : sums) trace_ += s.trace, frobenius_squared_ += s.squares;
}

template <class T>
void GramOperator<T>::do_apply(const BlockView<T>& v, BlockRef<T> y, const Run& run) const {
  const Index n = this->size(), b = v.cols(), w = tile::width<T>(), groups = (b + w - 1) / w;
  const Index padded = tile_rows_ * tile::size, group_stride = padded * w;
  const Strips strips(tile_rows_);

  // Row-major groups of w vectors, padded with zeros in both directions.
  std::vector<T> packed_v(static_cast<std::size_t>(groups * group_stride), T(0));
  for (Index g = 0; g < groups; ++g)
    for (Index c = 0; c < std::min(w, b - g * w); ++c)
      for (Index i = 0; i < n; ++i)
        packed_v[static_cast<std::size_t>(g * group_stride + i * w + c)] = v(i, g * w + c);

  std::vector<std::vector<T>> sums(static_cast<std::size_t>(strips.count));
  parallel_for(strips.count, run, [&](Index strip) {
    const Index reach = strips.rows(strip) * tile::size * w;
    std::vector<T>& mine = sums[static_cast<std::size_t>(strip)];
    mine.assign(static_cast<std::size_t>(groups * reach), T(0));
    for (Index t = strips.begin(strip); t < strips.begin(strip + 1); ++t) {
      run.check();
      const auto [row, col] = position_of(t);
      const T* k = stored_.data() + t * tile::elements;
      if (!stored_.data()) {
        T* scratch = thread_scratch<T>(2 * tile::elements);
        evaluate_packed(row, col, scratch, scratch + tile::elements);
        k = scratch + tile::elements;
      }
      for (Index g = 0; g < groups; ++g) {
        const T* vg = packed_v.data() + g * group_stride;
        T* yg = mine.data() + g * reach;
        const Index i0 = row * tile::size * w, j0 = col * tile::size * w;
        tile::multiply<T>(k, vg + j0, yg + i0, vg + i0, row == col ? nullptr : yg + j0);
      }
    }
  });

  parallel_for(tile_rows_, run, [&](Index row) {
    const Index i0 = row * tile::size, rows = std::min(tile::size, n - i0);
    for (Index g = 0; g < groups; ++g) {
      std::vector<T> total(static_cast<std::size_t>(tile::size * w), T(0));
      for (Index strip = 0; strip < strips.count; ++strip) {
        const Index reach = strips.rows(strip) * tile::size * w;
        if (i0 * w >= reach) continue;
        const T* part = sums[static_cast<std::size_t>(strip)].data() + g * reach + i0 * w;
        for (Index p = 0; p < tile::size * w; ++p) total[static_cast<std::size_t>(p)] += part[p];
      }
      for (Index c = 0; c < std::min(w, b - g * w); ++c)
        for (Index i = 0; i < rows; ++i) y(i0 + i, g * w + c) = total[static_cast<std::size_t>(i * w + c)];
    }
  });
}

template class GramOperator<float>;
template class GramOperator<double>;

}  // namespace mercer
