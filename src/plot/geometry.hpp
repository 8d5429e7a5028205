// Points, rectangles and ranges of the page: y grows downwards, one unit is one point (a pixel at
// scale 1). Shared by everything that draws.
#pragma once

#include <algorithm>
#include <array>

namespace mercer::plot {

struct Point {
  double x = 0, y = 0;
};

struct Rect {
  double x = 0, y = 0, w = 0, h = 0;

  [[nodiscard]] double right() const { return x + w; }
  [[nodiscard]] double bottom() const { return y + h; }
  [[nodiscard]] Point center() const { return {x + w / 2, y + h / 2}; }
  [[nodiscard]] Rect inset(double by) const { return {x + by, y + by, w - 2 * by, h - 2 * by}; }
  [[nodiscard]] bool overlaps(const Rect& o) const {
    return x < o.right() && o.x < right() && y < o.bottom() && o.y < bottom();
  }
  [[nodiscard]] bool contains(const Rect& o) const {
    return o.x >= x && o.y >= y && o.right() <= right() && o.bottom() <= bottom();
  }
};

/// A rectangle that may be turned: its corners in order.
struct Quad {
  std::array<Point, 4> corners;

  [[nodiscard]] Rect bounds() const {
    const auto [left, right] = std::minmax({corners[0].x, corners[1].x, corners[2].x, corners[3].x});
    const auto [top, bottom] = std::minmax({corners[0].y, corners[1].y, corners[2].y, corners[3].y});
    return {left, top, right - left, bottom - top};
  }
  /// Two convex shapes are apart exactly when a line along one of their sides separates them.
  [[nodiscard]] bool overlaps(const Quad& o) const { return !separated_from(o) && !o.separated_from(*this); }

 private:
  [[nodiscard]] bool separated_from(const Quad& o) const {
    for (std::size_t i = 0; i < 4; ++i) {
      const Point a = corners[i], b = corners[(i + 1) % 4], opposite = corners[(i + 2) % 4];
      const auto side = [&](const Point& p) { return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x); };
      const double inside = side(opposite) < 0 ? -1 : 1;
      if (std::all_of(o.corners.begin(), o.corners.end(),
                      [&](const Point& p) { return inside * side(p) <= 0; }))
        return true;
    }
    return false;
  }
};

/// Room around a rectangle.
struct Margins {
  double left = 0, right = 0, top = 0, bottom = 0;

  [[nodiscard]] Rect shrink(const Rect& r) const {
    return {r.x + left, r.y + top, std::max(1.0, r.w - left - right), std::max(1.0, r.h - top - bottom)};
  }
  [[nodiscard]] Margins or_larger(const Margins& o) const {
    return {std::max(left, o.left), std::max(right, o.right), std::max(top, o.top),
            std::max(bottom, o.bottom)};
  }
};

/// An interval of data values.
struct Range {
  double low = 0, high = 1;

  [[nodiscard]] double span() const { return high - low; }
  [[nodiscard]] double middle() const { return low + (high - low) / 2; }
  /// 0 at low, 1 at high.
  [[nodiscard]] double fraction(double v) const { return (v - low) / (high - low); }
  [[nodiscard]] Range padded(double share) const { return {low - share * span(), high + share * span()}; }
};

}  // namespace mercer::plot
