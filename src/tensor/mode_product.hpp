// X ×ₙ A for chains of them: the result stays in its argument's order of modes (see fibers.hpp), so that
// nothing is ever reordered on the way.
#pragma once

#include <mercer/tensor_algebra.hpp>

#include "tensor/fibers.hpp"

namespace mercer {

/// X ×ₙ A, or X ×ₙ Aᵀ when transposed. x is read where it lies if it is packed, and copied if not.
template <class T>
[[nodiscard]] PackedTensor<T> packed_mode_product(const TensorView<T>& x, Index mode, const BlockView<T>& a,
                                                  bool transposed, const Run& run = {});

/// All of them (at least one) in the cheapest order; two results exist at a time, at most.
template <class T>
[[nodiscard]] PackedTensor<T> packed_mode_products(const TensorView<T>& x,
                                                   const std::vector<ModeFactor<T>>& factors, bool transposed,
                                                   const Run& run = {});

/// How a mode's size changes: from `before` to `after` entries.
struct SizeChange {
  Index before, after;
};
/// The order in which products with such factors take the fewest operations: for each place, which one.
[[nodiscard]] std::vector<std::size_t> cheapest_order(const std::vector<SizeChange>& factors);

}  // namespace mercer
