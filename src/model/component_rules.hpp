// How many components? Three rules on the spectrum of a kernel matrix.
#pragma once

#include <mercer/tune.hpp>

#include "kernel/primitive_matrices.hpp"

namespace mercer {

/// K := HKH.
void center_kernel(Matrix<double>& k);

/// On the leading `most` eigenvalues.
[[nodiscard]] ComponentAdvice component_advice(PrimitiveMatrices& matrices, const Kernel& kernel, Index most,
                                               double share, Index permutations, const Run& run);

/// The place, from 1, that lies furthest below the line from the first to the last of falling values.
[[nodiscard]] Index knee_of(const Vector<double>& values);

}  // namespace mercer
