// Squares of what varies must be numbers: data near the ends of the range would otherwise be taken for
// constant, or its variances be wrong in their digits.
#pragma once

#include <mercer/kernel.hpp>
#include <mercer/samples.hpp>

namespace mercer {

/// Throws Error{bad_data} where the points differ from `mean`, but by so little that squares of the
/// differences underflow in numbers of type Arithmetic, or by so much that sums of their squares, or of
/// squares of these, overflow.
template <class Arithmetic, class T>
void require_squares_in_range(const Samples<T>& points, const Vector<double>& mean);

/// Throws Error{bad_data} where values of this size have squares that underflow, or whose sum over an n x n
/// matrix overflows, or are themselves beyond T, in which new points are compared with old ones.
template <class T>
void require_kernel_in_range(const Kernel& kernel, double size, Index n);

/// Throws Error{bad_data} where a positive semidefinite kernel is 0 for points that are not: its values
/// underflow.
void require_kernel_above_zero(const Kernel& kernel, double size, bool all_zero);

}  // namespace mercer
