// Eigenpairs of a PSD operator so dear to apply that every pass counts: block Davidson on top of a
// low-rank approximation A ≈ U Σ Uᵀ (landmarks), for matrices that are evaluated anew in each pass.
//
// It begins at the approximation's own eigenvectors. A residual r of the Ritz pair (θ, v) joins the basis
// as (θ − U Σ Uᵀ)⁻¹ r, the first-order correction of v if A were the approximation: about two digits a
// pass where block Krylov gains half a digit. The first pass is exact, later ones may be rough, since
// their images multiply small corrections only; the residuals are measured exactly in the end, unless the
// allowance for the rough images leaves them small enough as they are.
//
// What may have been missed: λ_{k+1}(A) ≤ σ_{k+1} + ‖E‖ with E = A − U Σ Uᵀ ⪰ 0, and ‖E‖ is bounded with
// probability 1 − δ by a few random vectors that go through the same passes (see power_norm_bound).
#pragma once

#include <mercer/spectrum.hpp>

#include "operator/landmark_approximation.hpp"

#include <optional>

namespace mercer {

/// Nothing when the approximation is too poor to lead anywhere quickly: block Krylov is then better.
[[nodiscard]] std::optional<Spectrum<double>> davidson(const SymmetricOperator<double>& op,
                                                       const LandmarkApproximation& approximation,
                                                       const EigenRequest& request, const Run& run = {});

/// ω independent standard normal vectors, y = E^q ω for each, E ⪰ 0: since ‖E^q ω‖ ≥ ‖E‖^q |g| with a
/// standard normal g, all of b of them have |g| < t with probability at most (√(2/π) t)^b. The bound on
/// ‖E‖ that fails with probability delta, from log max ‖E^q ω‖.
[[nodiscard]] double power_norm_bound(double log_norm, Index steps, Index vectors, double delta);

}  // namespace mercer
