// New points on a finished map: weights that reconstruct a point from its nearest training points, an affine
// combination, place it by the same combination of their coordinates. A training point stays where it is.
#pragma once

#include <mercer/neighbors.hpp>

namespace mercer {

/// `lists`: the nearest of `fixed` for each of the new points.
template <class T>
[[nodiscard]] Matrix<T> place_by_neighbors(const Samples<T>& points, const Samples<T>& fixed,
                                           const Matrix<T>& map, const NeighborLists& lists, const Run& run);

}  // namespace mercer
