// Marching squares: the lines along which a function sampled on a grid has a given value, joined
// into long polylines (Lorensen and Cline's idea in the plane; saddles are decided by the middle).
#pragma once

#include "plot/geometry.hpp"

#include <mercer/matrix.hpp>

#include <vector>

namespace mercer::plot {

struct ContourLine {
  std::vector<Point> points;  ///< x = column, y = row of the grid, with fractions
  bool closed = false;        ///< the last point joins the first
};

/// `values` has at least 2 x 2 entries.
[[nodiscard]] std::vector<ContourLine> contour_lines(const Matrix<double>& values, double level);

/// Multiples of a nice step within the values' range, about `about` of them.
[[nodiscard]] std::vector<double> contour_levels(double low, double high, int about);

}  // namespace mercer::plot
