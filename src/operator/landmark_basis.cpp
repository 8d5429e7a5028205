// Features on landmarks, a chunk of points at a time.
#include "operator/landmark_basis.hpp"

#include "base/linalg.hpp"
#include "base/parallel.hpp"
#include "kernel/tiles.hpp"
#include "operator/gram_rounding.hpp"
#include "operator/pivoted_cholesky.hpp"
#include "operator/probed_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace mercer {
namespace {

/// Rows that one thread takes at a time: enough for fast products.
constexpr Index basis_part = 512;
/// Rows whose kernel values are made at a time: they stay in cache until they are finished.
constexpr Index tile_rows = 128;
/// Columns of L⁻¹ that one thread makes at a time.
constexpr Index inverse_columns = 64;
/// L⁻¹ may be so much larger than its pivots alone explain, and nothing needs to be explained below the
/// second.
constexpr double most_growth = 32;
template <class T>
constexpr double harmless_enlargement = std::is_same_v<T, float> ? 30 : 1e4;

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

Vector<double> enlargement(const Block<double>& factor, const Run& run) {
  const Index r = factor.rows(), parts = (r + inverse_columns - 1) / inverse_columns;
  const Vector<double> scale = factor.rowwise().norm();
  Block<double> squares = Block<double>::Zero(r, parts);  // a column for each part, added in order
  parallel_for(parts, run, [&](Index part) {
    const Index first = part * inverse_columns, count = std::min(inverse_columns, r - first),
                rest = r - first;
    Block<double> columns = Block<double>::Zero(rest, count);  // L⁻¹ is lower triangular, too
    columns.diagonal() = scale.segment(first, count);
    linalg::solve_lower<double>(linalg::Transpose::no, rest, count, factor.data() + first * (r + 1), r,
                                columns.data(), rest);
    squares.col(part).tail(rest) = columns.rowwise().squaredNorm();
  });
  return squares.rowwise().sum().cwiseSqrt();
}

double feature_rounding(double of_element, const Vector<double>& squared_columns, double diagonal_sum,
                        const Block<double>& factor, const Run& run) {
  const Vector<double> g = enlargement(factor, run);
  return 4 * of_element * std::sqrt(diagonal_sum) *
         std::sqrt(g.cwiseAbs2().dot(squared_columns.cwiseMax(0.0)));
}

double factor_rounding(double of_element, const FeatureMoments& moments, const Block<double>& factor) {
  const Index r = factor.rows();
  const Vector<double> d = factor.rowwise().norm();
  const ProbedSize size = probed_size(r, [&](Block<double>& x) {  // X := AᵀAX
    x = d.asDiagonal() * x;
    linalg::solve_lower<double>(linalg::Transpose::no, r, x.cols(), factor.data(), r, x.data(), r);
    Block<double> image = moments.scatter.selfadjointView<Eigen::Lower>() * x;
    if (moments.centered)
      image += moments.mean * (double(moments.count) * moments.mean.transpose() * x).eval();
    x = std::move(image);
    linalg::solve_lower<double>(linalg::Transpose::yes, r, x.cols(), factor.data(), r, x.data(), r);
    x = d.asDiagonal() * x;
  });
  return of_element * std::sqrt(size.largest * size.trace);
}

template <class T>
double element_rounding(double of_kernel_values, Index rank) {
  return of_kernel_values + double(std::numeric_limits<T>::epsilon()) * std::sqrt(double(rank)) / 4;
}

namespace {

/// By complete pivoting of what is new in the landmarks after the fixed ones, relative to their diagonals.
IndependentLandmarks by_complete_pivoting(const Block<double>& fixed, const Block<double>& all,
                                          double least) {
  const Index before = fixed.rows(), added = all.rows() - before;
  Block<double> corner = all.topRightCorner(before, added);
  linalg::solve_lower<double>(linalg::Transpose::no, before, added, fixed.data(), std::max<Index>(1, before),
                              corner.data(), std::max<Index>(1, before));
  Block<double> rest = all.bottomRightCorner(added, added);
  if (before > 0) rest -= corner.transpose() * corner;
  const Vector<double> scale =
      (all.diagonal().tail(added).array() > 0).select(all.diagonal().tail(added), 1.0).cwiseSqrt();
  const Vector<double> inverse = scale.cwiseInverse();
  rest = (inverse.asDiagonal() * rest * inverse.asDiagonal()).eval();
  const linalg::PivotOrder found = linalg::pivoted_cholesky(rest, least);
  IndependentLandmarks out;
  out.kept.resize(static_cast<std::size_t>(before));
  std::iota(out.kept.begin(), out.kept.end(), Index(0));
  out.factor = Block<double>::Zero(before + found.rank, before + found.rank);
  out.factor.topLeftCorner(before, before) = fixed;
  for (Index i = 0; i < found.rank; ++i) {
    const Index place = found.order[static_cast<std::size_t>(i)];
    out.kept.push_back(before + place);
    out.factor.row(before + i).head(before) = corner.col(place).transpose();
    out.factor.row(before + i).segment(before, i + 1) = scale[place] * rest.row(i).head(i + 1);
  }
  return out;
}

/// Small pivots multiply where the rows are in an unlucky order: then L⁻¹ is far larger than 1/L_pp.
template <class T>
bool is_tame(const Block<double>& factor, const Run& run) {
  if (factor.rows() == 0) return true;
  const Vector<double> alone = factor.rowwise().norm().cwiseQuotient(factor.diagonal());
  return enlargement(factor, run).maxCoeff() <=
         std::max(harmless_enlargement<T>, most_growth * alone.maxCoeff());
}

}  // namespace

template <class T>
IndependentLandmarks independent_landmarks(const Kernel& kernel, const Samples<T>& landmarks,
                                           const Block<double>& fixed, const Run& run) {
  const Block<double> all = gram<double>(kernel, landmarks.template cast<double>(), run);
  if (!all.allFinite()) throw kernel_overflow(kernel);
  const double least = cholesky_rounding<T>(landmarks.rows()) + gram_rounding<T>(kernel, landmarks).relative;
  IndependentLandmarks out;
  out.factor = extended_cholesky(fixed, all, least);
  if (out.factor.rows() == landmarks.rows() && is_tame<T>(out.factor, run)) {
    out.kept.resize(static_cast<std::size_t>(landmarks.rows()));
    std::iota(out.kept.begin(), out.kept.end(), Index(0));
    return out;
  }
  return by_complete_pivoting(fixed, all, 4 * least);
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
template double element_rounding<float>(double, Index);
template double element_rounding<double>(double, Index);
template double squared_norm(const float*, Index);
template double squared_norm(const double*, Index);
template class LandmarkBasis<float>;
template class LandmarkBasis<double>;

}  // namespace mercer
