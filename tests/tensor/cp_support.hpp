// What the tests of CP share: planted factors, arrays with gaps, the definition of MTTKRP, and the match of
// components whose order and signs are free.
#pragma once

#include <mercer/tensor_algebra.hpp>

#include "support.hpp"
#include "tensor/kruskal.hpp"
#include "tensor/random_tensor.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace mercer::test {

/// About this share of the entries is not zero.
template <class T>
Tensor<T> random_with_zeros(const Shape& shape, double share, std::uint64_t seed) {
  Tensor<T> x = random_tensor<T>(shape, seed);
  Random random(seed, 4);
  for (T& value : x.values())
    if (random.uniform() > share) value = 0;
  return x;
}

template <class T>
std::vector<Matrix<T>> random_rows(const Shape& shape, Index rank, std::uint64_t seed) {
  std::vector<Matrix<T>> out;
  for (const Index size : shape)
    out.push_back(padded_rows<T>(Block<T>(random_matrix<T>(size, rank, ++seed))));
  return out;
}

/// X₍ₙ₎ (A_N ⊙ ... ⊙ A_1, n left out), in double.
template <class T>
Block<double> mttkrp_by_definition(const Tensor<T>& x, Index mode, const std::vector<Matrix<T>>& factors,
                                   Index rank) {
  Block<double> k = Block<double>::Ones(1, rank);
  for (Index m = 0; m < x.order(); ++m)
    if (m != mode)
      k = khatri_rao<double>(factors[static_cast<std::size_t>(m)].leftCols(rank).template cast<double>(), k);
  return unfold<T>(x, mode).template cast<double>() * k;
}

/// Columns of unit length and weights.
template <class T>
Kruskal<T> planted(const Shape& shape, const std::vector<double>& weights, std::uint64_t seed,
                   bool nonnegative = false) {
  Kruskal<T> out;
  out.rank = static_cast<Index>(weights.size());
  out.weights = Eigen::Map<const Vector<double>>(weights.data(), out.rank);
  for (Matrix<T>& rows : random_rows<T>(shape, out.rank, seed)) {
    if (nonnegative) rows = rows.cwiseAbs().eval();
    for (Index r = 0; r < out.rank; ++r) rows.col(r) /= rows.col(r).norm();
    out.factors.push_back(rows);
  }
  return out;
}

/// A share of the entries made NaN.
template <class T>
Tensor<T> with_gaps(Tensor<T> x, double share, std::uint64_t seed) {
  Random random(seed, 5);
  for (T& value : x.values())
    if (random.uniform() < share) value = std::numeric_limits<T>::quiet_NaN();
  return x;
}

/// Noise of this size relative to ‖X‖.
template <class T>
Tensor<T> with_noise(Tensor<T> x, double relative, std::uint64_t seed) {
  const Tensor<T> noise = random_tensor<T>(x.shape(), seed);
  x.values() += T(relative * double(x.values().norm()) / double(noise.values().norm())) * noise.values();
  return x;
}

/// The largest difference between the components of two models of unit columns, after matching their order
/// and signs: max over components of ‖rank-one tensor − rank-one tensor‖ / λ.
template <class T>
double component_distance(const Vector<double>& weights, const std::vector<Block<T>>& factors,
                          const Kruskal<T>& truth) {
  double worst = 0;
  for (Index r = 0; r < truth.rank; ++r) {
    double best = 1e9;
    for (Index s = 0; s < weights.size(); ++s) {
      double apart = std::abs(weights[s] / truth.weights[r] - 1), sign = 1;
      for (std::size_t m = 0; m < factors.size(); ++m) {
        const Vector<double> a = factors[m].col(s).template cast<double>();
        const Vector<double> b = truth.factors[m].col(r).template cast<double>();
        sign *= a.dot(b) < 0 ? -1 : 1;
        apart = std::max(apart, std::min((a - b).norm(), (a + b).norm()));
      }
      if (sign > 0) best = std::min(best, apart);
    }
    worst = std::max(worst, best);
  }
  return worst;
}

}  // namespace mercer::test
