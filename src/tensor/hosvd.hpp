// HOSVD (De Lathauwer, De Moor, Vandewalle 2000) and its sequentially truncated form (Vannieuwenhoven,
// Vandebril, Meerbergen 2012), in which each mode is truncated before the next one's basis is sought: less
// work, and the squared error is the sum of what the modes left out.
#pragma once

#include "tensor/fibers.hpp"
#include "tensor/tucker_plan.hpp"

#include <mercer/tensor_algebra.hpp>

#include <vector>

namespace mercer {

/// X ≈ G ×ₙ Uₙ while it is being made.
template <class T>
struct TuckerParts {
  std::vector<Block<T>> factors;
  Tensor<T> core;
  Tensor<T> samples;                   ///< X ×(n ≠ s) Uₙᵀ: the samples in the bases of the other modes
  std::vector<Vector<double>> values;  ///< singular values of each mode's unfolding, as far as known
  double squared_error = 0;            ///< ‖X − X̂‖² as the norms tell it
  std::vector<TuckerStep> steps;       ///< as they were taken

  [[nodiscard]] Shape ranks() const { return core.shape(); }
};

/// x is packed. Ranks as in the problem, or as low as `budget` (of ‖X‖²) allows: what a mode does not use of
/// its share is the next ones'. A mode that has no step stays as it is, without a factor; then there are no
/// samples either.
template <class T>
[[nodiscard]] TuckerParts<T> sequential_hosvd(const TensorView<T>& x, const TuckerProblem& problem,
                                              const std::vector<TuckerStep>& steps, double budget,
                                              const Run& run);
template <class T>
[[nodiscard]] TuckerParts<T> plain_hosvd(const TensorView<T>& x, const TuckerProblem& problem,
                                         const std::vector<TuckerStep>& steps, double budget, double total,
                                         const Run& run);

/// All factors but the sample mode's, for products.
template <class T>
[[nodiscard]] std::vector<ModeFactor<T>> factors_without(const std::vector<Block<T>>& factors, Index mode);

}  // namespace mercer
