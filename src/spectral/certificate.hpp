// How we know that the eigenpairs are right: measured residuals, a rigorous bound on any eigenvalue
// that was missed, and a tight bound that holds with probability 1 − δ.
#pragma once

#include <mercer/spectrum.hpp>

namespace mercer {

/// ‖A v − θ v‖₂ of each column; A is applied in blocks of at most `block` columns.
template <class T>
[[nodiscard]] Vector<double> residual_norms(const SymmetricOperator<T>& op, const BlockView<T>& vectors,
                                            const Vector<double>& values, const Run& run);

/// Weyl: with what was found removed, the rest of A is at most its trace (PSD only) and at most its
/// Frobenius norm; ‖R‖ couples the two parts. For End::smallest the bound is from below.
/// `cancellation` as in SymmetricOperator: the rounding of trace and norm is allowed for.
[[nodiscard]] double rigorous_missed_bound(std::optional<double> trace,
                                           std::optional<double> frobenius_squared, Index n,
                                           const Vector<double>& values, const Vector<double>& residuals,
                                           End end, bool psd, double cancellation);
/// The same from an operator's own trace and norm.
template <class T>
[[nodiscard]] double rigorous_missed_bound(const SymmetricOperator<T>& op, const Vector<double>& values,
                                           const Vector<double>& residuals, End end, bool psd) {
  return rigorous_missed_bound(op.trace(), op.frobenius_squared(), op.size(), values, residuals, end, psd,
                               op.cancellation());
}

/// Lanczos from a random start on a PSD operator (Kuczyński & Woźniakowski 1992, Theorem 4.2):
///     P[λ₁ > θ/(1 − ε)] ≤ 1.648 √n exp(−√ε (2q − 1)).
/// b independent starts in one block fail only together. The smallest ε for which the block of b
/// starts fails with probability at most delta after q steps.
[[nodiscard]] double lanczos_epsilon(Index n, Index block, Index steps, double delta);
/// How many steps bring ε down to the one wanted.
[[nodiscard]] Index lanczos_steps(Index n, Index block, double epsilon, double delta);

/// No eigenvalue lies above this, but for a chance of delta, if the extreme Ritz values after q steps from b
/// random vectors are these. Infinite when the steps are too few to say anything.
[[nodiscard]] double lanczos_bound(double largest, double smallest, Index n, Index block, Index steps,
                                   double delta, bool psd);

/// A number that, with probability 1 − request.delta, no eigenvalue of `op` lies beyond once the found
/// ones are taken out: a few block Lanczos steps from fresh random vectors orthogonal to them.
template <class T>
[[nodiscard]] double probable_missed_bound(const SymmetricOperator<T>& op, const Spectrum<T>& found,
                                           const EigenRequest& request, const Run& run = {});

}  // namespace mercer
