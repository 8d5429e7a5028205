// curve_panels(): boxes of curves side by side that share one legend, such as the factors of each mode of a
// CP model.
#include "plot/figures.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::plot {
namespace {

constexpr double text = 9.5, space = 20;

const std::vector<Curve>& longest(const std::vector<CurvePanel>& panels) {
  return std::max_element(
             panels.begin(), panels.end(),
             [](const CurvePanel& a, const CurvePanel& b) { return a.curves.size() < b.curves.size(); })
      ->curves;
}

void check(const std::vector<CurvePanel>& panels) {
  if (panels.empty()) throw Error(ErrorCode::usage, "there are no panels to draw");
  for (const CurvePanel& panel : panels) check_curves(panel.curves, false);
}

/// What an axis of whole numbers (samples, pixels) may show: no ticks between them.
Ticks whole_ticks(Ticks ticks) {
  if (ticks.step >= 1) return ticks;
  Ticks out;
  out.step = 1;
  for (std::size_t i = 0; i < ticks.at.size(); ++i)
    if (ticks.at[i] == std::floor(ticks.at[i])) {
      out.at.push_back(ticks.at[i]);
      out.labels.push_back(fmt::format("{:.0f}", ticks.at[i]));
    }
  return out;
}

bool all_whole(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return v == std::floor(v); });
}

struct Box {
  Axis x, y;
  AxesOptions options;
};

Box box_of(const Canvas& canvas, const CurvePanel& panel, const Rect& area, const Style& style) {
  std::vector<double> xs, ys;
  for (const Curve& c : panel.curves) {
    xs.insert(xs.end(), c.x.begin(), c.x.end());
    ys.insert(ys.end(), c.y.begin(), c.y.end());
  }
  const auto& names = panel.axes.empty() ? style.axes : panel.axes;
  Box box{{range_of(xs).padded(0.04), axis_name(names, 0, "")},
          {range_of(ys).padded(0.06), axis_name(names, 1, "")},
          {.title = panel.title, .text = text}};
  if (all_whole(xs)) box.x.ticks = whole_ticks(ticks_that_fit(canvas, box.x.range, area.w - 50, {text}));
  return box;
}

}  // namespace

void draw_curve_panels(Canvas& canvas, const std::vector<CurvePanel>& panels, const Style& style) {
  check(panels);
  const auto& named = longest(panels);
  const double key = curve_key_width(canvas, named);
  const PageLayout layout = lay_out_page(canvas, style.title, key);
  const auto count = static_cast<Index>(panels.size());
  const Index columns = grid_columns(count), rows = (count + columns - 1) / columns;
  std::vector<Box> boxes;
  Margins margins;
  for (Index i = 0; i < count; ++i) {
    const Rect area = grid_cell(layout.body, rows, columns, i, space);
    boxes.push_back(box_of(canvas, panels[static_cast<std::size_t>(i)], area, style));
    const Box& box = boxes.back();
    margins = margins.or_larger(Axes::measure(canvas, area, box.x, box.y, box.options));
  }
  for (Index i = 0; i < count; ++i) {
    const Box& box = boxes[static_cast<std::size_t>(i)];
    Axes axes(canvas, grid_cell(layout.body, rows, columns, i, space), margins, box.x, box.y, box.options);
    axes.draw_grid();
    // Each curve looks as its place in the longest list says.
    std::vector<Curve> curves = panels[static_cast<std::size_t>(i)].curves;
    curves.resize(named.size());
    draw_curve_lines(canvas, axes, curves, false);
    axes.draw_frame();
  }
  if (key > 0) draw_curve_key(canvas, Margins{0, 0, margins.top, 0}.shrink(layout.side), named);
}

void curve_panels(const std::string& path, const std::vector<CurvePanel>& panels, const Style& style) {
  const Format format = format_of(path);
  const auto count = std::max<Index>(1, static_cast<Index>(panels.size()));
  const Index columns = grid_columns(count), rows = (count + columns - 1) / columns;
  const double title = style.title.empty() ? 0 : title_room;
  const double width = std::min(1600.0, 330.0 * static_cast<double>(columns) + 120),
               height = std::min(4000.0, 270.0 * static_cast<double>(rows) + title + page_margin);
  Canvas canvas(format, style.width != 0 ? style.width : width, style.height != 0 ? style.height : height,
                style.title);
  draw_curve_panels(canvas, panels, style);
  save(canvas, path);
}

std::vector<CurvePanel> factor_panels(const std::vector<Block<double>>& factors,
                                      const std::vector<std::string>& modes) {
  std::vector<CurvePanel> out;
  for (std::size_t m = 0; m < factors.size(); ++m) {
    CurvePanel panel;
    panel.title = m < modes.size() ? modes[m] : fmt::format("mode {}", m);
    panel.axes = {"index", m == 0 ? "weight" : ""};
    for (Index r = 0; r < factors[m].cols(); ++r) {
      Curve curve{fmt::format("component {}", r + 1), {}, {}};
      for (Index i = 0; i < factors[m].rows(); ++i) {
        curve.x.push_back(static_cast<double>(i));
        curve.y.push_back(factors[m](i, r));
      }
      panel.curves.push_back(std::move(curve));
    }
    out.push_back(std::move(panel));
  }
  return out;
}

}  // namespace mercer::plot
