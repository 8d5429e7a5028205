// Which search for neighbours suits, and what the searches that are not products of matrices take.
#pragma once

#include <mercer/neighbors.hpp>

namespace mercer {

/// brute, kdtree or hnsw.
template <class T>
[[nodiscard]] NeighborSearch suitable_search(const Samples<T>& points, const Run& run);

/// Seconds of one core for the neighbours of all n points of d features among themselves.
[[nodiscard]] double kdtree_core_seconds(double n, double d);
[[nodiscard]] double hnsw_core_seconds(double n, double d);

}  // namespace mercer
