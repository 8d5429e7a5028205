// Alternating least squares (mission row M10): P, Q and μ that minimise, over the known entries (i, j) of a
// table,
//     Σ (x_ij − μ_j − p_i·q_j)² + ρ(‖P‖² + ‖Q‖²).
// With Q fixed each row of P is a small ridge regression, and the other way round. Of all P, Q with the same
// product the penalty likes the balanced ones best, and is then 2ρ times the nuclear norm of PQᵀ (Srebro,
// Rennie and Jaakkola 2005; Hastie, Mazumder, Lee and Zadeh 2015).
#pragma once

#include <mercer/matrix.hpp>
#include <mercer/run.hpp>

#include <vector>

namespace mercer {

struct Factors {
  Matrix<double> rows;                 ///< P, n x k
  Matrix<double> columns;              ///< Q, d x k
  Vector<double> mean;                 ///< μ; zeros if not centred
  Vector<double> sizes;                ///< singular values of PQᵀ, descending, where P and Q are balanced
  std::vector<double> objective = {};  ///< after each sweep
  bool converged = false;
};

struct AlternatingOptions {
  bool center = true;
  double ridge = 0;
  double tolerance = 1e-8;  ///< relative fall of the objective in a sweep at which to stop
  Index max_sweeps = 2000;
};

/// Where to begin: the leading singular vectors of the known entries less their column means, zeros in the
/// gaps (without ever storing these). Without gaps this is where it ends. At most k components.
[[nodiscard]] Factors spectral_start(const SparseMatrix<double>& known, Index k, bool center, const Run& run);

[[nodiscard]] Factors alternate(const SparseMatrix<double>& known, Factors start,
                                const AlternatingOptions& options, const Run& run);

/// For each row i of `known` the z that minimises Σ_j (x_ij − offset_j − z·b_j)² + Σ_c penalty_c z_c² over
/// its entries, b_j the rows of `basis`; 0 where there is no entry.
[[nodiscard]] Matrix<double> ridge_rows(const SparseMatrix<double>& known, const Vector<double>& offset,
                                        const Matrix<double>& basis, const Vector<double>& penalty,
                                        const Run& run);

/// Σ (x_ij − μ_j − p_i·q_j)² over the entries given.
[[nodiscard]] double squared_error(const SparseMatrix<double>& entries, const Vector<double>& mean,
                                   const Matrix<double>& rows, const Matrix<double>& columns, const Run& run);

}  // namespace mercer
