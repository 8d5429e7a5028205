// The whole kernel matrix, for those who want to see it, and the checks on data before any work.
#include "base/parallel.hpp"
#include "kernel/tiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

constexpr Index tile_size = 256;

template <class T>
Matrix<T> gram_of(const KernelTiles<T>& tiles, const Run& run) {
  const Index n = tiles.rows(), m = tiles.cols(), row_tiles = (n + tile_size - 1) / tile_size,
              col_tiles = (m + tile_size - 1) / tile_size;
  Matrix<T> out(n, m);
  parallel_for(row_tiles * col_tiles, run, [&](Index t) {
    const Index i0 = t / col_tiles * tile_size, j0 = t % col_tiles * tile_size;
    const Index rows = std::min(tile_size, n - i0), cols = std::min(tile_size, m - j0);
    std::vector<T> tile(static_cast<std::size_t>(rows * cols));
    tiles.evaluate(i0, rows, j0, cols, tile.data());
    out.block(i0, j0, rows, cols) = Eigen::Map<const Matrix<T>>(tile.data(), rows, cols);
  });
  return out;
}

template <class T>
void require_symmetric(const Samples<T>& k) {
  if (k.rows() != k.cols())
    throw Error(ErrorCode::bad_data,
                fmt::format("a precomputed kernel matrix must be square, not {} x {}", k.rows(), k.cols()));
  const Samples<T> whole = k.is_sparse() ? Samples<T>(k.to_dense()) : k;
  const auto m = whole.dense();
  const T largest = m.size() ? m.cwiseAbs().maxCoeff() : T(0);
  const T tolerance = std::is_same_v<T, float> ? T(1e-5) : T(1e-10);
  for (Index i = 0; i < m.rows(); ++i)
    for (Index j = 0; j < i; ++j)
      if (std::abs(m(i, j) - m(j, i)) > tolerance * largest)
        throw Error(
            ErrorCode::bad_data,
            fmt::format("the precomputed kernel matrix is not symmetric: K[{},{}] = {} but K[{},{}] = {}", i,
                        j, m(i, j), j, i, m(j, i)),
            "a kernel has k(x, y) = k(y, x); (K + Kᵀ)/2 is symmetric");
}

template <class T>
void require_non_negative(const Samples<T>& samples, const Kernel& kernel) {
  const auto fail = [&](Index row, Index col, T value) {
    throw Error(ErrorCode::bad_data,
                fmt::format("kernel {} needs values >= 0, but row {}, column {} is {}", kernel.to_string(),
                            row, col, value),
                "chi² kernels compare histograms; rows and columns count from 0");
  };
  if (!samples.is_sparse()) {
    const auto m = samples.dense();
    for (Index i = 0; i < m.rows(); ++i)
      for (Index j = 0; j < m.cols(); ++j)
        if (m(i, j) < 0) fail(i, j, m(i, j));
    return;
  }
  const auto s = samples.sparse();
  for (Index i = 0; i < s.rows(); ++i)
    for (auto p = s.outerIndexPtr()[i]; p < s.outerIndexPtr()[i + 1]; ++p)
      if (s.valuePtr()[p] < 0) fail(i, s.innerIndexPtr()[p], s.valuePtr()[p]);
}

/// ‖x‖² that overflows leaves inf − inf of ‖x−y‖². For the cosine it must not underflow either: x·x would be
/// 0.
template <class T>
void require_lengths(const Samples<T>& samples, const Kernel& kernel, bool cosine) {
  using Limits = std::numeric_limits<T>;
  const double least = cosine ? std::sqrt(double(Limits::min()) / double(Limits::epsilon())) : 0,
               most = std::sqrt(double(Limits::max()) / double(8 * std::max<Index>(1, samples.cols())));
  const auto look = [&](Index row, double largest) {
    if (largest == 0 || (largest >= least && largest <= most)) return;
    throw Error(ErrorCode::bad_data,
                fmt::format("kernel {} needs the length of row {}, and squares of its numbers ({:.3g}) {}",
                            kernel.to_string(), row, largest, largest < least ? "underflow" : "overflow"),
                cosine ? "rows count from 0; multiply the data by a constant: the cosine does not change"
                       : "rows count from 0; scale the inputs (--scale standardize)");
  };
  if (!samples.is_sparse()) {
    const auto m = samples.dense();
    for (Index i = 0; m.cols() > 0 && i < m.rows(); ++i) look(i, double(m.row(i).cwiseAbs().maxCoeff()));
    return;
  }
  const auto s = samples.sparse();
  for (Index i = 0; i < s.rows(); ++i) {
    double largest = 0;
    for (auto p = s.outerIndexPtr()[i]; p < s.outerIndexPtr()[i + 1]; ++p)
      largest = std::max(largest, std::abs(double(s.valuePtr()[p])));
    look(i, largest);
  }
}

}  // namespace

template <class T>
void Kernel::check_data(const Samples<T>& samples) const {
  if (is_precomputed()) require_symmetric(samples);
  if (primitives_of(*this).has(Primitive::chi2)) require_non_negative(samples, *this);
  const bool cosine = primitives_of(*this).has(Primitive::cosine);
  if (cosine || primitives_of(*this).has(Primitive::sqdist)) require_lengths(samples, *this, cosine);
}

template <class T>
Matrix<T> gram(const Kernel& kernel, const Samples<T>& x, const Samples<T>& y, const Run& run) {
  return gram_of(KernelTiles<T>(kernel, x, y), run);
}

template <class T>
Matrix<T> gram(const Kernel& kernel, const Samples<T>& x, const Run& run) {
  const KernelTiles<T> tiles(kernel, x);
  const Index n = tiles.rows(), tile_rows = (n + tile_size - 1) / tile_size;
  Matrix<T> out(n, n);
  parallel_for(tile_rows * tile_rows, run, [&](Index t) {  // the lower triangle, mirrored
    const Index i0 = t / tile_rows * tile_size, j0 = t % tile_rows * tile_size;
    if (j0 > i0) return;
    const Index rows = std::min(tile_size, n - i0), cols = std::min(tile_size, n - j0);
    std::vector<T> values(static_cast<std::size_t>(rows * cols));
    if (i0 == j0)
      tiles.evaluate_diagonal(i0, rows, values.data());
    else
      tiles.evaluate(i0, rows, j0, cols, values.data());
    const Eigen::Map<const Matrix<T>> tile(values.data(), rows, cols);
    out.block(i0, j0, rows, cols) = tile;
    if (i0 != j0) out.block(j0, i0, cols, rows) = tile.transpose();
  });
  return out;
}

#define MERCER_INSTANTIATE(T)                                                               \
  template void Kernel::check_data(const Samples<T>&) const;                                \
  template Matrix<T> gram(const Kernel&, const Samples<T>&, const Samples<T>&, const Run&); \
  template Matrix<T> gram(const Kernel&, const Samples<T>&, const Run&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
