// The point layer: size and opacity follow from how many points share the room; classes are drawn in
// mixed order, so that the last one does not hide the others; many points become one image.
#pragma once

#include "plot/canvas.hpp"
#include "plot/coloring.hpp"

#include <span>

namespace mercer::plot {

struct PointStyle {
  double radius = 3;
  double alpha = 1;
  bool outlined = true;  ///< a thin darker line around each marker
  bool halo = false;     ///< a white line instead, to stand out from a coloured ground
  bool shapes = true;    ///< false when markers are too small to be told apart
};

/// `at` are positions on the page within `box`.
[[nodiscard]] PointStyle point_style(std::span<const Point> at, const Rect& box);
/// For small pictures of a shape: many points are finer, and not outlined.
[[nodiscard]] PointStyle finer(PointStyle style);

/// What a position adds to the style, e.g. with its depth in space.
struct Emphasis {
  double size = 1;  ///< multiplies the radius
  double fade = 0;  ///< 0 as it is .. 1 white
};

/// Order: as given by `order` when it is not empty, else mixed. Emphasis: one a point, or none.
void draw_points(Canvas& canvas, const Rect& box, std::span<const Point> at, const Coloring& coloring,
                 const PointStyle& style, std::span<const std::size_t> order = {},
                 std::span<const Emphasis> emphasis = {});

/// One marker as the points have it, for the legend.
void draw_sample(Canvas& canvas, Point at, const Look& look, const PointStyle& style);

}  // namespace mercer::plot
