// Where new points belong in a map that keeps what is linear in each neighbourhood.
#pragma once

#include <mercer/lle.hpp>

namespace mercer {

/// By barycentric weights on the neighbours (Bengio et al. 2003), as the fit of plain LLE has it:
/// y = Σ wⱼ yⱼ. `lists`: the neighbours of `rows` among `points`, which are dense or sparse alike.
template <class T>
[[nodiscard]] Matrix<T> place_by_weights(const Samples<T>& points, const Matrix<T>& map,
                                         const Samples<T>& rows, const NeighborLists& lists,
                                         double regularization, const Run& run);

/// By the affine function of tangent coordinates that fits the neighbours' places best: maps of modified and
/// Hessian LLE are linear on tangent spaces, to second order, and weights held short by regularisation are
/// not.
template <class T>
[[nodiscard]] Matrix<T> place_on_tangent(const Samples<T>& points, const Matrix<T>& map,
                                         const Samples<T>& rows, const NeighborLists& lists, const Run& run);

}  // namespace mercer
