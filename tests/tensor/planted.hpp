// Arrays whose decomposition is known, and the error of a decomposition by plain loops.
#pragma once

#include <mercer/error.hpp>
#include <mercer/tensor_algebra.hpp>

#include "decompositions.hpp"
#include "expect_error.hpp"
#include "tensor/random_tensor.hpp"

#include <cmath>
#include <functional>

namespace mercer::test {

template <class T>
Block<T> orthonormal(Index rows, Index cols, std::uint64_t seed) {
  const Block<double> random = random_matrix<double>(rows, cols, seed);
  const Block<double> q =
      Eigen::HouseholderQR<Block<double>>(random).householderQ() * Block<double>::Identity(rows, cols);
  return q.template cast<T>();
}

/// Random core, random orthonormal factors.
template <class T>
Tensor<T> planted_tucker(const Shape& shape, const Shape& ranks, std::uint64_t seed) {
  std::vector<ModeFactor<double>> factors;
  for (std::size_t m = 0; m < shape.size(); ++m)
    factors.push_back({static_cast<Index>(m), orthonormal<double>(shape[m], ranks[m], seed + m)});
  const Tensor<double> x = mode_products<double>(random_tensor<double>(ranks, seed + 20), factors);
  return Tensor<T>(x.shape(), x.values().template cast<T>());
}

/// Entries fall off by `decay` with each index, seen through random orthogonal matrices: each mode's singular
/// values fall off alike.
template <class T>
Tensor<T> decaying(const Shape& shape, double decay, std::uint64_t seed) {
  Tensor<double> core = random_tensor<double>(shape, seed + 20);
  for_each_index(shape, [&](const Shape& i) {
    Index sum = 0;
    for (const Index k : i) sum += k;
    core(i) *= std::pow(decay, double(sum));
  });
  std::vector<ModeFactor<double>> factors;
  for (std::size_t m = 0; m < shape.size(); ++m)
    factors.push_back({static_cast<Index>(m), orthonormal<double>(shape[m], shape[m], seed + m)});
  const Tensor<double> x = mode_products<double>(core, factors);
  return Tensor<T>(x.shape(), x.values().template cast<T>());
}

/// ‖X − Y‖ / ‖X‖
template <class T>
double relative_distance(const TensorView<T>& x, const TensorView<T>& y) {
  double apart = 0, all = 0;
  for_each_index(x.shape(), [&](const Shape& i) {
    const double d = double(x(i)) - double(y(i));
    apart += d * d;
    all += double(x(i)) * double(x(i));
  });
  return all > 0 ? std::sqrt(apart / all) : std::sqrt(apart);
}

/// The samples as rows, entry by entry: the last index moves fastest.
template <class T>
Matrix<T> rows_by_hand(const TensorView<T>& x, Index sample_mode) {
  Matrix<T> out(x.size(sample_mode), x.count() / x.size(sample_mode));
  for_each_index(x.shape(), [&](const Shape& i) {
    Index column = 0;
    for (Index m = 0; m < x.order(); ++m)
      if (m != sample_mode) column = column * x.size(m) + i[static_cast<std::size_t>(m)];
    out(i[static_cast<std::size_t>(sample_mode)], column) = x(i);
  });
  return out;
}

}  // namespace mercer::test
