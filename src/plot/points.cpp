// Point sizes were chosen by eye between 20 points and a million.
#include "plot/points.hpp"

#include "base/random.hpp"
#include "plot/marker.hpp"

#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

namespace mercer::plot {
namespace {

constexpr std::size_t most_vector_points = 3000;  // beyond, svg and pdf get an image

/// How many markers lie on top of each other where a typical point is.
double typical_cover(std::span<const Point> at, double radius) {
  const double cell = 4 * radius;
  std::map<std::pair<long, long>, double> counts;
  const auto key = [&](const Point& p) {
    return std::pair(std::lround(p.x / cell), std::lround(p.y / cell));
  };
  const std::size_t stride = std::max<std::size_t>(1, at.size() / 20000);  // a sample is enough
  for (std::size_t i = 0; i < at.size(); i += stride) counts[key(at[i])] += static_cast<double>(stride);
  double squares = 0, total = 0;
  for (const auto& [where, count] : counts) squares += count * count, total += count;
  return squares / total * std::numbers::pi * radius * radius / (cell * cell);
}

std::vector<std::size_t> mixed_order(std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random random(1);
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

std::optional<Pen> outline_for(const Color& color, const PointStyle& style, double fade) {
  if (style.halo) return Pen{white.with_alpha(0.95), std::clamp(0.28 * style.radius, 0.4, 1.0)};
  if (!style.outlined) return {};
  return Pen{color.towards(Color::hex(0x000000), 0.45)
                 .towards(white, fade)
                 .with_alpha(std::min(1.0, style.alpha + 0.1)),
             0.5};
}

}  // namespace

PointStyle point_style(std::span<const Point> at, const Rect& box) {
  PointStyle style;
  if (at.empty()) return style;
  const double n = static_cast<double>(at.size());
  const double room = std::clamp(std::sqrt(box.w * box.h / (620.0 * 480.0)), 0.55, 1.2);
  style.radius = std::clamp(5.0 * std::pow(n / 40, -0.16), 0.7, 5.0) * std::sqrt(room);
  style.shapes = style.radius >= 1.5;
  style.outlined = style.radius >= 1.9;
  style.alpha = std::clamp(0.95 / (1 + 0.18 * typical_cover(at, style.radius)), 0.15, 0.9);
  return style;
}

PointStyle finer(PointStyle style) {
  if (style.radius > 3) return style;
  style.radius *= 0.78;
  style.outlined = false;
  return style;
}

void draw_points(Canvas& canvas, const Rect& box, std::span<const Point> at, const Coloring& coloring,
                 const PointStyle& style, std::span<const std::size_t> order,
                 std::span<const Emphasis> emphasis) {
  std::vector<std::size_t> mixed;
  if (order.empty()) {
    mixed = mixed_order(at.size());
    order = mixed;
  }
  const RasterLayer layer(canvas, box, at.size() > most_vector_points);
  for (const std::size_t i : order) {
    const Look look = coloring.look(i);
    const Emphasis e = emphasis.empty() ? Emphasis{} : emphasis[i];
    draw_marker(canvas, style.shapes ? look.marker : Marker::circle, at[i], style.radius * e.size,
                look.color.towards(white, e.fade).with_alpha(style.alpha),
                outline_for(look.color, style, e.fade));
  }
}

void draw_sample(Canvas& canvas, Point at, const Look& look, const PointStyle& style) {
  PointStyle clear = style;
  clear.alpha = std::max(0.85, style.alpha);
  clear.outlined = true;
  clear.halo = false;
  draw_marker(canvas, style.shapes ? look.marker : Marker::circle, at, std::clamp(style.radius, 3.6, 4.6),
              look.color.with_alpha(clear.alpha), outline_for(look.color, clear, 0));
}

}  // namespace mercer::plot
