// Cross-validation of kernel PCA from its kernel matrix: fit on the other folds, project the held-out points,
// come back to the input space by one learned map whatever the kernel, and ask the neighbours for their
// class.
#pragma once

#include <mercer/matrix.hpp>
#include <mercer/run.hpp>

#include <vector>

namespace mercer {

struct HeldOut {
  double error = 0;     ///< Σ‖x − x̂‖² over Σ‖x − x̄‖², x̄ the mean of the other folds
  double spread = 0;    ///< standard deviation over the folds
  double accuracy = 0;  ///< share of held-out points whose five nearest in the scores mostly have their class
};

/// `k` is the kernel matrix of all points; `fold` of each row; `codes` may be empty.
[[nodiscard]] HeldOut held_out_errors(const Matrix<double>& k, const Matrix<double>& x,
                                      const std::vector<std::int32_t>& codes, const std::vector<Index>& fold,
                                      Index folds, Index components, const Run& run);

}  // namespace mercer
