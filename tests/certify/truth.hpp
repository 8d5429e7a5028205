// The eigenvalues that a certificate is compared with: of a symmetric matrix given in long double, by Eigen
// in long double where it is small and by LAPACK in double where it is not, with a bound on the reference's
// own error.
#pragma once

#include "kernel_tree.hpp"

namespace certify {

struct Truth {
  RealMatrix matrix;  ///< as it was given
  RealVector values;  ///< all eigenvalues, descending
  Real error = 0;     ///< of each of them, at most
  Real trace = 0;
  Real raw_largest = 0;  ///< before centring: largest |k|, infinite where it is not a number
  Real raw_trace = 0;    ///< before centring: tr K
  Real mean_part = 0;    ///< before centring: 1ᵀK1/n, what centring subtracts from

  [[nodiscard]] Eigen::Index size() const { return values.size(); }
  /// The i-th largest; 0 beyond the last.
  [[nodiscard]] Real at(Eigen::Index i) const { return i < values.size() ? values[i] : Real(0); }
  [[nodiscard]] Real largest() const {
    return values.size() ? std::max(values[0], -values[values.size() - 1]) : 0;
  }
  /// How far the eigenvalue nearest to `value` is from it.
  [[nodiscard]] Real distance(Real value) const;
};

/// All eigenvalues of a symmetric matrix.
[[nodiscard]] Truth eigenvalues_of(RealMatrix matrix);
/// Of a kernel on rows, centred or not.
[[nodiscard]] Truth truth_of_kernel(const KernelTree& kernel, const RealMatrix& rows, bool center);
/// Columns about their means (or as they are), summed in long double.
[[nodiscard]] RealMatrix centered_columns(RealMatrix x, bool center);
/// Of X̃ᵀX̃ or X̃X̃ᵀ, whichever is smaller.
[[nodiscard]] Truth truth_of_rows(const RealMatrix& rows);

}  // namespace certify
