// Moments of feature vectors: products of column blocks in the features' type, sums in double.
#include "operator/feature_moments.hpp"

#include "base/linalg.hpp"
#include "base/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace mercer {
namespace {

/// Columns of the scatter multiplied at a time, at most: enough for BLAS to run at its full speed.
constexpr Index widest_tile = 512;
/// Rows multiplied in T before they are added in double: few enough for float's digits.
constexpr Index strip_rows = 2048;
constexpr Index moment_rows = 256;

}  // namespace

void FeatureMoments::merge(const FeatureMoments& other) {
  const double a = double(count), b = double(other.count);
  if (b == 0) return;
  scatter.triangularView<Eigen::Lower>() += other.scatter;
  const Vector<double> apart = other.mean - mean;
  if (centered) scatter.selfadjointView<Eigen::Lower>().rankUpdate(apart, a * b / (a + b));
  mean += apart * (b / (a + b));
  count += other.count;
  rounding += other.rounding;
  trace_rounding += other.trace_rounding;
}

FeatureMoments FeatureMoments::padded(Index rank) const {
  FeatureMoments out(rank, centered);
  const Index r = this->rank();
  out.count = count;
  out.rounding = rounding;
  out.trace_rounding = trace_rounding;
  out.mean.head(r) = mean;
  out.scatter.topLeftCorner(r, r) = scatter;
  return out;
}

template <class T>
Vector<double> mean_of(const T* features, Index rows, Index rank) {
  Vector<double> sum = Vector<double>::Zero(rank);
  for (Index i = 0; i < rows; ++i)
    sum += Eigen::Map<const Vector<T>>(features + i * rank, rank).template cast<double>();
  return sum / double(std::max<Index>(1, rows));
}

template <class T>
MomentSum<T>::MomentSum(bool center, const Vector<double>& near_mean)
    : sum_(near_mean.size(), center),
      shift_(center ? Vector<T>(near_mean.template cast<T>()) : Vector<T>::Zero(near_mean.size())),
      total_(Vector<double>::Zero(near_mean.size())) {}

template <class T>
void MomentSum<T>::add(T* features, Index rows, const Run& run) {
  const Index r = sum_.rank();
  sum_.count += rows;
  if (rows == 0 || r == 0) return;
  // Column sums of each chunk of rows, added in order: the same for any number of threads.
  const Index chunks = (rows + moment_rows - 1) / moment_rows;
  Matrix<double> sums = Matrix<double>::Zero(chunks, r);
  parallel_for(chunks, run, [&](Index c) {
    Vector<T> part = Vector<T>::Zero(r);  // few enough rows for float's digits
    for (Index i = c * moment_rows; i < std::min(rows, (c + 1) * moment_rows); ++i) {
      Eigen::Map<Vector<T>> phi(features + i * r, r);
      if (sum_.centered) phi -= shift_;
      part += phi;
    }
    sums.row(c) = part.transpose().template cast<double>();
  });
  for (Index c = 0; c < chunks; ++c) total_ += sums.row(c).transpose();
  add_products(features, rows, run);
}

/// Tiles of the lower triangle: features, row-major, are a column-major r x rows matrix. Strips are
/// multiplied at the same time, so that few large tiles keep all threads busy, and added in order.
template <class T>
void MomentSum<T>::add_products(const T* features, Index rows, const Run& run) {
  struct Item {
    Index row, col, strip;
  };
  const Index r = sum_.rank(), across = (r + widest_tile - 1) / widest_tile;
  const Index tile = (r + 16 * across - 1) / (16 * across) * 16;
  const Index strips = (rows + strip_rows - 1) / strip_rows;
  std::vector<Item> items;
  for (Index i = 0; i < r; i += tile)
    for (Index j = 0; j < i; j += tile)
      for (Index s = 0; s < strips; ++s) items.push_back({i, j, s});
  for (Index i = 0; i < r; i += tile)  // the cheaper ones last
    for (Index s = 0; s < strips; ++s) items.push_back({i, i, s});
  products_.resize(items.size());
  parallel_for(static_cast<Index>(items.size()), run, [&](Index t) {
    const auto [i0, j0, s] = items[static_cast<std::size_t>(t)];
    const Index height = std::min(tile, r - i0), width = std::min(tile, r - j0);
    const Index first = s * strip_rows, k = std::min(strip_rows, rows - first);
    const T* strip = features + first * r;
    Block<T>& product = products_[static_cast<std::size_t>(t)];
    product.resize(height, width);
    if (i0 == j0)
      linalg::syrk<T>(linalg::Transpose::no, height, k, 1, strip + i0, r, 0, product.data(), height);
    else
      linalg::gemm<T>(linalg::Transpose::no, linalg::Transpose::yes, height, width, k, 1, strip + i0, r,
                      strip + j0, r, 0, product.data(), height);
  });
  parallel_for(static_cast<Index>(items.size()) / strips, run, [&](Index which) {
    for (Index s = 0; s < strips; ++s) {
      const auto t = static_cast<std::size_t>(which * strips + s);
      const auto [i0, j0, strip] = items[t];
      const Block<T>& product = products_[t];
      for (Index c = 0; c < product.cols(); ++c) {
        const Index top = i0 == j0 ? c : 0, size = product.rows() - top;
        sum_.scatter.col(j0 + c).segment(i0 + top, size) += product.col(c).tail(size).template cast<double>();
      }
    }
  });
}

template <class T>
FeatureMoments MomentSum<T>::result() const {
  FeatureMoments out = sum_;
  if (out.count == 0) return out;
  const Vector<double> from_shift = total_ / double(out.count);
  out.mean = shift_.template cast<double>() + from_shift;
  if (out.centered)
    out.scatter.template selfadjointView<Eigen::Lower>().rankUpdate(from_shift, -double(out.count));
  return out;
}

template <class T>
double MomentSum<T>::relative_rounding(Index count, bool center) {
  const double strips = std::max(1.0, double(count) / double(strip_rows));
  const double products = center ? 0.25 + 0.5 / std::sqrt(strips) : 4;
  return double(std::numeric_limits<T>::epsilon()) * products +
         std::numeric_limits<double>::epsilon() * std::sqrt(strips) / 4;
}

template class MomentSum<float>;
template class MomentSum<double>;
template Vector<double> mean_of(const float*, Index, Index);
template Vector<double> mean_of(const double*, Index, Index);

}  // namespace mercer
