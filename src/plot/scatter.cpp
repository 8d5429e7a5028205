// scatter() and panels(): one cloud, or several that share a legend.
#include "plot/figures.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

namespace mercer::plot {
namespace {

constexpr double legend_share = 0.24;  // of the page's width, at most
constexpr double panel_space = 20;

double or_default(double asked, double natural) { return asked != 0 ? asked : natural; }

bool needs_legend(const Coloring& coloring, Index columns) {
  // A strip plot names its classes along the axis.
  return columns != 1 || coloring.kind() == Coloring::Kind::scale || !names_strips(coloring);
}

void check_panels(const std::vector<Panel>& panels) {
  if (panels.empty()) throw Error(ErrorCode::usage, "there are no panels to draw");
  for (std::size_t i = 0; i < panels.size(); ++i) {
    check_points(panels[i].points, fmt::format("panel {}", i + 1));
    if (panels[i].points.rows() != panels[0].points.rows())
      throw Error(ErrorCode::bad_data,
                  fmt::format("panel {} has {} points, panel 1 has {}", i + 1, panels[i].points.rows(),
                              panels[0].points.rows()),
                  "panels share one legend, and so their points");
  }
}

struct Size {
  double w, h;
};

/// A page that points drawn to one scale fill, beside the axes' names and a legend: no wider than usual, no
/// higher, and not too narrow for a title.
Size size_around(const MatrixView<double>& points) {
  constexpr double width = 800, height = 600, beside = 230, above = 110;
  if (points.cols() != 2 || points.rows() == 0) return {width, height};
  const Eigen::RowVectorXd spread = points.colwise().maxCoeff() - points.colwise().minCoeff();
  if (!(spread.minCoeff() > 0) || !spread.allFinite()) return {width, height};
  const double slope = spread[1] / spread[0];
  if (slope < (height - above) / (width - beside))
    return {width, std::max(300.0, above + slope * (width - beside))};
  return {std::max(480.0, beside + (height - above) / slope), height};
}

double room_for_legend(const Canvas& canvas) { return canvas.page().h - 4 * page_margin; }

}  // namespace

void draw_scatter(Canvas& canvas, const MatrixView<double>& points, const std::optional<Label>& label,
                  const Style& style) {
  check_points(points, "scatter");
  const Coloring coloring(label, points.rows());
  const bool with_legend = needs_legend(coloring, points.cols());
  const Legend legend(canvas, coloring, canvas.page().w * legend_share, room_for_legend(canvas));
  const PageLayout layout = lay_out_page(canvas, style.title, with_legend ? legend.width() : 0);
  const Cloud cloud{points, coloring, style.axes, {.equal_aspect = style.equal_aspect}};
  const PointStyle drawn = draw_cloud(canvas, layout.body, measure_cloud(canvas, layout.body, cloud), cloud);
  if (with_legend) legend.draw(canvas, {layout.side.x, layout.side.y}, drawn);
}

void draw_panels(Canvas& canvas, const std::vector<Panel>& panels, const std::optional<Label>& label,
                 const Style& style) {
  check_panels(panels);
  const Coloring coloring(label, panels[0].points.rows());
  const Legend legend(canvas, coloring, canvas.page().w * legend_share, room_for_legend(canvas));
  const PageLayout layout = lay_out_page(canvas, style.title, legend.width());
  const auto count = static_cast<Index>(panels.size());
  const Index columns = grid_columns(count), rows = (count + columns - 1) / columns;

  std::vector<Cloud> clouds;
  Margins margins;
  for (Index i = 0; i < count; ++i) {
    const Panel& panel = panels[static_cast<std::size_t>(i)];
    const auto& names = panel.axes.empty() ? style.axes : panel.axes;
    const AxesOptions options{
        .title = panel.title, .equal_aspect = panel.equal_aspect || style.equal_aspect, .text = 9.5};
    clouds.push_back({panel.points, coloring, names, options});
    margins = margins.or_larger(
        measure_cloud(canvas, grid_cell(layout.body, rows, columns, i, panel_space), clouds.back()));
  }
  PointStyle drawn;
  for (Index i = 0; i < count; ++i)
    drawn = draw_cloud(canvas, grid_cell(layout.body, rows, columns, i, panel_space), margins,
                       clouds[static_cast<std::size_t>(i)]);
  legend.draw(canvas, {layout.side.x, layout.side.y + margins.top}, drawn);
}

std::vector<Panel> pairs(const MatrixView<double>& scores, Index columns) {
  columns = std::min(columns, scores.cols());
  if (columns < 2) throw Error(ErrorCode::usage, "pairs of components need at least two columns");
  std::vector<Panel> out;
  for (Index i = 0; i < columns; ++i)
    for (Index j = i + 1; j < columns; ++j) {
      Panel panel;
      panel.points.resize(scores.rows(), 2);
      panel.points << scores.col(i), scores.col(j);
      panel.axes = {fmt::format("PC{}", i + 1), fmt::format("PC{}", j + 1)};
      out.push_back(std::move(panel));
    }
  return out;
}

void scatter(const std::string& path, const MatrixView<double>& points, const std::optional<Label>& label,
             const Style& style) {
  const Format format = format_of(path);
  const bool strip = points.cols() == 1;
  const Size natural = strip ? Size{800, 420} : style.equal_aspect ? size_around(points) : Size{800, 600};
  Canvas canvas(format, or_default(style.width, natural.w), or_default(style.height, natural.h), style.title);
  draw_scatter(canvas, points, label, style);
  save(canvas, path);
}

void panels(const std::string& path, const std::vector<Panel>& panels, const std::optional<Label>& label,
            const Style& style) {
  const Format format = format_of(path);
  const auto count = std::max<Index>(1, static_cast<Index>(panels.size()));
  const Index columns = grid_columns(count), rows = (count + columns - 1) / columns;
  const double title = style.title.empty() ? 0 : title_room, legend = label ? 110 : 0;
  const double width = std::min(1600.0, 300.0 * static_cast<double>(columns)),
               cell = width / static_cast<double>(columns);
  Canvas canvas(format, or_default(style.width, width + legend),
                or_default(style.height,
                           std::min(4000.0, cell * 0.95 * static_cast<double>(rows) + title + page_margin)),
                style.title);
  draw_panels(canvas, panels, label, style);
  save(canvas, path);
}

}  // namespace mercer::plot
