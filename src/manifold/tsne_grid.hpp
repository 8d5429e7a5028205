// Points on an equispaced grid: their unit charges spread over the nodes around them, and fields read off
// between nodes, both by the cubic B-splines of the four nodes around a point along each axis.
// Vectorised through Highway with run-time dispatch.
#pragma once

#include "manifold/tsne_map.hpp"

namespace mercer {

/// Nodes origin + h·(0, 1, ...) along the columns (first axis) and rows (second axis, if there is one).
template <class T>
struct Grid {
  Index components = 2;
  Index cols = 0, rows = 1;
  T origin[2] = {};
  T spacing = 1;

  /// May y be interpolated: are there nodes on both sides?
  [[nodiscard]] bool contains(const T* y) const {
    const Index nodes[2] = {cols, rows};
    for (Index c = 0; c < components; ++c) {
      const T t = (y[c] - origin[c]) / spacing;
      if (!(t >= T(1) && t <= T(nodes[c] - 2))) return false;
    }
    return true;
  }
};

/// Values at a node, side by side: Σ w, the force on each axis, and 0 to fill up.
inline constexpr Index fields_a_node = 4;

/// charges (rows x cols) += the points [first, last).
template <class T>
void spread_points(const Grid<T>& grid, const TsneMap<T>& map, Index first, Index last, T* charges);

/// The fields (rows x cols x fields_a_node) at the points [first, last): Σ w in `weight`, one a point, and
/// the forces.
template <class T>
void read_fields(const Grid<T>& grid, const T* fields, const TsneMap<T>& map, Index first, Index last,
                 T* weight, TsneMap<T>& force);

}  // namespace mercer
