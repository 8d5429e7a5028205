// contours(): the value of each component over the input plane as small maps, as in the figures of
// Schölkopf, Smola and Müller (1998): colour for sign and size, lines of equal value (the zero line
// stronger), the points on top.
#include "plot/contour_lines.hpp"
#include "plot/figures.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <cmath>

namespace mercer::plot {
namespace {

constexpr double padding = 0.13;         // of the larger range, on each side
constexpr Index grid_size = 129;         // samples along the longer side
constexpr int line_count = 9;
constexpr double cell_space = 14, text = 9.5;
constexpr double key_width = 56, key_height = 190;

struct Window {
  Range x, y;
};

/// Around the points, padded; never narrower than half as wide as high, or the reverse.
Window window_of(const MatrixView<double>& points) {
  const Vector<double> xs = points.col(0), ys = points.col(1);
  const auto n = static_cast<std::size_t>(points.rows());
  Range x = range_of({xs.data(), n}), y = range_of({ys.data(), n});
  const double pad = padding * std::max(x.span(), y.span());
  const auto widened = [&](const Range& r, const Range& other) {
    const double half = std::max(r.span() / 2, other.span() / 4) + pad;
    return Range{r.middle() - half, r.middle() + half};
  };
  return {widened(x, y), widened(y, x)};
}

struct Grid {
  Index rows, cols;
  Matrix<double> points;  ///< row by row from the top
};

Grid grid_over(const Window& w) {
  const double longer = std::max(w.x.span(), w.y.span());
  const auto samples = [&](const Range& r) { return std::max<Index>(2, std::lround(r.span() / longer * (grid_size - 1)) + 1); };
  Grid grid{samples(w.y), samples(w.x), {}};
  grid.points.resize(grid.rows * grid.cols, 2);
  for (Index r = 0; r < grid.rows; ++r)
    for (Index c = 0; c < grid.cols; ++c) {
      grid.points(r * grid.cols + c, 0) = w.x.low + w.x.span() * static_cast<double>(c) / static_cast<double>(grid.cols - 1);
      grid.points(r * grid.cols + c, 1) = w.y.high - w.y.span() * static_cast<double>(r) / static_cast<double>(grid.rows - 1);
    }
  return grid;
}

double interpolated(const Matrix<double>& values, double row, double col) {
  const Index r = std::min(static_cast<Index>(row), values.rows() - 2), c = std::min(static_cast<Index>(col), values.cols() - 2);
  const double v = row - static_cast<double>(r), u = col - static_cast<double>(c);
  return (1 - v) * ((1 - u) * values(r, c) + u * values(r, c + 1)) + v * ((1 - u) * values(r + 1, c) + u * values(r + 1, c + 1));
}

/// A pixel a grid sample is too coarse on paper: interpolate values, not colours.
Image shaded(const Matrix<double>& values, double largest) {
  constexpr int finer = 2;
  Image image(static_cast<int>(values.cols() - 1) * finer, static_cast<int>(values.rows() - 1) * finer);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x)
      image.set(x, y, diverging(interpolated(values, (y + 0.5) / finer, (x + 0.5) / finer) / largest));
  return image;
}

void draw_map(Canvas& canvas, const Rect& box, const Matrix<double>& values) {
  const double size = values.cwiseAbs().maxCoeff();
  canvas.image(box, shaded(values, size > 0 ? size : 1));
  if (size <= 1e-14) return;  // a component that is zero everywhere has no lines
  const Clip clip(canvas, box);
  for (const double level : contour_levels(values.minCoeff(), values.maxCoeff(), line_count)) {
    const bool zero = std::abs(level) < 1e-9 * size;
    const Pen pen{zero ? ink.with_alpha(0.9) : ink.with_alpha(0.42), zero ? 1.3 : 0.6};
    for (ContourLine& line : contour_lines(values, level)) {
      for (Point& p : line.points)
        p = {box.x + box.w * p.x / static_cast<double>(values.cols() - 1), box.y + box.h * p.y / static_cast<double>(values.rows() - 1)};
      canvas.polyline(line.points, pen, line.closed);
    }
  }
}

Matrix<double> checked_scores(const ScoreFunction& score_of, const Grid& grid, Index components) {
  Matrix<double> scores = score_of(grid.points);
  if (scores.rows() != grid.points.rows() || scores.cols() < components)
    throw Error(ErrorCode::bad_data, fmt::format("contours: {} x {} scores came back for {} grid points and {} components",
                                                 scores.rows(), scores.cols(), grid.points.rows(), components));
  if (!scores.leftCols(components).allFinite())
    throw Error(ErrorCode::bad_data, "contours: a component's value over the plane is not a finite number");
  return scores;
}

void check_contours(const MatrixView<double>& points, Index components) {
  check_points(points, "contours");
  if (points.cols() != 2)
    throw Error(ErrorCode::usage, fmt::format("contours need points with 2 columns, not {}", points.cols()),
                "draw the scores as a scatter instead");
  if (components < 1) throw Error(ErrorCode::usage, "contours: no component to draw");
}

/// Colours mean the same share of each map's own largest value; the maps' units differ.
void draw_key(Canvas& canvas, const Rect& side, double top) {
  draw_color_bar(canvas, {side.x, top + 6, 14, std::min(key_height, side.bottom() - top) - 12},
                 [](double t) { return diverging(2 * t - 1); }, {{0, "−max"}, {0.5, "0"}, {1, "max"}});
}

}  // namespace

