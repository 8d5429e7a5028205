// Weights on a neighbour graph, and the Laplacians they make.
#pragma once

#include <mercer/laplacian.hpp>

#include <algorithm>
#include <cmath>

namespace mercer {

/// w as a function of the length of a link. No link weighs less than `least`: a graph in one piece stays so.
struct LinkWeight {
  static constexpr double least = 1e-9;
  GraphWeights weights = GraphWeights::ones;
  double heat = 1;

  [[nodiscard]] double operator()(double length) const {
    return weights == GraphWeights::ones ? 1 : std::max(least, std::exp(-length * length / heat));
  }
};

/// Mean squared length of the links; 1 where all have length 0.
[[nodiscard]] double mean_squared_link(const SparseMatrix<double>& links);

/// Values of the links replaced by their weights. Throws Error{bad_data} where most of them weigh nothing.
[[nodiscard]] SparseMatrix<double> weighted(SparseMatrix<double> links, const LinkWeight& weight);
/// Σ_j w_ij
[[nodiscard]] Vector<double> row_sums(const SparseMatrix<double>& weights);
/// w_ij / (q_i q_j)^power
[[nodiscard]] SparseMatrix<double> without_density(SparseMatrix<double> weights, const Vector<double>& q,
                                                   double power);
/// D − W, or I − D^−½WD^−½ where it is normalised, with d = W·1.
[[nodiscard]] SparseMatrix<double> laplacian_of(const SparseMatrix<double>& weights, const Vector<double>& d,
                                                bool normalized);

}  // namespace mercer
