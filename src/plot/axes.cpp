// Layout and drawing of Axes.
#include "plot/axes.hpp"

#include <cmath>

namespace mercer::plot {
namespace {

constexpr double tick_length = 4, gap = 4;

Font tick_font(const AxesOptions& o) { return {o.text, false, soft_ink}; }
Font name_font(const AxesOptions& o) { return {o.text + 1, false, ink}; }
Font title_font(const AxesOptions& o) { return {o.text + 1, true, ink}; }

Ticks vertical_ticks(const Axis& axis, double length, const Font& font) {
  if (axis.ticks) return *axis.ticks;
  return nice_ticks(axis.range, std::clamp(static_cast<int>(length / (font.size * 3.6)), 2, 8));
}

Ticks horizontal_ticks(const Canvas& canvas, const Axis& axis, double length, const Font& font) {
  return axis.ticks ? *axis.ticks : ticks_that_fit(canvas, axis.range, length, font);
}

double widest(const Canvas& canvas, const std::vector<std::string>& labels, const Font& font) {
  double width = 0;
  for (const std::string& label : labels) width = std::max(width, canvas.text_width(label, font));
  return width;
}

/// Widens one of the ranges until a unit is as long in both directions.
void make_aspect_equal(const Rect& box, Range& x, Range& y) {
  const double unit = std::min(box.w / x.span(), box.h / y.span());
  const double dx = (box.w / unit - x.span()) / 2, dy = (box.h / unit - y.span()) / 2;
  x = {x.low - dx, x.high + dx};
  y = {y.low - dy, y.high + dy};
}

}  // namespace

Ticks ticks_that_fit(const Canvas& canvas, const Range& range, double length, const Font& font) {
  for (int most = std::clamp(static_cast<int>(length / 38), 2, 8);; --most) {
    Ticks ticks = nice_ticks(range, most);
    const double apart = ticks.step / range.span() * length;
    if (most <= 2 || widest(canvas, ticks.labels, font) + font.size <= apart) return ticks;
  }
}

std::string name_with_factor(const std::string& name, const Ticks& ticks) {
  if (ticks.factor.empty()) return name;
  return name.empty() ? ticks.factor : name + " (" + ticks.factor + ")";
}

Margins Axes::measure(const Canvas& canvas, const Rect& area, const Axis& x, const Axis& y,
                      const AxesOptions& options) {
  const Font small = tick_font(options), large = name_font(options);
  Margins m;
  if (!options.title.empty()) m.top = title_font(options).size * 1.75;
  if (x.labels) m.bottom = tick_length + gap + small.size + (x.name.empty() ? 0 : gap + large.size * 1.2);
  if (y.labels) {
    const Ticks ticks = vertical_ticks(y, area.h - m.top - m.bottom, small);
    const bool named = !name_with_factor(y.name, ticks).empty();
    m.left = tick_length + gap + widest(canvas, ticks.labels, small) + (named ? gap * 2 + large.size : 0);
  }
  if (x.labels) {  // the outermost labels may reach beyond the box
    Range range = x.range, other = y.range;
    const Rect box = m.shrink(area);
    if (options.equal_aspect) make_aspect_equal(box, range, other);
    const Axis widened{range, x.name, x.ticks};
    const Ticks ticks = horizontal_ticks(canvas, widened, box.w, small);
    for (std::size_t i = 0; i < ticks.at.size(); ++i) {
      const double half = canvas.text_width(ticks.labels[i], small) / 2,
                   at = range.fraction(ticks.at[i]) * box.w;
      m.left = std::max(m.left, half - at);
      m.right = std::max(m.right, half - (box.w - at));
    }
  }
  return m;
}

Axes::Axes(Canvas& canvas, const Rect& area, const Margins& margins, Axis x, Axis y, AxesOptions options)
    : canvas_(canvas),
      box_(margins.shrink(area)),
      x_(std::move(x)),
      y_(std::move(y)),
      options_(std::move(options)) {
  if (options_.equal_aspect) make_aspect_equal(box_, x_.range, y_.range);
  x_ticks_ = horizontal_ticks(canvas_, x_, box_.w, tick_font(options_));
  y_ticks_ = vertical_ticks(y_, box_.h, tick_font(options_));
  y_label_width_ = widest(canvas_, y_ticks_.labels, tick_font(options_));
}

void Axes::draw_grid() {
  const Pen pen{grid_gray, 0.8};
  if (x_.grid)
    for (const double v : x_ticks_.at) canvas_.line({at(v, 0).x, box_.y}, {at(v, 0).x, box_.bottom()}, pen);
  if (y_.grid)
    for (const double v : y_ticks_.at) canvas_.line({box_.x, at(0, v).y}, {box_.right(), at(0, v).y}, pen);
}

void Axes::draw_frame() {
  const Pen pen{axis_gray, 0.9};
  const Font small = tick_font(options_), large = name_font(options_);
  if (options_.closed)
    canvas_.stroke(box_, pen);
  else
    canvas_.polyline(
        std::vector<Point>{{box_.x, box_.y}, {box_.x, box_.bottom()}, {box_.right(), box_.bottom()}}, pen);

  if (x_.labels) {
    for (std::size_t i = 0; i < x_ticks_.at.size(); ++i) {
      const double x = at(x_ticks_.at[i], 0).x;
      canvas_.line({x, box_.bottom()}, {x, box_.bottom() + tick_length}, pen);
      canvas_.text(x_ticks_.labels[i], {x, box_.bottom() + tick_length + gap}, small, Along::middle,
                   Across::top);
    }
    const std::string name = canvas_.elide(name_with_factor(x_.name, x_ticks_), large, box_.w);
    canvas_.text(name, {box_.center().x, box_.bottom() + tick_length + 2 * gap + small.size}, large,
                 Along::middle, Across::top);
  }
  if (y_.labels) {
    for (std::size_t i = 0; i < y_ticks_.at.size(); ++i) {
      const double y = at(0, y_ticks_.at[i]).y;
      canvas_.line({box_.x - tick_length, y}, {box_.x, y}, pen);
      canvas_.text(y_ticks_.labels[i], {box_.x - tick_length - gap, y}, small, Along::end, Across::middle);
    }
    const std::string name = canvas_.elide(name_with_factor(y_.name, y_ticks_), large, box_.h);
    const double x = box_.x - tick_length - 3 * gap - y_label_width_;
    canvas_.text(name, {x, box_.center().y}, large, Along::middle, Across::bottom, -90);
  }
  if (!options_.title.empty()) {
    const Font font = title_font(options_);
    canvas_.text(canvas_.elide(options_.title, font, box_.w), {box_.x, box_.y - 0.5 * font.size}, font);
  }
}

}  // namespace mercer::plot
