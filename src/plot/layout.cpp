// The layout and the checks that all figures share.
#include "plot/figures.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <cmath>

namespace mercer::plot {

void require_picture(const std::string& path) { (void)format_of(path); }

PageLayout lay_out_page(Canvas& canvas, const std::string& title, double legend_width) {
  Rect body = canvas.page().inset(page_margin);
  if (!title.empty()) {
    Font font{15, true, ink};
    // A title that is a little too long is set smaller, a much too long one is cut.
    while (font.size > 11 && canvas.text_width(title, font) > body.w) font.size -= 0.5;
    canvas.text(canvas.elide(title, font, body.w), {body.x, body.y - 2}, font, Along::start, Across::top);
    body = Margins{0, 0, title_room, 0}.shrink(body);
  }
  if (legend_width <= 0) return {body, {}};
  const Rect side{body.right() - legend_width, body.y, legend_width, body.h};
  body.w -= legend_width + legend_space;
  return {body, side};
}

Index grid_columns(Index panels) {
  static constexpr Index small[] = {1, 1, 2, 3, 2, 3, 3, 4, 4, 3, 4, 4, 4, 5, 5, 5, 4};
  if (panels < static_cast<Index>(std::size(small))) return small[panels];
  return static_cast<Index>(std::ceil(std::sqrt(1.6 * static_cast<double>(panels))));
}

Rect grid_cell(const Rect& body, Index rows, Index columns, Index cell, double space) {
  const double w = (body.w - space * static_cast<double>(columns - 1)) / static_cast<double>(columns);
  const double h = (body.h - space * static_cast<double>(rows - 1)) / static_cast<double>(rows);
  return {body.x + static_cast<double>(cell % columns) * (w + space),
          body.y + static_cast<double>(cell / columns) * (h + space), w, h};
}

std::string axis_name(const std::vector<std::string>& names, std::size_t i, const std::string& fallback) {
  return i < names.size() ? names[i] : fallback;
}

void check_points(const MatrixView<double>& points, const std::string& what) {
  if (points.rows() == 0 || points.cols() == 0)
    throw Error(ErrorCode::usage, fmt::format("{}: there is nothing to draw: {} points in {} columns", what,
                                              points.rows(), points.cols()));
  for (Index i = 0; i < points.rows(); ++i)
    for (Index j = 0; j < points.cols(); ++j)
      if (!std::isfinite(points(i, j)))
        throw Error(ErrorCode::bad_data,
                    fmt::format("{}: the value in row {}, column {} is {}", what, i, j, points(i, j)),
                    "only finite numbers can be drawn");
}

}  // namespace mercer::plot
