// curves(): several lines in one box, each with a marker and a colour of its own; x perhaps on a logarithmic
// scale.
#include "plot/figures.hpp"
#include "plot/marker.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::plot {
namespace {

constexpr double text = 10.5, key_line = 26;

/// Powers of two or of ten, whichever are few enough, at the logarithms of places.
Ticks log_ticks(const Range& range, double width) {
  constexpr double label = 52;
  const double step = range.span() > 4 ? 1 : std::log10(2.0), most = std::clamp(width / label, 2.0, 8.0);
  const double stride = step * std::max(1.0, std::ceil(range.span() / step / most));
  Ticks ticks;
  ticks.step = stride;
  for (double at = std::ceil(range.low / stride - 1e-9) * stride; at <= range.high + 1e-9; at += stride) {
    ticks.at.push_back(at);
    ticks.labels.push_back(format_number(std::pow(10.0, at), 2));
  }
  return ticks;
}

}  // namespace

void check_curves(const std::vector<Curve>& curves, bool log_x) {
  if (curves.empty()) throw Error(ErrorCode::usage, "curves: there is nothing to draw");
  for (const Curve& c : curves) {
    if (c.x.empty() || c.x.size() != c.y.size())
      throw Error(ErrorCode::usage,
                  fmt::format("curve '{}' has {} places and {} values", c.name, c.x.size(), c.y.size()));
    for (std::size_t i = 0; i < c.x.size(); ++i)
      if (!std::isfinite(c.x[i]) || !std::isfinite(c.y[i]) || (log_x && !(c.x[i] > 0)))
        throw Error(
            ErrorCode::bad_data, fmt::format("curve '{}': point {} is ({}, {})", c.name, i, c.x[i], c.y[i]),
            log_x ? "numbers, and x positive on a logarithmic scale" : "only finite numbers can be drawn");
  }
}

double curve_key_width(const Canvas& canvas, const std::vector<Curve>& curves) {
  double widest = 0;
  for (const Curve& c : curves) widest = std::max(widest, canvas.text_width(c.name, {text}));
  return curves.size() > 1 ? std::min(widest + key_line + 2, canvas.page().w * 0.34) : 0;
}

void draw_curve_key(Canvas& canvas, const Rect& side, const std::vector<Curve>& curves) {
  constexpr double row = 18;
  const auto room = static_cast<std::size_t>(std::max(1.0, side.h / row));
  for (std::size_t i = 0; i < std::min(curves.size(), room); ++i) {
    const Look look = class_look(i, curves.size());
    const double y = side.y + row * (static_cast<double>(i) + 0.7);
    canvas.line({side.x, y}, {side.x + key_line - 8, y}, {look.color, 1.8});
    draw_marker(canvas, look.marker, {side.x + (key_line - 8) / 2, y}, 3.4, look.color, Pen{white, 0.8});
    canvas.text(canvas.elide(curves[i].name, {text}, side.w - key_line), {side.x + key_line, y}, {text},
                Along::start, Across::middle);
  }
}

void draw_curve_lines(Canvas& canvas, const Axes& axes, const std::vector<Curve>& curves, bool log_x) {
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const Look look = class_look(i, curves.size());
    std::vector<Point> line;
    if (curves[i].x.empty()) continue;
    for (std::size_t j = 0; j < curves[i].x.size(); ++j)
      line.push_back(axes.at(log_x ? std::log10(curves[i].x[j]) : curves[i].x[j], curves[i].y[j]));
    canvas.polyline(line, {look.color, 1.8});
    // Where points lie close, some of them: enough to tell the curves apart without their colours.
    constexpr double close = 8, apart = 44;
    const double step = axes.box().w / static_cast<double>(std::max<std::size_t>(1, line.size() - 1));
    const auto every = step >= close ? std::size_t{1} : static_cast<std::size_t>(std::ceil(apart / step));
    for (std::size_t j = (i + 1) * every / (curves.size() + 1); j < line.size(); j += every)
      draw_marker(canvas, look.marker, line[j], 3.4, look.color, Pen{white, 0.8});
  }
}

void draw_curves(Canvas& canvas, const std::vector<Curve>& curves, bool log_x, const Style& style) {
  check_curves(curves, log_x);
  std::vector<double> xs, ys;
  for (const Curve& c : curves) {
    for (const double x : c.x) xs.push_back(log_x ? std::log10(x) : x);
    ys.insert(ys.end(), c.y.begin(), c.y.end());
  }
  const double key = curve_key_width(canvas, curves);
  const PageLayout layout = lay_out_page(canvas, style.title, key);
  Axis x{range_of(xs).padded(0.04), axis_name(style.axes, 0, "x")},
      y{range_of(ys).padded(0.06), axis_name(style.axes, 1, "y")};
  if (log_x) x.ticks = log_ticks(x.range, layout.body.w);
  const AxesOptions options{.text = text};
  Axes axes(canvas, layout.body, Axes::measure(canvas, layout.body, x, y, options), x, y, options);
  axes.draw_grid();
  draw_curve_lines(canvas, axes, curves, log_x);
  axes.draw_frame();
  if (key > 0) draw_curve_key(canvas, layout.side, curves);
}

void curves(const std::string& path, const std::vector<Curve>& curves, bool log_x, const Style& style) {
  Canvas canvas(format_of(path), style.width != 0 ? style.width : 760, style.height != 0 ? style.height : 440,
                style.title);
  draw_curves(canvas, curves, log_x, style);
  save(canvas, path);
}

}  // namespace mercer::plot
