// Features on landmarks, a chunk of points at a time.
#include "operator/landmark_basis.hpp"

#include "base/linalg.hpp"
#include "base/parallel.hpp"
#include "kernel/tiles.hpp"
#include "operator/pivoted_cholesky.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace mercer {
namespace {

/// Rows that one thread takes at a time: enough for fast products.
constexpr Index basis_part = 512;
/// Rows whose kernel values are made at a time: they stay in cache until they are finished.
constexpr Index tile_rows = 128;

}  // namespace

Block<double> extended_cholesky(const Block<double>& factor, const Block<double>& gram, double least) {
  const Index before = factor.rows(), added = gram.rows() - before;
  // L21 = K21 L11⁻ᵀ, L22 L22ᵀ = K22 − L21 L21ᵀ
  Block<double> corner = gram.topRightCorner(before, added);
  linalg::solve_lower<double>(linalg::Transpose::no, before, added, factor.data(), std::max<Index>(1, before),
                              corner.data(), std::max<Index>(1, before));
  Block<double> rest = gram.bottomRightCorner(added, added);
  if (before > 0) rest -= corner.transpose() * corner;
  Index good = linalg::cholesky(rest);
  for (Index i = 0; i < good; ++i)
    if (!(rest(i, i) * rest(i, i) > least * gram(before + i, before + i))) good = i;
  Block<double> out = Block<double>::Zero(before + good, before + good);
  out.topLeftCorner(before, before) = factor;
  out.bottomLeftCorner(good, before) = corner.leftCols(good).transpose();
  out.bottomRightCorner(good, good) = rest.topLeftCorner(good, good);
  return out;
}

template <class T>
IndependentLandmarks independent_landmarks(const Kernel& kernel, const Samples<T>& landmarks,
                                           const Block<double>& fixed, const Run& run) {
  const Block<double> all = gram<double>(kernel, landmarks.template cast<double>(), run);
  IndependentLandmarks out;
  out.kept.resize(static_cast<std::size_t>(landmarks.rows()));
  std::iota(out.kept.begin(), out.kept.end(), Index(0));
  const double least = cholesky_rounding<T>(landmarks.rows()) / 4;
  while (true) {
    out.factor = extended_cholesky(fixed, all(out.kept, out.kept), least);
    if (out.factor.rows() == static_cast<Index>(out.kept.size())) return out;
    out.kept.erase(out.kept.begin() + out.factor.rows());
  }
}

template <class T>
LandmarkBasis<T>::LandmarkBasis(Kernel kernel, Samples<T> landmarks, Block<double> factor)
    : kernel_(std::move(kernel)),
      landmarks_(std::move(landmarks)),
      factor_(std::move(factor)),
      solver_(factor_) {}

template <class T>
double squared_norm(const T* values, Index count) {
  // Sums whose order does not depend on where the values lie in memory, as Eigen's does.
  constexpr Index piece = 64, lanes = 16;
  double sum = 0;
  for (Index first = 0; first < count; first += piece) {
    const Index end = std::min(first + piece, count);
    std::array<T, lanes> part{};
    Index i = first;
    for (; i + lanes <= end; i += lanes)
      for (std::size_t l = 0; l < lanes; ++l) part[l] += values[i + Index(l)] * values[i + Index(l)];
    for (; i < end; ++i) part[0] += values[i] * values[i];
    sum += std::accumulate(part.begin(), part.end(), 0.0);
  }
  return sum;
}

template <class T>
template <class Finish>
void LandmarkBasis<T>::by_parts(const Samples<T>& points, T* values, double* diagonal, const Run& run,
                                Finish&& finish) const {
  const Index n = points.rows(), r = rank();
  const KernelTiles<T> tiles(kernel_, points, landmarks_), own(kernel_, points);
  parallel_for((n + basis_part - 1) / basis_part, run, [&](Index part) {
    const Index first = part * basis_part, rows = std::min(basis_part, n - first);
    for (Index i = first; i < first + rows && r > 0; i += tile_rows)
      tiles.evaluate(i, std::min(tile_rows, first + rows - i), 0, r, values + i * r);
    Vector<T> whole(rows);
    own.diagonal(first, rows, whole.data());
    if (!whole.allFinite()) throw kernel_overflow(kernel_);
    Eigen::Map<Vector<double>>(diagonal + first, rows) = whole.template cast<double>();
    finish(first, rows);
  });
}

template <class T>
void LandmarkBasis<T>::kernel_values(const Samples<T>& points, T* values, double* diagonal,
                                     const Run& run) const {
  by_parts(points, values, diagonal, run, [](Index, Index) {});
}

template <class T>
void LandmarkBasis<T>::evaluate(const Samples<T>& points, T* features, double* diagonal, double* remaining,
                                const Run& run) const {
  const Index r = rank();
  by_parts(points, features, diagonal, run, [&](Index first, Index rows) {
    if (r > 0) solver_.solve(features + first * r, rows);
    for (Index i = first; i < first + rows; ++i) {
      const double left = diagonal[i] - squared_norm(features + i * r, r);
      if (!std::isfinite(left)) throw kernel_overflow(kernel_);
      remaining[i] = std::max(0.0, left);
    }
  });
}

Error kernel_overflow(const Kernel& kernel) {
  return {ErrorCode::bad_data, fmt::format("kernel {} overflows on this data", kernel.to_string()),
          "scale the inputs (--scale standardize) or choose smaller parameters"};
}

template IndependentLandmarks independent_landmarks(const Kernel&, const Samples<float>&,
                                                    const Block<double>&, const Run&);
template IndependentLandmarks independent_landmarks(const Kernel&, const Samples<double>&,
                                                    const Block<double>&, const Run&);
template double squared_norm(const float*, Index);
template double squared_norm(const double*, Index);
template class LandmarkBasis<float>;
template class LandmarkBasis<double>;

}  // namespace mercer
