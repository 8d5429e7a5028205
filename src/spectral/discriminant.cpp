// Directions of discriminants from a Cholesky factor, or from an eigendecomposition for many ridges.
#include "spectral/discriminant.hpp"

#include "base/linalg.hpp"
#include "base/parallel.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

/// u and λ of the c x c problem S u = λu, the leading ones, without what is rounding alone.
struct Small {
  Vector<double> values;
  Block<double> vectors;
  double trace;
};

Small solve_small(Block<double> matrix, Index count) {
  Small out{{}, {}, matrix.trace()};
  Vector<double> ascending;
  linalg::syevd(matrix, ascending);
  const Index c = ascending.size();
  // M̄ is the mean of the M_j, so that one λ is zero; so are those of means that depend on others.
  const double largest = c > 0 ? std::max(0.0, ascending[c - 1]) : 0;
  const double threshold = 16 * double(c) * std::numeric_limits<double>::epsilon() * largest;
  Index kept = 0;
  while (kept < std::min(count, c - 1) && ascending[c - 1 - kept] > threshold) ++kept;
  out.values = ascending.tail(kept).reverse();
  out.vectors = matrix.rightCols(kept).rowwise().reverse();
  return out;
}

}  // namespace

Block<double> between_factor(const Block<double>& means, const std::vector<Index>& sizes) {
  const auto c = static_cast<Index>(sizes.size());
  Vector<double> weights(c);
  for (Index j = 0; j < c; ++j) weights[j] = double(sizes[static_cast<std::size_t>(j)]);
  const Vector<double> middle = means * (weights / weights.sum());
  Block<double> out = means;
  out.colwise() -= middle;
  return out * weights.cwiseSqrt().asDiagonal();
}

RidgeCholesky::RidgeCholesky(Block<double> within, double ridge) : factor_(std::move(within)), ridge_(ridge) {
  const Index p = factor_.rows();
  const double mean = p > 0 ? factor_.trace() / double(p) : 0;
  factor_.diagonal().array() += ridge;
  if (linalg::cholesky(factor_) < p)
    throw Error(
        ErrorCode::usage,
        fmt::format("a ridge of {:.3g} is lost in rounding beside the scatter within classes, whose mean "
                    "eigenvalue is {:.3g}",
                    ridge, mean),
        fmt::format("try --ridge {:.0e}", mean * 1e-8));
}

DiscriminantDirections RidgeCholesky::solve(const Block<double>& between, Index count) const {
  const Index p = factor_.rows();
  Block<double> y = between;
  linalg::solve_lower<double>(linalg::Transpose::no, p, y.cols(), factor_.data(), p, y.data(), p);
  const Small small = solve_small(linalg::transposed_times<double>(y, y), count);
  DiscriminantDirections out{small.values, y * small.vectors, small.trace};
  out.vectors *= small.values.cwiseSqrt().cwiseInverse().asDiagonal();
  linalg::solve_lower<double>(linalg::Transpose::yes, p, out.vectors.cols(), factor_.data(), p,
                              out.vectors.data(), p);
  return out;
}

Vector<double> RidgeCholesky::residuals(const DiscriminantDirections& found, const Block<double>& between,
                                        const Block<double>& images) const {
  const Index p = factor_.rows();
  Block<double> r = between * linalg::transposed_times<double>(between, found.vectors);
  r -= (images + ridge_ * found.vectors) * found.values.asDiagonal();
  linalg::solve_lower<double>(linalg::Transpose::no, p, r.cols(), factor_.data(), p, r.data(), p);
  return r.colwise().norm();
}

double RidgeCholesky::inverse_times_size(Block<double> a) const {
  const ThreadScope alone(Run{.threads = 1});  // for the same bits always
  const Index p = factor_.rows();
  linalg::solve_lower<double>(linalg::Transpose::no, p, a.cols(), factor_.data(), p, a.data(), p);
  return a.norm();
}

RidgeSweep::RidgeSweep(Block<double> within, const Block<double>& between) : vectors_(std::move(within)) {
  linalg::syevd(vectors_, values_);
  values_ = values_.cwiseMax(0);
  projected_ = linalg::transposed_times<double>(vectors_, between);
}

DiscriminantDirections RidgeSweep::solve(double ridge, Index count) const {
  const Vector<double> inverse = (values_.array() + ridge).inverse();
  const Block<double> scaled = inverse.asDiagonal() * projected_;
  const Small small = solve_small(linalg::transposed_times<double>(projected_, scaled), count);
  const Block<double> coordinates =
      scaled * small.vectors * small.values.cwiseSqrt().cwiseInverse().asDiagonal();
  DiscriminantDirections out{small.values, Block<double>::Zero(vectors_.rows(), coordinates.cols()),
                             small.trace};
  linalg::add_product<double>(1, vectors_, coordinates, out.vectors);
  return out;
}

}  // namespace mercer
