// A cloud of points in the plane, or on a line with classes below each other.
#include "base/random.hpp"
#include "plot/figures.hpp"

#include <cmath>

namespace mercer::plot {
namespace {

constexpr double padding = 0.05;         // of the range, on each side
constexpr std::size_t most_strips = 12;  // classes with a strip of their own

Range column_range(const MatrixView<double>& points, Index column) {
  const Vector<double> values = points.col(column);
  return range_of({values.data(), static_cast<std::size_t>(values.size())}).padded(padding);
}

/// Both axes of the cloud; a strip's y axis carries the classes.
std::pair<Axis, Axis> axes_of(const Canvas& canvas, const Cloud& cloud) {
  if (cloud.options.bare) {
    const Range up = cloud.points.cols() > 1 ? column_range(cloud.points, 1) : Range{-0.5, 0.5};
    Axis x{column_range(cloud.points, 0), ""}, y{up, ""};
    x.labels = y.labels = x.grid = y.grid = false;
    return {x, y};
  }
  const Axis x{column_range(cloud.points, 0), axis_name(cloud.axes, 0, "PC1")};
  if (cloud.points.cols() > 1) return {x, {column_range(cloud.points, 1), axis_name(cloud.axes, 1, "PC2")}};
  const std::size_t strips = names_strips(cloud.coloring) ? cloud.coloring.entries().size() : 1;
  Axis y{{-static_cast<double>(strips) + 0.5, 0.5},
         names_strips(cloud.coloring) ? cloud.coloring.title() : "",
         Ticks{}};
  y.grid = false;
  if (names_strips(cloud.coloring))
    for (std::size_t c = 0; c < strips; ++c) {
      y.ticks->at.push_back(-static_cast<double>(c));
      y.ticks->labels.push_back(canvas.elide(cloud.coloring.entries()[c].name, {cloud.options.text}, 140));
    }
  return {x, y};
}

/// Which strip each point belongs to, as a value of the y axis, with room to see equal values.
std::vector<double> strip_positions(const Cloud& cloud) {
  std::vector<double> y(static_cast<std::size_t>(cloud.points.rows()));
  Random random(2);
  const bool strips = names_strips(cloud.coloring) && !cloud.options.bare;
  const double spread = strips ? 0.3 : 0.22;
  for (std::size_t i = 0; i < y.size(); ++i) {
    double strip = 0;
    if (strips) strip = -static_cast<double>(cloud.coloring.entry_of(i));
    y[i] = strip + spread * (2 * random.uniform() - 1);
  }
  return y;
}

}  // namespace

bool names_strips(const Coloring& coloring) {
  return coloring.kind() == Coloring::Kind::classes && coloring.entries().size() <= most_strips;
}

Margins measure_cloud(const Canvas& canvas, const Rect& area, const Cloud& cloud) {
  if (cloud.points.cols() > 2) return {0, 0, cloud.options.title.empty() ? 0 : cloud.options.text * 1.9, 0};
  const auto [x, y] = axes_of(canvas, cloud);
  return Axes::measure(canvas, area, x, y, cloud.options);
}

PointStyle draw_cloud(Canvas& canvas, const Rect& area, const Margins& margins, const Cloud& cloud) {
  if (cloud.points.cols() > 2) return draw_space(canvas, area, margins, cloud);
  auto [x, y] = axes_of(canvas, cloud);
  AxesOptions options = cloud.options;
  if (cloud.points.cols() == 1) options.equal_aspect = false;
  Axes axes(canvas, area, margins, std::move(x), std::move(y), options);
  const auto n = static_cast<std::size_t>(cloud.points.rows());
  const std::vector<double> strips =
      cloud.points.cols() == 1 ? strip_positions(cloud) : std::vector<double>();
  std::vector<Point> at(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = static_cast<Index>(i);
    at[i] = axes.at(cloud.points(row, 0), strips.empty() ? cloud.points(row, 1) : strips[i]);
  }
  axes.draw_grid();
  PointStyle style = point_style(at, axes.box());
  if (options.bare) style = finer(style);
  draw_points(canvas, axes.box(), at, cloud.coloring, style);
  if (!options.bare) axes.draw_frame();
  return style;
}

}  // namespace mercer::plot