void draw_contours(Canvas& canvas, const ScoreFunction& score_of, const MatrixView<double>& points, Index components,
                   const std::optional<Label>& label, const Style& style) {
  check_contours(points, components);
  const Coloring coloring(label, points.rows());
  const Window window = window_of(points);
  const Grid grid = grid_over(window);
  const Matrix<double> scores = checked_scores(score_of, grid, components);

  const Legend legend(canvas, coloring, canvas.page().w * 0.2, canvas.page().h - 4 * page_margin - key_height);
  const PageLayout layout = lay_out_page(canvas, style.title, std::max(legend.width(), key_width));
  const Index columns = grid_columns(components), rows = (components + columns - 1) / columns;

  // Only the left and the lowest maps have labels; all boxes have one size and the window's shape.
  const Axis x{window.x, axis_name(style.axes, 0, "x₁")}, y{window.y, axis_name(style.axes, 1, "x₂")};
  const Margins margins = Axes::measure(canvas, grid_cell(layout.body, rows, columns, 0, cell_space), x, y, {.title = "PC1", .text = text});
  const Rect inner = Margins{margins.left, margins.right, 0, margins.bottom}.shrink(layout.body);
  const Rect first = grid_cell(inner, rows, columns, 0, cell_space);
  const double unit = std::min(first.w / window.x.span(), (first.h - margins.top) / window.y.span());
  const double w = unit * window.x.span(), h = unit * window.y.span();

  PointStyle drawn;
  for (Index k = 0; k < components; ++k) {
    const Matrix<double> values = Eigen::Map<const Matrix<double>, 0, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>>(
        scores.data() + k, grid.rows, grid.cols, {grid.cols * scores.cols(), scores.cols()});
    const double left = inner.x + static_cast<double>(k % columns) * (w + cell_space);
    const double top = inner.y + static_cast<double>(k / columns) * (h + margins.top + cell_space);
    Axis own_x = x, own_y = y;
    own_x.labels = k + columns >= components;
    own_y.labels = k % columns == 0;
    Axes axes(canvas, {left, top, w, h + margins.top}, {0, 0, margins.top, 0}, own_x, own_y,
              {.title = axis_name(style.captions, static_cast<std::size_t>(k), fmt::format("PC{}", k + 1)), .closed = true, .text = text});
    draw_map(canvas, axes.box(), values);
    std::vector<Point> at;
    for (Index i = 0; i < points.rows(); ++i) at.push_back(axes.at(points(i, 0), points(i, 1)));
    drawn = point_style(at, axes.box());
    draw_points(canvas, axes.box(), at, coloring, drawn);
    axes.draw_frame();
  }
  legend.draw(canvas, {layout.side.x, inner.y + margins.top}, drawn);
  draw_key(canvas, layout.side, inner.y + margins.top + (legend.height() > 0 ? legend.height() + 18 : 0));
}

void contours(const std::string& path, const ScoreFunction& score_of, const MatrixView<double>& points, Index components,
              const std::optional<Label>& label, const Style& style) {
  const Format format = format_of(path);
  check_contours(points, components);
  const Index columns = grid_columns(components), rows = (components + columns - 1) / columns;
  const Window window = window_of(points);
  const double cell = columns == 1 ? 440 : 225;
  const double width = style.width != 0 ? style.width : std::min(1600.0, cell * static_cast<double>(columns) + 190);
  const double map = (width - 190) / static_cast<double>(columns) * window.y.span() / window.x.span();
  const double natural = static_cast<double>(rows) * (map + 24) + 76 + (style.title.empty() ? 0 : 30);
  Canvas canvas(format, width, style.height != 0 ? style.height : std::min(4000.0, std::max(300.0, natural)), style.title);
  draw_contours(canvas, score_of, points, components, label, style);
  save(canvas, path);
}

}  // namespace mercer::plot
