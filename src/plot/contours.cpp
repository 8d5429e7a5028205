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

constexpr double padding = 0.13;  // of the larger range, on each side
constexpr Index grid_size = 129;  // samples along the longer side
constexpr int line_count = 14;
constexpr double cell_space = 14, text = 9.5;
constexpr double key_width = 56, key_height = 150, least_key_height = 92, key_space = 18;

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
  const auto samples = [&](const Range& r) {
    return std::max<Index>(2, std::lround(r.span() / longer * (grid_size - 1)) + 1);
  };
  Grid grid{samples(w.y), samples(w.x), {}};
  grid.points.resize(grid.rows * grid.cols, 2);
  for (Index r = 0; r < grid.rows; ++r)
    for (Index c = 0; c < grid.cols; ++c) {
      grid.points(r * grid.cols + c, 0) =
          w.x.low + w.x.span() * static_cast<double>(c) / static_cast<double>(grid.cols - 1);
      grid.points(r * grid.cols + c, 1) =
          w.y.high - w.y.span() * static_cast<double>(r) / static_cast<double>(grid.rows - 1);
    }
  return grid;
}

double interpolated(const Matrix<double>& values, double row, double col) {
  const Index r = std::min(static_cast<Index>(row), values.rows() - 2),
              c = std::min(static_cast<Index>(col), values.cols() - 2);
  const double v = row - static_cast<double>(r), u = col - static_cast<double>(c);
  return (1 - v) * ((1 - u) * values(r, c) + u * values(r, c + 1)) +
         v * ((1 - u) * values(r + 1, c) + u * values(r + 1, c + 1));
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
        p = {box.x + box.w * p.x / static_cast<double>(values.cols() - 1),
             box.y + box.h * p.y / static_cast<double>(values.rows() - 1)};
      canvas.polyline(line.points, pen, line.closed);
    }
  }
}

