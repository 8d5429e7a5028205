// Moments of feature vectors: products of column blocks in the features' type, sums in double.
#include "model/feature_moments.hpp"

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

void FeatureMoments::move_mean(const Vector<double>& other_mean, Index other_count) {
  const double a = double(count), b = double(other_count);
  if (b == 0) return;
  const Vector<double> apart = other_mean - mean;
  if (centered) scatter.selfadjointView<Eigen::Lower>().rankUpdate(apart, a * b / (a + b));
  mean += apart * (b / (a + b));
  count += other_count;
}

template <class T>
void FeatureMoments::add(T* features, Index rows, const Run& run) {
  const Index r = rank();
  if (rows == 0) return;
  if (r == 0) {
    count += rows;
    return;
  }
  Eigen::Map<Matrix<T>> f(features, rows, r);
  // Column sums of each chunk of rows, added in order: the same for any number of threads.
  const Index chunks = (rows + chunk_rows - 1) / chunk_rows;
  Matrix<double> sums(chunks, r);
  parallel_for(chunks, run, [&](Index c) {
    const Index i0 = c * chunk_rows, size = std::min(chunk_rows, rows - i0);
    sums.row(c).setZero();
    for (Index i = 0; i < size; ++i) sums.row(c) += f.row(i0 + i).template cast<double>();
  });
  Vector<double> chunk_mean = Vector<double>::Zero(r);
  for (Index c = 0; c < chunks; ++c) chunk_mean += sums.row(c).transpose();
  chunk_mean /= double(rows);
  if (centered) {
    const Vector<T> shift = chunk_mean.template cast<T>();
    chunk_mean = shift.template cast<double>();  // exactly what is subtracted
    parallel_for(chunks, run, [&](Index c) {
      const Index i0 = c * chunk_rows, size = std::min(chunk_rows, rows - i0);
      for (Index i = 0; i < size; ++i) f.row(i0 + i) -= shift.transpose();
      sums.row(c).setZero();
      for (Index i = 0; i < size; ++i) sums.row(c) += f.row(i0 + i).template cast<double>();
    });
  }

  // Tiles of the lower triangle: features, row-major, are a column-major r x rows matrix.
  struct Position {
    Index row, col;
  };
  std::vector<Position> tiles;
  for (Index i = 0; i < r; i += tile)
    for (Index j = 0; j <= i; j += tile) tiles.push_back({i, j});
  std::stable_sort(tiles.begin(), tiles.end(), [](const Position& a, const Position& b) {
    return (a.row != a.col) > (b.row != b.col);  // the cheaper ones last
  });
  parallel_for(static_cast<Index>(tiles.size()), run, [&](Index t) {
    const auto [i0, j0] = tiles[static_cast<std::size_t>(t)];
    const Index height = std::min(tile, r - i0), width = std::min(tile, r - j0);
    Block<T> product(height, width);
    for (Index first = 0; first < rows; first += strip_rows) {
      const Index k = std::min(strip_rows, rows - first);
      const T* strip = features + first * r;
      if (i0 == j0) {
        linalg::syrk<T>(linalg::Transpose::no, height, k, 1, strip + i0, r, 0, product.data(), height);
        scatter.block(i0, j0, height, width).template triangularView<Eigen::Lower>() +=
            product.template cast<double>();
      } else {
        linalg::gemm<T>(linalg::Transpose::no, linalg::Transpose::yes, height, width, k, 1, strip + i0, r,
                        strip + j0, r, 0, product.data(), height);
        scatter.block(i0, j0, height, width) += product.template cast<double>();
      }
    }
  });
  if (centered) {
    // The mean that was subtracted is rounded: Σ(φ−m)(φ−m)ᵀ is about m, and φ̄ − m is what is left of the
    // sums.
    Vector<double> left = Vector<double>::Zero(r);
    for (Index c = 0; c < chunks; ++c) left += sums.row(c).transpose();
    left /= double(rows);
    scatter.selfadjointView<Eigen::Lower>().rankUpdate(left, -double(rows));
    chunk_mean += left;
  }
  move_mean(chunk_mean, rows);
}

void FeatureMoments::merge(const FeatureMoments& other) {
  scatter.triangularView<Eigen::Lower>() += other.scatter;
  move_mean(other.mean, other.count);
}

FeatureMoments FeatureMoments::padded(Index rank) const {
  FeatureMoments out(rank, centered);
  const Index r = this->rank();
  out.count = count;
  out.mean.head(r) = mean;
  out.scatter.topLeftCorner(r, r) = scatter;
  return out;
}

template void FeatureMoments::add(float*, Index, const Run&);
template void FeatureMoments::add(double*, Index, const Run&);

}  // namespace mercer
