// The eigenproblem of discriminants (mission row M9), M α = λ(N + μI)α with M = B Bᵀ of rank below the number
// c of classes: N + μI = L Lᵀ, Y = L⁻¹B, the c x c problem YᵀY u = λu, α = L⁻ᵀY u/√λ. Exact: one Cholesky and
// a right-hand side a class. For many μ one eigendecomposition N = V D Vᵀ serves: YᵀY = (VᵀB)ᵀ(D + μ)⁻¹(VᵀB).
#pragma once

#include <mercer/matrix.hpp>

#include <vector>

namespace mercer {

/// B with the columns √N_j (M_j − M̄), M̄ the mean over all samples: M = B Bᵀ. `means` holds M_j as columns.
[[nodiscard]] Block<double> between_factor(const Block<double>& means, const std::vector<Index>& sizes);

struct DiscriminantDirections {
  Vector<double> values;  ///< λ, descending
  Block<double> vectors;  ///< α as columns, αᵀ(N + μI)α = 1
  double trace = 0;       ///< of (N + μI)⁻¹M: the sum of all λ, also of those left out
};

/// For one μ. N is symmetric positive semidefinite, its lower triangle is used; it is overwritten.
class RidgeCholesky {
 public:
  /// Throws Error{usage} where N + μI is not positive definite in double.
  RidgeCholesky(Block<double> within, double ridge);

  [[nodiscard]] DiscriminantDirections solve(const Block<double>& between, Index count) const;
  /// ‖L⁻¹(Mα − λ(N + μI)α)‖ for each direction, where `images` = Nα: an eigenvalue lies within it of λ.
  [[nodiscard]] Vector<double> residuals(const DiscriminantDirections& found, const Block<double>& between,
                                         const Block<double>& images) const;
  /// ‖L⁻¹A‖_F
  [[nodiscard]] double inverse_times_size(Block<double> a) const;

 private:
  Block<double> factor_;
  double ridge_;
};

/// For many μ.
class RidgeSweep {
 public:
  RidgeSweep(Block<double> within, const Block<double>& between);
  [[nodiscard]] DiscriminantDirections solve(double ridge, Index count) const;

 private:
  Block<double> vectors_;    ///< V
  Vector<double> values_;    ///< D, at least 0
  Block<double> projected_;  ///< VᵀB
};

}  // namespace mercer
