// Draws one marker. All shapes have about the same area, so that no class looks louder.
#pragma once

#include "plot/canvas.hpp"
#include "plot/palette.hpp"

namespace mercer::plot {

/// `radius` is that of the circle; other shapes get its area.
void draw_marker(Canvas& canvas, Marker marker, Point at, double radius, const Color& color,
                 const std::optional<Pen>& outline = {});

}  // namespace mercer::plot
