// What rounding does to a kernel matrix before any eigensolver sees it: K + δK is what was evaluated. By Weyl
// an eigenvalue moves by ‖δK‖₂ at most, and a residual by as much; so no residual, bound or trace may claim
// more.
#pragma once

#include <mercer/kernel.hpp>

namespace mercer {

/// Estimated from some of the rows; all of them where they are few.
struct GramRounding {
  double norm = 0;      ///< ‖δK‖_F ≥ ‖δK‖₂; centring does not enlarge it
  double trace = 0;     ///< Σ|δk_ii|
  double relative = 0;  ///< the largest |δk_ij|/√(k_ii k_jj)
};

/// As evaluated in S; the samples are K itself where the kernel is precomputed. `row_sums`: K·1 where it is
/// known; then the rows that add up to most are looked at, too: the near points in a K close to the identity.
template <class S, class T>
[[nodiscard]] GramRounding gram_rounding(const Kernel& kernel, const Samples<T>& samples,
                                         const Vector<double>* row_sums = nullptr);

}  // namespace mercer
