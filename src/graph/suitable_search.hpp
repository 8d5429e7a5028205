// Which search for neighbours suits some points.
#pragma once

#include <mercer/neighbors.hpp>

namespace mercer {

/// brute, kdtree or hnsw.
template <class T>
[[nodiscard]] NeighborSearch suitable_search(const Samples<T>& points, const Run& run);

}  // namespace mercer
