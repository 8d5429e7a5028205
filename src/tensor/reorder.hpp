// Copies that change the order of the modes, near the speed of memory.
#pragma once

#include <mercer/run.hpp>
#include <mercer/tensor.hpp>

namespace mercer {

/// Writes x's elements to `out`, packed, the modes following each other as in `modes`, the fastest first.
template <class T>
void copy_in_order(const TensorView<T>& x, const Shape& modes, T* out, const Run& run = {});

}  // namespace mercer
