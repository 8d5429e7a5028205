// New points in a finished t-SNE map, each by itself: the place y of least KL(p‖q) with q_j ∝ 1/(1 + ‖y −
// y_j‖²) over the points of the map, which stay where they are.
#pragma once

#include <mercer/neighbors.hpp>
#include <mercer/run.hpp>

#include "manifold/tsne_map.hpp"

namespace mercer {

/// `lists`: of each new point its neighbours among the map's points. One that is equal to a point of the map
/// gets its place, that of the first among equals.
template <class T>
[[nodiscard]] Matrix<T> place_points(const NeighborLists& lists, const TsneMap<T>& map, double perplexity,
                                     const Run& run);

}  // namespace mercer
