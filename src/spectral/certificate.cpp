// Residuals and bounds on what may have been missed.
#include "spectral/certificate.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

template <class T>
Vector<double> residual_norms(const SymmetricOperator<T>& op, const BlockView<T>& vectors,
                              const Vector<double>& values, const Run& run) {
  constexpr Index columns_at_once = 32;  // bounds the memory
  Vector<double> out(vectors.cols());
  for (Index c = 0; c < vectors.cols(); c += columns_at_once) {
    const Index count = std::min(columns_at_once, vectors.cols() - c);
    Block<T> y(op.size(), count);
    op.apply(vectors.middleCols(c, count), y, run);
    for (Index i = 0; i < count; ++i) {
      const auto v = vectors.col(c + i).template cast<double>();
      out[c + i] = (y.col(i).template cast<double>() - values[c + i] * v).norm() / v.norm();
    }
  }
  return out;
}

double rigorous_missed_bound(std::optional<double> trace, std::optional<double> frobenius_squared, Index n,
                             const Vector<double>& values, const Vector<double>& residuals, End end, bool psd,
                             double cancellation) {
  // Sums of squares go through some 100 additions in a tile, sums of rows and columns through n/8 at most.
  const double epsilon = (128 + double(n) / 8) * std::numeric_limits<double>::epsilon();
  const double coupling = residuals.norm();  // ‖R‖₂ ≤ ‖R‖_F
  // vᵀAv is θ up to the residual, which is known to be no larger than stated.
  const Vector<double> least = (values.cwiseAbs() - residuals).cwiseMax(0.0);
  double rest = std::numeric_limits<double>::infinity();
  if (values.size() == n) rest = 0;
  if (psd && trace && end == End::largest) {
    const double size = std::abs(*trace) + std::sqrt(double(n)) * cancellation;  // of the numbers summed
    rest = std::min(rest, std::max(0.0, *trace - values.sum() + residuals.sum()) + epsilon * size);
  }
  if (frobenius_squared) {
    // ‖PAP‖² ≤ ‖A‖² − Σ (vᵀAv)²
    const double squared = *frobenius_squared - least.squaredNorm();
    const double rounding = epsilon * (*frobenius_squared + cancellation * cancellation);
    rest = std::min(rest, std::sqrt(std::max(0.0, squared) + rounding));
  }
  if (end == End::smallest && psd) return std::max(-(rest + coupling), 0.0);
  return end == End::largest ? rest + coupling : -(rest + coupling);
}

double lanczos_epsilon(Index n, Index block, Index steps, double delta) {
  const double one_start = std::pow(delta, 1 / double(block));  // all of them must fail
  const double root = std::log(1.648 * std::sqrt(double(n)) / one_start) / double(2 * steps - 1);
  return std::max(0.0, root * std::abs(root));
}

Index lanczos_steps(Index n, Index block, double epsilon, double delta) {
  Index steps = 1;
  while (steps < n && lanczos_epsilon(n, block, steps, delta) > epsilon) ++steps;
  return steps;
}

double lanczos_bound(double largest, double smallest, Index n, Index block, Index steps, double delta,
                     bool psd) {
  if (psd) {
    const double epsilon = lanczos_epsilon(n, block, steps, delta);
    return epsilon > 0.9 ? std::numeric_limits<double>::infinity() : std::max(largest, 0.0) / (1 - epsilon);
  }
  const double epsilon = lanczos_epsilon(n, block, steps, delta / 2);  // it may fail at either end
  if (2 * epsilon > 0.9) return std::numeric_limits<double>::infinity();
  return largest + epsilon * (largest - smallest) / (1 - 2 * epsilon);
}

template Vector<double> residual_norms(const SymmetricOperator<float>&, const BlockView<float>&,
                                       const Vector<double>&, const Run&);
template Vector<double> residual_norms(const SymmetricOperator<double>&, const BlockView<double>&,
                                       const Vector<double>&, const Run&);

}  // namespace mercer
