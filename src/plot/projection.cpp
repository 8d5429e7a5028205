// A rotation about the vertical axis, a tilt, and division by the distance from the eye.
#include "plot/projection.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace mercer::plot {
namespace {

constexpr double azimuth = -58 * std::numbers::pi / 180;  // where the eye stands, about the z axis
constexpr double elevation = 20 * std::numbers::pi / 180;
constexpr double distance = 6;     // of the eye from the middle, in edges of the cube
constexpr double flatness = 0.82;  // height of the box over its width

}  // namespace

Projection::Seen Projection::see(const Space& p) {
  const double x = p[0] - 0.5, y = p[1] - 0.5, z = (p[2] - 0.5) * flatness;
  const double ca = std::cos(azimuth), sa = std::sin(azimuth), ce = std::cos(elevation),
               se = std::sin(elevation);
  const double right = -sa * x + ca * y;     // along the screen
  const double inward = -(ca * x + sa * y);  // horizontally away from the eye
  const double up = ce * z + se * inward;
  const double away = ce * inward - se * z;
  const double perspective = distance / (distance + away);
  return {right * perspective, -up * perspective, away};
}

Projection::Projection(const Rect& area) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  double left = inf, right = -inf, top = inf, bottom = -inf;
  nearest_ = inf, farthest_ = -inf;
  for (int corner = 0; corner < 8; ++corner) {
    const Seen s = see({static_cast<double>(corner & 1), static_cast<double>(corner >> 1 & 1),
                        static_cast<double>(corner >> 2)});
    left = std::min(left, s.x), right = std::max(right, s.x);
    top = std::min(top, s.y), bottom = std::max(bottom, s.y);
    nearest_ = std::min(nearest_, s.away), farthest_ = std::max(farthest_, s.away);
  }
  scale_ = std::min(area.w / (right - left), area.h / (bottom - top));
  shift_ = {area.center().x - scale_ * (left + right) / 2, area.center().y - scale_ * (top + bottom) / 2};
}

Point Projection::at(const Space& p) const {
  const Seen s = see(p);
  return {shift_.x + scale_ * s.x, shift_.y + scale_ * s.y};
}

double Projection::depth(const Space& p) const { return (see(p).away - nearest_) / (farthest_ - nearest_); }

}  // namespace mercer::plot
