// Far from the origin inner products lose the digits that tell points apart. Where centring makes up for a
// translation the points are moved first: the same centred matrix, with its digits.
#pragma once

#include <mercer/kernel_pca.hpp>

namespace mercer {

/// Whether kernel PCA of these samples moves them.
template <class T>
[[nodiscard]] bool moves_to_the_origin(const Samples<T>& samples, const KernelPcaOptions& options);
/// The scaling that was asked for, or the move. In float every moved point is exact.
template <class T>
[[nodiscard]] Scaling<T> scaling_for_fit(const Samples<T>& samples, const KernelPcaOptions& options);

/// Samples = points + 1·shiftᵀ.
template <class T>
struct Moved {
  Samples<T> points;
  Vector<double> shift;
};
/// Sparse data moves in those columns that are stored in every row: no zero is filled in. As it was where its
/// squared distance from the origin, beside the points' from their mean, is small.
template <class T>
[[nodiscard]] Moved<T> moved_in_full_columns(const Samples<T>& samples);

}  // namespace mercer
