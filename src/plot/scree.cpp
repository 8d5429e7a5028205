// scree(): the share of variance of each component as bars, and below it what the first of them
// explain together as a line; two boxes instead of two scales in one. Shares are over the exact
// trace, so the line ends below 100 % unless everything was kept.
#include "plot/figures.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <cmath>

namespace mercer::plot {
namespace {

constexpr Color bar_color = Color::hex(0x4a90c2), line_color = Color::hex(0xc4560a);
constexpr double text = 10.5;

void check_report(const Report& report) {
  const Vector<double>& ratio = report.explained_variance_ratio;
  if (report.embedding && report.end == End::smallest)
    throw Error(ErrorCode::usage, fmt::format("scree: {} has no variances", report.method),
                "its components are the smoothest functions on the graph, not the largest directions");
  if (ratio.size() == 0) throw Error(ErrorCode::usage, "scree: the report has no components to draw");
  if (!ratio.allFinite())
    throw Error(ErrorCode::bad_data, "scree: a share of variance is not a finite number",
                "is the variance of the data zero?");
}

/// Percent labels for ticks at shares.
Ticks percent_ticks(const Range& range, int most) {
  Ticks ticks = nice_ticks({range.low * 100, range.high * 100}, most);
  for (std::size_t i = 0; i < ticks.at.size(); ++i) {
    ticks.at[i] /= 100;
    ticks.labels[i] += "\u00A0%";
  }
  return ticks;
}

/// 1, 2, 3, ... as long as that fits; then 1, 5, 10, ... or 1, 10, 20, ...
Ticks component_ticks(const Canvas& canvas, Index count, double width) {
  const double widest = canvas.text_width(fmt::format("{}", count), {text}) + 7;
  const double per_component = width / static_cast<double>(count);
  const auto step =
      static_cast<Index>(per_component >= widest ? 1 : nice_step(std::max(5.0, widest / per_component)));
  Ticks ticks;
  ticks.step = static_cast<double>(step);
  for (Index i = step == 1 ? 1 : 0; i <= count; i += step) {
    const Index shown = i == 0 ? 1 : i;
    ticks.at.push_back(static_cast<double>(shown));
    ticks.labels.push_back(fmt::format("{}", shown));
  }
  return ticks;
}

double widest_percent(const Canvas& canvas, const Vector<double>& ratio, const Font& font) {
  double width = 0;
  for (const double r : ratio) width = std::max(width, canvas.text_width(format_percent(r), font));
  return width;
}

void draw_bars(Canvas& canvas, const Axes& axes, const Vector<double>& ratio) {
  const double slot = axes.box().w / static_cast<double>(ratio.size());
  const double width = slot > 4 ? std::min(slot * 0.7, 60.0) : slot;
  const Font font{text - 1, false, soft_ink};
  const bool labelled = slot >= widest_percent(canvas, ratio, font) + 4;
  for (Index i = 0; i < ratio.size(); ++i) {
    const Point end = axes.at(static_cast<double>(i + 1), ratio[i]),
                foot = axes.at(static_cast<double>(i + 1), 0);
    const double top = std::min(end.y, foot.y);
    canvas.fill({end.x - width / 2, top, width, std::abs(foot.y - end.y)}, bar_color);
    if (labelled)
      canvas.text(format_percent(ratio[i]), {end.x, top - 2}, font, Along::middle, Across::bottom);
  }
}

void draw_cumulative(Canvas& canvas, const Axes& axes, const Vector<double>& cumulative) {
  const Index count = cumulative.size();
  std::vector<Point> line;
  for (Index i = 0; i < count; ++i) line.push_back(axes.at(static_cast<double>(i + 1), cumulative[i]));
  const Point left = axes.at(axes.x().low, 1), right = axes.at(axes.x().high, 1);
  canvas.line(left, right, {axis_gray, 0.9, {4, 3}});
  canvas.polyline(line, {line_color, 1.8});
  if (axes.box().w / static_cast<double>(count) >= 14)
    for (const Point& p : line) canvas.circle(p, 3, line_color, Pen{white, 1});
  // Below the end of the line, where a rising curve leaves room; above when it hardly rises.
  const Font font{text, true, line_color};
  const std::string share = format_percent(cumulative[count - 1]);
  const double half = canvas.text_width(share, font) / 2;
  const bool low = axes.box().bottom() - line.back().y < 3 * font.size;
  canvas.text(share, {std::min(line.back().x, axes.box().right() - half), line.back().y + (low ? -7 : 7)},
              font, Along::middle, low ? Across::bottom : Across::top);
}

}  // namespace

void draw_scree(Canvas& canvas, const Report& report, const Style& style) {
  check_report(report);
  const Vector<double>& ratio = report.explained_variance_ratio;
  const Index count = ratio.size();
  Vector<double> cumulative = ratio;
  for (Index i = 1; i < count; ++i) cumulative[i] += cumulative[i - 1];

  const Rect body = lay_out_page(canvas, style.title, 0).body;
  constexpr double space = 16;
  const Rect upper{body.x, body.y, body.w, body.h * 0.52 - space},
      lower{body.x, upper.bottom() + space, body.w, body.h * 0.48};
  Axis x{{0.5, static_cast<double>(count) + 0.5},
         axis_name(style.axes, 0, "component"),
         component_ticks(canvas, count, body.w - 70)};
  x.grid = false;
  Axis shares{{std::min(0.0, 1.12 * ratio.minCoeff()), std::max(1e-6, 1.12 * ratio.maxCoeff())},
              "share of variance"};
  shares.ticks = percent_ticks(shares.range, 5);
  Axis sums{{std::min(0.0, cumulative.minCoeff()), std::max(1.06, 1.06 * cumulative.maxCoeff())},
            "cumulative share"};
  sums.ticks = percent_ticks(sums.range, 6);
  Axis bare = x;
  bare.labels = false;

  const AxesOptions options{.text = text};
  Margins above = Axes::measure(canvas, upper, bare, shares, options),
          below = Axes::measure(canvas, lower, x, sums, options);
  above.left = below.left = std::max(above.left, below.left);
  above.right = below.right = std::max(above.right, below.right);
  Axes bars(canvas, upper, above, bare, shares, options), line(canvas, lower, below, x, sums, options);
  bars.draw_grid();
  draw_bars(canvas, bars, ratio);
  bars.draw_frame();
  line.draw_grid();
  draw_cumulative(canvas, line, cumulative);
  line.draw_frame();
}

void scree(const std::string& path, const Report& report, const Style& style) {
  Canvas canvas(format_of(path), style.width != 0 ? style.width : 760, style.height != 0 ? style.height : 480,
                style.title);
  draw_scree(canvas, report, style);
  save(canvas, path);
}

std::vector<std::string> captions(const Report& report) {
  std::vector<std::string> out;
  for (Index i = 0; i < report.variances.size(); ++i) {
    std::string caption = fmt::format("PC{} (λ = {}", i + 1, format_number(report.variances[i], 2));
    if (i < report.explained_variance_ratio.size())
      caption += ", " + format_percent(report.explained_variance_ratio[i]);
    out.push_back(caption + ")");
  }
  return out;
}

}  // namespace mercer::plot
