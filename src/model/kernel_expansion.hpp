// Σ_j α_j k(x, x_j) − offset for many x: how every model with kernel coefficients projects new points.
#pragma once

#include <mercer/kernel.hpp>
#include <mercer/scaling.hpp>

namespace mercer {

/// `points` as they were given: they are scaled a chunk at a time, so that memory does not grow with them.
/// `centres` are scaled already; empty for a precomputed kernel, whose points are rows of k(x, x_j).
template <class T>
[[nodiscard]] Matrix<T> kernel_expansion(const Kernel& kernel, const Samples<T>& points,
                                         const Scaling<T>& scaling, const Samples<T>& centres,
                                         const Block<T>& alpha, const Vector<double>& offset, const Run& run);

}  // namespace mercer
