// What remains between rows that were drawn: M = (E_ij/√(w_i w_j))/m for m rows drawn independently with
// probability ∝ w_i ≥ E_ii. Write E = GGᵀ and v for the unit vector with ‖Gv‖² = ‖E‖₂. Then (g_i·v)²/w_i lies
// in [0, 1], its expectation over the draw is ‖E‖₂/Σw, and its mean over the m rows is at most λ₁(M): a bound
// on λ₁(M) bounds ‖E‖₂ through mean_upper_limit, without a norm that sums over all of the spectrum.
#pragma once

#include <mercer/matrix.hpp>
#include <mercer/run.hpp>

#include "base/huge_buffer.hpp"
#include "operator/landmark_basis.hpp"

#include <vector>

namespace mercer {

template <class T>
class RemainderBlock {
 public:
  /// `points` are the rows drawn, scaled as the model does; `weights` their w.
  RemainderBlock(const LandmarkBasis<T>& basis, const Samples<T>& points, const Vector<double>& weights,
                 const Run& run);

  [[nodiscard]] Index size() const { return m_; }
  /// The largest ln‖M^steps ω‖ of so many standard normal ω.
  [[nodiscard]] double log_power_norm(Index steps, Index vectors, const Run& run) const;

 private:
  Index m_;
  HugeBuffer<T> values_;  ///< M, both triangles
};

/// Rows to draw for a fit of n rows, 0 where so few say nothing; the block takes rows² elements.
[[nodiscard]] Index remainder_block_rows(Index n, Index rank, double bytes_allowed, double element_bytes);

}  // namespace mercer
