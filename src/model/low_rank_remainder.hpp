// Bounds on ‖E‖₂ of what a basis leaves out, from rows or pairs of rows drawn in proportion to E_ii.
#pragma once

#include <mercer/scaling.hpp>

#include "model/row_passes.hpp"
#include "operator/landmark_basis.hpp"
#include "operator/pivoted_cholesky.hpp"
#include "operator/remainder_sample.hpp"
#include "spectral/lowrank_bound.hpp"

#include <functional>

namespace mercer {

/// Elements of K and F are good to a few ε; √r of them are summed.
template <class T>
[[nodiscard]] double element_noise(Index rank) {
  return cholesky_rounding<T>(rank) / 8;
}

/// tr E·√p ≥ ‖E‖_F ≥ ‖E‖₂ but for a chance of δ.
[[nodiscard]] RemainderGroup bounded_group(Index rank, const Vector<double>& remaining,
                                           const RemainderSample& sample,
                                           const std::function<double(Index)>& element, double delta,
                                           const Run& run);

/// The group of all rows after a pass that found what remains of each on the diagonal, E_ii and k_ii. Of some
/// rows the features are computed again.
template <class T>
[[nodiscard]] RemainderGroup sampled_group(RowSource<T>& rows, const Scaling<T>& scaling,
                                           const LandmarkBasis<T>& basis, const Vector<double>& remaining,
                                           const Vector<double>& diagonal, double delta, const Run& run);

/// The same where only the trace of E is known, an upper limit of it: rows are proposed ∝ k_ii and taken with
/// probability E_ii/k_ii, so that features of the proposed ones are enough. Where too many would be refused,
/// what remains is found in another pass.
template <class T>
[[nodiscard]] RemainderGroup proposed_group(RowSource<T>& rows, const Scaling<T>& scaling,
                                            const LandmarkBasis<T>& basis, double trace,
                                            const Vector<double>& diagonal, double delta, const Run& run);

}  // namespace mercer
