// The bottom of a sparse positive semidefinite matrix beyond a known null vector: what LLE, Laplacian
// eigenmaps and the basis of maximum variance unfolding come down to.
#pragma once

#include <mercer/spectrum.hpp>

namespace mercer {

enum class BottomMethod {
  automatic,     ///< shift-invert where the factor is cheap, iteration where it is not
  shift_invert,  ///< sparse Cholesky of A + σI (CHOLMOD), block Krylov on its inverse
  iteration,     ///< products with A alone
  dense,         ///< LAPACK, on a small matrix that neither of them solves
};

struct BottomRequest {
  Index count = 2;       ///< pairs beyond the null vector
  double tolerance = 0;  ///< residual relative to ‖A‖ (a bound on it); 0: 1e-10
  BottomMethod method = BottomMethod::automatic;
  double delta = 1e-6;
};

struct BottomPairs {
  Spectrum<double> spectrum;  ///< ascending; residuals ‖A v − θ v‖₂ measured with A itself
  BottomMethod method = BottomMethod::shift_invert;  ///< that was used
  double norm = 0;                                   ///< a bound on ‖A‖₂ (the largest row sum of |A|)
  double factor_bytes = 0;                           ///< of the Cholesky factor, where there is one
};

/// `null_vector` (any length; empty: none) is an eigenvector of A to the eigenvalue 0; the pairs found are
/// orthogonal to it by construction. A is symmetric, row-compressed, both triangles stored.
[[nodiscard]] BottomPairs bottom_eigenpairs(const SparseMatrix<double>& a, const Vector<double>& null_vector,
                                            const BottomRequest& request, const Run& run);

}  // namespace mercer
