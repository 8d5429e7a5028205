// Features on landmarks, a chunk of points at a time.
#include "operator/landmark_basis.hpp"

#include "base/linalg.hpp"
#include "base/parallel.hpp"
#include "kernel/tiles.hpp"
#include "operator/pivoted_cholesky.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer {
namespace {

/// Rows that one thread takes at a time: enough for fast products.
constexpr Index part_rows = 512;
/// Rows whose kernel values are made at a time: they stay in cache until they are finished.
constexpr Index tile_rows = 128;

/// In T a piece at a time: few enough for float's digits.
template <class T>
double squared_norm(const T* values, Index count) {
  constexpr Index piece = 64;
  double sum = 0;
  for (Index i = 0; i < count; i += piece) {
    const Eigen::Map<const Vector<T>> some(values + i, std::min(piece, count - i));
    sum += double(some.squaredNorm());
  }
  return sum;
}

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
void LandmarkBasis<T>::evaluate(const Samples<T>& points, T* features, double* diagonal, double* remaining,
                                const Run& run) const {
  const Index n = points.rows(), r = rank();
  const KernelTiles<T> tiles(kernel_, points, landmarks_), own(kernel_, points);
  parallel_for((n + part_rows - 1) / part_rows, run, [&](Index part) {
    const Index i0 = part * part_rows, rows = std::min(part_rows, n - i0);
    T* phi = features + i0 * r;
    for (Index i = 0; i < rows && r > 0; i += tile_rows)
      tiles.evaluate(i0 + i, std::min(tile_rows, rows - i), 0, r, phi + i * r);
    if (r > 0) solver_.solve(phi, rows);
    Vector<T> values(rows);
    own.diagonal(i0, rows, values.data());
    Eigen::Map<Vector<double>>(diagonal + i0, rows) = values.template cast<double>();
    for (Index i = 0; i < rows; ++i) {
      const double left = diagonal[i0 + i] - squared_norm(phi + i * r, r);
      if (!std::isfinite(left))
        throw Error(ErrorCode::bad_data, fmt::format("kernel {} overflows on this data", kernel_.to_string()),
                    "scale the inputs (--scale standardize) or choose smaller parameters");
      remaining[i0 + i] = std::max(0.0, left);
    }
  });
}

template <class T>
FeaturePass<T>::FeaturePass(const LandmarkBasis<T>& basis, bool center, std::vector<Index> prefixes)
    : basis_(basis), center_(center), prefixes_(std::move(prefixes)), prefix_traces_(prefixes_.size(), 0.0) {}

template <class T>
void FeaturePass<T>::add(const Samples<T>& points, const Run& run) {
  const Index r = basis_.rank();
  for (Index first = 0; first < points.rows(); first += feature_rows) {
    const Index count = std::min(feature_rows, points.rows() - first);
    const auto needed = static_cast<std::size_t>(count * r);
    if (features_.size() < needed) features_.resize(needed);
    const std::size_t seen = diagonal_.size();
    diagonal_.resize(seen + static_cast<std::size_t>(count));
    remaining_.resize(diagonal_.size());
    basis_.evaluate(points.middle_rows(first, count), features_.data(), diagonal_.data() + seen,
                    remaining_.data() + seen, run);
    for (Index i = 0; i < count; ++i)
      for (std::size_t p = 0; p < prefixes_.size(); ++p)
        prefix_traces_[p] += std::max(0.0, diagonal_[seen + static_cast<std::size_t>(i)] -
                                               squared_norm(features_.data() + i * r, prefixes_[p]));
    if (!moments_) moments_.emplace(center_, mean_of(features_.data(), count, r));
    moments_->add(features_.data(), count, run);
    run.check();
  }
}

template <class T>
FeatureMoments FeaturePass<T>::moments() const {
  return moments_ ? moments_->result() : FeatureMoments(basis_.rank(), center_);
}

template IndependentLandmarks independent_landmarks(const Kernel&, const Samples<float>&,
                                                    const Block<double>&, const Run&);
template IndependentLandmarks independent_landmarks(const Kernel&, const Samples<double>&,
                                                    const Block<double>&, const Run&);
template class LandmarkBasis<float>;
template class LandmarkBasis<double>;
template class FeaturePass<float>;
template class FeaturePass<double>;

}  // namespace mercer
