// Marker outlines: regular polygons, stars and crosses around the origin, made once.
#include "plot/marker.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace mercer::plot {
namespace {

using Outline = std::vector<Point>;

double area(const Outline& o) {
  double twice = 0;
  for (std::size_t i = 0; i < o.size(); ++i) {
    const Point &p = o[i], &q = o[(i + 1) % o.size()];
    twice += p.x * q.y - q.x * p.y;
  }
  return std::abs(twice) / 2;
}

/// Scaled to `share` of the unit circle's area. Shapes with long arms look larger than they are.
Outline scaled(Outline o, double share = 1) {
  const double factor = std::sqrt(share * std::numbers::pi / area(o));
  for (Point& p : o) p = {p.x * factor, p.y * factor};
  return o;
}

/// Corners on a circle, first one at `turn` degrees; every second at the inner radius.
Outline corners(int count, double turn, double inner = 1) {
  Outline o;
  for (int i = 0; i < count; ++i) {
    const double angle = (turn + 360.0 * i / count) * std::numbers::pi / 180, r = i % 2 ? inner : 1;
    o.push_back({r * std::cos(angle), r * std::sin(angle)});
  }
  return o;
}

/// A plus sign with arms of half-width w, turned.
Outline plus(double w, double turn) {
  Outline o = {{-w, -1}, {w, -1}, {w, -w}, {1, -w}, {1, w},   {w, w},
               {w, 1},   {-w, 1}, {-w, w}, {-1, w}, {-1, -w}, {-w, -w}};
  const double c = std::cos(turn * std::numbers::pi / 180), s = std::sin(turn * std::numbers::pi / 180);
  for (Point& p : o) p = {c * p.x - s * p.y, s * p.x + c * p.y};
  return o;
}

const Outline& outline_of(Marker marker) {
  static const std::array<Outline, marker_count> outlines = {
      Outline{},                             // the circle has none
      scaled(corners(4, 45)),                // square
      scaled(corners(3, -90), 0.95),         // triangle
      scaled(corners(4, -90)),               // diamond
      scaled(corners(3, 90), 0.95),          // triangle_down
      scaled(plus(0.36, 0), 0.92),           // plus
      scaled(corners(5, -90)),               // pentagon
      scaled(plus(0.36, 45), 0.92),          // cross
      scaled(corners(10, -90, 0.45), 0.95),  // star
      scaled(corners(6, 0)),                 // hexagon
  };
  return outlines[static_cast<std::size_t>(marker)];
}

}  // namespace

void draw_marker(Canvas& canvas, Marker marker, Point at, double radius, const Color& color,
                 const std::optional<Pen>& outline) {
  if (marker == Marker::circle) {
    canvas.circle(at, radius, color, outline);
    return;
  }
  std::array<Point, 12> corners_at;
  const Outline& o = outline_of(marker);
  for (std::size_t i = 0; i < o.size(); ++i) corners_at[i] = {at.x + radius * o[i].x, at.y + radius * o[i].y};
  canvas.polygon(std::span(corners_at.data(), o.size()), color, outline);
}

}  // namespace mercer::plot
