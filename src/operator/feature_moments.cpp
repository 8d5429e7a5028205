// Moments of feature vectors: products of column blocks in the features' type, sums in double.
#include "operator/feature_moments.hpp"

#include "base/linalg.hpp"
#include "base/parallel.hpp"

#include <algorithm>
#include <vector>

namespace mercer {
namespace {

constexpr Index tile = 256;
/// Rows multiplied in T before they are added in double: few enough for float's digits.
constexpr Index strip_rows = 1024;
constexpr Index chunk_rows = 256;

}  // namespace

void FeatureMoments::merge(const FeatureMoments& other) {
  const double a = double(count), b = double(other.count);
  if (b == 0) return;
  scatter.triangularView<Eigen::Lower>() += other.scatter;
  const Vector<double> apart = other.mean - mean;
  if (centered) scatter.selfadjointView<Eigen::Lower>().rankUpdate(apart, a * b / (a + b));
  mean += apart * (b / (a + b));
  count += other.count;
}

FeatureMoments FeatureMoments::padded(Index rank) const {
  FeatureMoments out(rank, centered);
  const Index r = this->rank();
  out.count = count;
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
  const Index chunks = (rows + chunk_rows - 1) / chunk_rows;
  Matrix<double> sums = Matrix<double>::Zero(chunks, r);
  parallel_for(chunks, run, [&](Index c) {
    Vector<T> part = Vector<T>::Zero(r);  // few enough rows for float's digits
    for (Index i = c * chunk_rows; i < std::min(rows, (c + 1) * chunk_rows); ++i) {
      Eigen::Map<Vector<T>> phi(features + i * r, r);
      if (sum_.centered) phi -= shift_;
      part += phi;
    }
    sums.row(c) = part.transpose().template cast<double>();
  });
  for (Index c = 0; c < chunks; ++c) total_ += sums.row(c).transpose();
  add_products(features, rows, run);
}

/// Tiles of the lower triangle: features, row-major, are a column-major r x rows matrix.
template <class T>
void MomentSum<T>::add_products(const T* features, Index rows, const Run& run) {
  struct Position {
    Index row, col;
  };
  const Index r = sum_.rank();
  std::vector<Position> tiles;
  for (Index i = 0; i < r; i += tile)
    for (Index j = 0; j < i; j += tile) tiles.push_back({i, j});
  for (Index i = 0; i < r; i += tile) tiles.push_back({i, i});  // the cheaper ones last
  parallel_for(static_cast<Index>(tiles.size()), run, [&](Index t) {
    const auto [i0, j0] = tiles[static_cast<std::size_t>(t)];
    const Index height = std::min(tile, r - i0), width = std::min(tile, r - j0);
    Block<T> product(height, width);
    auto sum = sum_.scatter.block(i0, j0, height, width);
    for (Index first = 0; first < rows; first += strip_rows) {
      const Index k = std::min(strip_rows, rows - first);
      const T* strip = features + first * r;
      if (i0 == j0) {
        linalg::syrk<T>(linalg::Transpose::no, height, k, 1, strip + i0, r, 0, product.data(), height);
        sum.template triangularView<Eigen::Lower>() += product.template cast<double>();
      } else {
        linalg::gemm<T>(linalg::Transpose::no, linalg::Transpose::yes, height, width, k, 1, strip + i0, r,
                        strip + j0, r, 0, product.data(), height);
        sum += product.template cast<double>();
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

template class MomentSum<float>;
template class MomentSum<double>;
template Vector<double> mean_of(const float*, Index, Index);
template Vector<double> mean_of(const double*, Index, Index);

}  // namespace mercer
