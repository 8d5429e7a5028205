// Maximum variance unfolding of many points (Weinberger, Sha, Zhu, Saul 2007): K = Q Y Qᵀ on the bottom
// eigenvectors Q of the graph's Laplacian, on which an unfolded map is smooth, distances kept in the mean
// square:
//     maximise  pull ⟨C, QYQᵀ⟩ − ½ρ Σₗ ((qₗᵀYqₗ − dₗ²)/dₗ)²   over  Y ⪰ 0,      qₗ = Qᵢ − Qⱼ.
#pragma once

#include "manifold/mvu_links.hpp"

namespace mercer {

/// The bottom of the Laplacian beyond the constant.
struct MvuBasis {
  Block<double> vectors;  ///< nodes x m
  Vector<double> values;  ///< ascending, all > 0
  /// What makes multipliers of the links that are about 1 balance pull · C: λ₂ over the largest weight.
  double pull = 0;
};
[[nodiscard]] MvuBasis mvu_basis(const MvuLinks& links, Index count, const Run& run);

/// How stiff links are at first: ρ. Multipliers of about 1 stretch them by a 1/ρ.
constexpr double first_stiffness = 50;

struct ReducedSolution {
  Block<double> y;  ///< in units of links.unit, for the basis scaled by λ^(−½)
  double gap = 0;   ///< of the objective, relative
  Index steps = 0;  ///< Newton's
};
/// Path following: the cone's barrier log det Y is the only constraint, so that each of Newton's steps is one
/// Cholesky factor of m(m+1)/2 unknowns, and the duality gap is mμ. (As a linear matrix inequality for a
/// solver in standard form, as the paper has it, the same needs a cone of as many rows.)
[[nodiscard]] ReducedSolution solve_reduced(const MvuLinks& links, const MvuBasis& basis, const Run& run);

/// The leading `rank` columns of Q Y^½, over √unit: coordinates of the nodes.
[[nodiscard]] Matrix<double> coordinates(const MvuBasis& basis, const Block<double>& y, Index rank);

}  // namespace mercer
