// New points beside the points of a map: whom they are linked to, by the rule that the map's graph was built
// with.
#pragma once

#include <mercer/neighbors.hpp>

#include <algorithm>

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

/// Throws Error{bad_data} naming a new point that is a million times as far from the middle as any of the
/// map's: its distances to them differ by rounding alone.
template <class T>
void require_in_reach(const Samples<T>& map_points, const Samples<T>& points);

/// Places new points (scaled as those of the map) a part at a time, since their neighbours are in memory
/// together: place(index, points, out) fills a row of `out` for each of the points.
template <class T, class Place>
[[nodiscard]] Matrix<T> placed(const Samples<T>& map_points, Index coordinates, const Samples<T>& points,
                               const Run& run, const Place& place) {
  constexpr Index at_once = 8192;
  Matrix<T> out(points.rows(), coordinates);
  if (out.size() == 0) return out;
  require_in_reach(map_points, points);
  const NeighborIndex<T> index = index_for_new(map_points, points.rows(), run);
  for (Index first = 0; first < points.rows(); first += at_once) {
    const Index rows = std::min(at_once, points.rows() - first);
    place(index, points.middle_rows(first, rows), out.middleRows(first, rows));
    run.report("transform", double(first + rows) / double(points.rows()));
  }
  return out;
}

}  // namespace mercer
