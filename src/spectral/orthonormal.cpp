// Orthonormal blocks, robust against dependent and vanishing columns.
#include "spectral/orthonormal.hpp"

#include "base/linalg.hpp"

#include <mercer/error.hpp>

#include <Eigen/Cholesky>

#include <cmath>

namespace mercer {
namespace {

/// w = Q R; w becomes Q. By the Cholesky factor of wᵀw, which is quick and works on all threads but
/// squares the condition number; where columns are nearly dependent, by Householder reflections.
template <class T>
Block<double> factorize(BlockRef<T> w) {
  constexpr double dependent = std::is_same_v<T, float> ? 1e-1 : 1e-5;  // sine of the smallest angle
  const Block<double> gram = linalg::transposed_times<T>(w, w).template cast<double>();
  const Vector<double> length = gram.diagonal().cwiseSqrt();
  if (length.minCoeff() > 0 && length.allFinite()) {
    const Vector<double> inverse = length.cwiseInverse();
    const Eigen::LLT<Eigen::MatrixXd> cholesky(inverse.asDiagonal() * gram * inverse.asDiagonal());
    if (cholesky.info() == Eigen::Success && cholesky.matrixLLT().diagonal().minCoeff() > dependent) {
      const Block<double> factor = Block<double>(cholesky.matrixU()) * length.asDiagonal();
      const Block<double> unit =
          factor.triangularView<Eigen::Upper>().solve(Block<double>::Identity(w.cols(), w.cols()));
      linalg::multiply_right<T>(w, unit.cast<T>().eval());
      return factor;
    }
  }
  return linalg::qr<T>(w).template cast<double>();
}

}  // namespace

template <class T>
void fill_random(BlockRef<T> w, Random& random) {
  for (Index c = 0; c < w.cols(); ++c)
    for (Index i = 0; i < w.rows(); ++i) w(i, c) = T(random.normal());
}

template <class T>
Block<T> project_out(const BlockView<T>& basis, BlockRef<T> w) {
  Block<T> coefficients = linalg::transposed_times<T>(basis, w);
  linalg::add_product<T>(-1, basis, coefficients, w);
  return coefficients;
}

template <class T>
Block<double> orthonormalize(const BlockView<T>& basis, BlockRef<T> w, double negligible, Random& random) {
  const Index b = w.cols();
  Block<double> factor = factorize<T>(w);
  const auto renew = [&](Index c) {
    fill_random<T>(w.col(c), random);
    w.col(c).normalize();
    factor.row(c).setZero();
  };
  for (Index c = 0; c < b; ++c)
    if (!(std::abs(factor(c, c)) > negligible)) renew(c);
  for (int attempt = 0; attempt < 30; ++attempt) {
    project_out<T>(basis, w);
    const Block<double> step = factorize<T>(w);
    factor = (step * factor).eval();
    bool settled = true;
    for (Index c = 0; c < b; ++c) {
      const double kept = std::abs(step(c, c));  // of a unit vector, after the projection
      settled &= kept > 0.5;
      if (!(kept > 1e-3)) renew(c);  // it lay in the basis: noise, not a direction
    }
    if (settled) return factor;
  }
  throw Error(ErrorCode::internal, "no further orthogonal direction was found");
}

template <class T>
void make_orthonormal(Block<T>& directions, std::uint64_t seed) {
  if (directions.cols() == 0) return;
  Block<double> u = directions.template cast<double>();
  Random random(seed);
  (void)orthonormalize<double>(BlockView<double>(u.leftCols(0)), u, 0, random);
  directions = u.template cast<T>();
}

template <class T>
void fix_signs(BlockRef<T> vectors) {
  const T slack = T(1) - (std::is_same_v<T, float> ? T(1e-4) : T(1e-9));
  for (Index c = 0; c < vectors.cols(); ++c) {
    auto v = vectors.col(c);
    const T largest = v.size() ? v.cwiseAbs().maxCoeff() : T(0);
    for (Index i = 0; i < v.size(); ++i) {
      if (std::abs(v[i]) < slack * largest) continue;
      if (v[i] < 0) v = -v;
      break;
    }
  }
}

#define MERCER_INSTANTIATE(T)                                                               \
  template void fill_random(BlockRef<T>, Random&);                                          \
  template Block<T> project_out(const BlockView<T>&, BlockRef<T>);                          \
  template Block<double> orthonormalize(const BlockView<T>&, BlockRef<T>, double, Random&); \
  template void make_orthonormal(Block<T>&, std::uint64_t);                                 \
  template void fix_signs(BlockRef<T>);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
