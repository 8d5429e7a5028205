// ‖X − X̂‖² measured, for errors that the difference of two norms cannot tell.
#pragma once

#include <mercer/run.hpp>
#include <mercer/tensor.hpp>

#include <vector>

namespace mercer {

/// Is ‖X‖² − ‖G‖² = squared_error mostly rounding? Factors in float are orthonormal to 1e-7 only.
template <class T>
[[nodiscard]] constexpr bool lost_in_rounding(double squared_error, double total) {
  return sizeof(T) == sizeof(float) || squared_error < 1e-6 * total;
}

/// ‖X − G ×ₙ Uₙ‖² in double, piece by piece; x is packed. A factor that is empty is the identity.
template <class T>
[[nodiscard]] double squared_residual(const TensorView<T>& x, const Tensor<T>& core,
                                      const std::vector<Block<T>>& factors, const Run& run);

}  // namespace mercer
