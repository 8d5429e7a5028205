// Whether an array can be decomposed at all: finite, and neither too large nor too small for squares.
#pragma once

#include <mercer/run.hpp>
#include <mercer/tensor.hpp>

namespace mercer {

/// Norms whose squares, and the sums of products of these, stay far from the ends of a double's range, and
/// which are themselves within that of T. Throws Error{bad_data} otherwise; zero: all values are 0.
template <class T>
void require_range(double norm, bool zero);

/// ‖X‖. Throws Error{bad_data} that names the first entry that is no finite number, or says that the squares
/// of the values leave a double's range.
template <class T>
[[nodiscard]] double checked_norm(const TensorView<T>& x, const Run& run = {});
template <class T>
[[nodiscard]] double checked_norm(const SparseTensor<T>& x);

}  // namespace mercer