Matrix<double> checked_scores(const ScoreFunction& score_of, const Grid& grid, Index components) {
  Matrix<double> scores = score_of(grid.points);
  if (scores.rows() != grid.points.rows() || scores.cols() < components)
    throw Error(ErrorCode::bad_data,
                fmt::format("contours: {} x {} scores came back for {} grid points and {} components",
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
void draw_key(Canvas& canvas, const Rect& where) {
  canvas.text("score", {where.x, where.y}, {11, true, ink}, Along::start, Across::top);
  draw_color_bar(canvas, {where.x, where.y + 26, 14, where.h - 32},
                 [](double t) { return diverging(2 * t - 1); }, {{0, "−max"}, {0.5, "0"}, {1, "max"}});
}

/// The rows and columns of maps and the room that text needs around them.
struct MapLayout {
  Index columns, rows;
  Axis x, y;
  Margins margins;  ///< left and below: of the whole; top: of each map

  MapLayout(const Canvas& canvas, const Window& window, Index components, const Style& style,
            double map_width)
      : columns(grid_columns(components)),
        rows((components + columns - 1) / columns),
        x{window.x, axis_name(style.axes, 0, "x₁")},
        y{window.y, axis_name(style.axes, 1, "x₂")},
        margins(Axes::measure(canvas,
                              {0, 0, map_width + 60, map_width * window.y.span() / window.x.span() + 60}, x,
                              y, {.title = "PC1", .text = text})) {}

  /// Without the maps.
  [[nodiscard]] double width() const {
    return margins.left + margins.right + cell_space * static_cast<double>(columns - 1);
  }
  [[nodiscard]] double height() const {
    return margins.bottom + margins.top * static_cast<double>(rows) +
           cell_space * static_cast<double>(rows - 1);
  }
};

struct PageSize {
  double width, height;
};

/// Of a map, when the page may be as large as it likes.
double longest_side(Index columns) {
  if (columns <= 3) return columns == 1 ? 420 : columns == 2 ? 310 : 245;
  return std::clamp(1500.0 / static_cast<double>(columns), 60.0, 205.0);
}

/// The page on which maps of a pleasant size fit exactly.
PageSize natural_size(const Window& window, Index components, const std::optional<Label>& label, Index points,
                      const Style& style) {
  const Canvas ruler(Format::svg, 1200, 900);
  const Coloring coloring(label, points);
  const Legend legend(ruler, coloring, 150, 500);
  const double longest = longest_side(grid_columns(components));
  const double map_width = longest * std::min(1.0, window.x.span() / window.y.span());
  const double map_height = map_width * window.y.span() / window.x.span();
  const MapLayout maps(ruler, window, components, style, map_width);
  const double title = style.title.empty() ? 0 : title_room;
  const double side = legend.height() + least_key_height + 2 * key_space;
  return {std::min(4000.0,
                   std::round(2 * page_margin + maps.width() + map_width * static_cast<double>(maps.columns) +
                              legend_space + std::max(legend.width(), key_width))),
          std::min(4000.0,
                   std::round(2 * page_margin + title +
                              std::max(side, maps.height() + map_height * static_cast<double>(maps.rows))))};
}

}  // namespace

void draw_contours(Canvas& canvas, const ScoreFunction& score_of, const MatrixView<double>& points,
                   Index components, const std::optional<Label>& label, const Style& style) {
  check_contours(points, components);
  const Coloring coloring(label, points.rows(), ink);
  const Window window = window_of(points);
  const Grid grid = grid_over(window);
  const Matrix<double> scores = checked_scores(score_of, grid, components);

  const Legend legend(canvas, coloring, canvas.page().w * 0.2,
                      canvas.page().h - 4 * page_margin - least_key_height - key_space);
  const PageLayout layout = lay_out_page(canvas, style.title, std::max(legend.width(), key_width));
  // Only the left and the lowest maps have labels; all maps have one size and the window's shape.
  const double guess = layout.body.w / static_cast<double>(grid_columns(components)) - 20;
  const MapLayout maps(canvas, window, components, style, guess);
  const Margins& margins = maps.margins;
  const double unit =
      std::min((layout.body.w - maps.width()) / static_cast<double>(maps.columns) / window.x.span(),
               (layout.body.h - maps.height()) / static_cast<double>(maps.rows) / window.y.span());
  if (!(unit * std::min(window.x.span(), window.y.span()) >= 8))
    throw Error(
        ErrorCode::usage,
        fmt::format("contours: no room for {} maps on {} x {}", components, canvas.page().w, canvas.page().h),
        "draw fewer components or a larger picture");
  const double w = unit * window.x.span(), h = unit * window.y.span();
  const Point corner{layout.body.x + margins.left, layout.body.y};

  PointStyle drawn;
  for (Index k = 0; k < components; ++k) {
    const Matrix<double> values =
        Eigen::Map<const Matrix<double>, 0, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>>(
            scores.data() + k, grid.rows, grid.cols, {grid.cols * scores.cols(), scores.cols()});
    const double left = corner.x + static_cast<double>(k % maps.columns) * (w + cell_space);
    const double top = corner.y + static_cast<double>(k / maps.columns) * (h + margins.top + cell_space);
    Axis own_x = maps.x, own_y = maps.y;
    own_x.labels = k + maps.columns >= components;
    own_y.labels = k % maps.columns == 0;
    Axes axes(canvas, {left, top, w, h + margins.top}, {0, 0, margins.top, 0}, own_x, own_y,
              {.title = axis_name(style.captions, static_cast<std::size_t>(k), fmt::format("PC{}", k + 1)),
               .closed = true,
               .text = text});
    draw_map(canvas, axes.box(), values);
    std::vector<Point> at;
    for (Index i = 0; i < points.rows(); ++i) at.push_back(axes.at(points(i, 0), points(i, 1)));
    drawn = point_style(at, axes.box());
    drawn.halo = true;
    drawn.alpha = std::max(drawn.alpha, 0.85);
    draw_points(canvas, axes.box(), at, coloring, drawn);
    axes.draw_frame();
  }
  const double side = corner.x + static_cast<double>(maps.columns) * (w + cell_space) - cell_space +
                      margins.right + legend_space;
  legend.draw(canvas, {side, corner.y + margins.top}, drawn);
  const double key_top = corner.y + margins.top + (legend.height() > 0 ? legend.height() + key_space : 0);
  const double maps_end =
      corner.y + static_cast<double>(maps.rows) * (margins.top + h + cell_space) - cell_space;
  const double key_end = std::max(maps_end, key_top + least_key_height);
  draw_key(canvas, {side, key_top, key_width, std::min(key_height, key_end - key_top)});
}

void contours(const std::string& path, const ScoreFunction& score_of, const MatrixView<double>& points,
              Index components, const std::optional<Label>& label, const Style& style) {
  const Format format = format_of(path);
  check_contours(points, components);
  const PageSize natural = natural_size(window_of(points), components, label, points.rows(), style);
  Canvas canvas(format, style.width != 0 ? style.width : natural.width,
                style.height != 0 ? style.height : natural.height, style.title);
  draw_contours(canvas, score_of, points, components, label, style);
  save(canvas, path);
}

}  // namespace mercer::plot
