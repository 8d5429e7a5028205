// New points beside the points of a map: whom they are linked to, by the rule that the map's graph was built
// with.
#pragma once

#include <mercer/neighbors.hpp>

namespace mercer {

/// Exact where new points are fewer than those of the map: building an approximate index takes longer.
template <class T>
[[nodiscard]] NeighborIndex<T> index_for_new(const Samples<T>& points, Index new_points, const Run& run);

/// The nearest `count`, or all within the radius and the nearest one where nobody is.
template <class T>
[[nodiscard]] NeighborLists links_of_new(const NeighborIndex<T>& index, const Samples<T>& points,
                                         const NeighborOptions& neighbors, const Run& run);

/// The same, and the points of the map that have the new one among their neighbours: within their radii.
template <class T>
[[nodiscard]] NeighborLists mutual_links_of_new(const NeighborIndex<T>& index, const Samples<T>& points,
                                                const NeighborOptions& neighbors, const Vector<double>& radii,
                                                const Run& run);

}  // namespace mercer
