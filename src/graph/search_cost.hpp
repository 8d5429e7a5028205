// Which search for neighbours suits, and what the searches take.
#pragma once

#include <mercer/neighbors.hpp>

namespace mercer {

/// brute, kdtree or hnsw.
template <class T>
[[nodiscard]] NeighborSearch suitable_search(const Samples<T>& points, const Run& run);

/// Seconds of one core for the neighbours of all n points of d features among themselves. All pairs: measured
/// at 20,000 to 200,000 points of 50 to 784 features, 12 to 90 neighbours; a sparse point costs its entries.
template <class T>
[[nodiscard]] double brute_core_seconds(const Samples<T>& points);
[[nodiscard]] double kdtree_core_seconds(double n, double d);
[[nodiscard]] double hnsw_core_seconds(double n, double d);

}  // namespace mercer
