// How far the eigenvalues of K are from those of a low-rank K̂ = ΦΦᵀ: by Weyl no further than ‖E‖₂,
// E = K − K̂, and above them only where E ⪰ 0. Centring (K̃ = HKH) changes neither, since ‖HEH‖ ≤ ‖E‖.
// ‖E‖₂ is at most tr E, which is known, and at most what a sample of E allows: the norm of a drawn block
// (remainder_block) or ‖E‖_F (remainder_sample).
#pragma once

#include <mercer/matrix.hpp>

#include <vector>

namespace mercer {

/// Chernoff and Hoeffding: for m independent variables in [0, 1] with the sample mean given, their
/// expectation exceeds the largest p with kl(mean ‖ p) ≤ ln(1/δ)/m with probability at most δ.
[[nodiscard]] double mean_upper_limit(double mean, Index m, double delta);

/// Points represented on the first `rank` basis functions: their block of E is positive semidefinite.
struct RemainderGroup {
  Index rank = 0;
  double trace = 0;  ///< of the block: ‖block‖₂ is at most this
  double norm = 0;   ///< ‖block‖₂ is at most this but for the chance Remainder::delta
};

/// What is known of E. One group after a fit; a basis that grew afterwards leaves the earlier points
/// without coordinates on the later functions, and then E is no longer positive semidefinite.
struct Remainder {
  std::vector<RemainderGroup> groups;  ///< by rank, ascending
  double cross = 0;                    ///< sum of bounds on the blocks between groups
  double delta = 0;

  [[nodiscard]] double trace() const;
  /// E ⪰ 0: then K̂'s eigenvalues lie below K's, never above.
  [[nodiscard]] bool one_sided() const { return groups.size() <= 1; }
  /// ‖E‖₂ ≤ max over the groups of ‖E_gg‖ + Σ_{g<h} ‖E_gh‖.
  [[nodiscard]] double rigorous() const;
  [[nodiscard]] double probable() const;
};

/// Adds points of a group of this rank. `trace_in[g]` is the trace that their remainder has on the basis of
/// groups[g] alone. Same rank: the two blocks and what lies between them are PSD together, and the norm of a
/// PSD matrix is at most the sum of its diagonal blocks' norms. Lower rank g: what lies between them is a
/// block of the remainder on the basis of g, which is PSD, so ‖E_gh‖² ≤ ‖E_gg‖·‖E_hh on g‖ ≤ tr·tr; `hidden`
/// is what rounding may hide of either trace, and the root of a product makes much of little.
[[nodiscard]] Remainder with_points(Remainder before, const RemainderGroup& group, double delta,
                                    const std::vector<double>& trace_in, double hidden = 0);

/// Two sets of points on one basis, each with a single group.
[[nodiscard]] Remainder joined(const Remainder& a, const Remainder& b);

}  // namespace mercer
