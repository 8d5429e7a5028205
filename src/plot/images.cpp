// images(): rows of numbers as small pictures on a contact sheet, such as eigenfaces, digits or what a few
// components leave of them.
#include "plot/figures.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::plot {
namespace {

constexpr double picture_height = 112, space = 10, caption_room = 16;
constexpr double widest = 1600, tallest = 4000;
constexpr Font caption_font{9, false, soft_ink};

/// Pixels enlarged so far that a viewer's smoothing does not blur them into each other.
Image enlarged(const Eigen::Ref<const Vector<double>>& values, const ImageGrid& grid, const Range& range) {
  const auto height = static_cast<int>(grid.height), width = static_cast<int>(grid.width);
  const int times = std::max(1, static_cast<int>(std::lround(2 * picture_height / height)));
  Image out(width * times, height * times);
  for (int y = 0; y < out.height; ++y)
    for (int x = 0; x < out.width; ++x) {
      const double at = range.span() > 0 ? range.fraction(values[Index{y / times} * width + x / times]) : 0.5;
      const double shade = std::clamp(at, 0.0, 1.0);
      out.set(x, y, {shade, shade, shade, 1});
    }
  return out;
}

/// Black and white of one picture.
Range range_of(const Eigen::Ref<const Vector<double>>& values, bool around_zero) {
  if (!around_zero) return {values.minCoeff(), values.maxCoeff()};
  const double most = values.cwiseAbs().maxCoeff();
  return {-most, most};
}

void check_grid(const MatrixView<double>& pictures, const ImageGrid& grid) {
  check_points(pictures, "images");
  if (grid.height < 1 || grid.width < 1 || grid.height * grid.width != pictures.cols())
    throw Error(ErrorCode::usage,
                fmt::format("{} x {} pixels are {}, but a row has {} numbers", grid.height, grid.width,
                            grid.height * grid.width, pictures.cols()),
                "height x width, such as 112x92");
}

Index columns_of(const MatrixView<double>& pictures, const ImageGrid& grid) {
  return grid.columns > 0 ? std::min(grid.columns, pictures.rows()) : grid_columns(pictures.rows());
}

bool has_captions(const Style& style) {
  return std::any_of(style.captions.begin(), style.captions.end(),
                     [](const auto& text) { return !text.empty(); });
}

}  // namespace

void draw_images(Canvas& canvas, const MatrixView<double>& pictures, const ImageGrid& grid,
                 const Style& style) {
  check_grid(pictures, grid);
  const Rect body = lay_out_page(canvas, style.title, 0).body;
  const Index columns = columns_of(pictures, grid), rows = (pictures.rows() + columns - 1) / columns;
  const double room = has_captions(style) ? caption_room : 0;
  const Range shared{pictures.minCoeff(), pictures.maxCoeff()};
  for (Index i = 0; i < pictures.rows(); ++i) {
    const Rect cell = grid_cell(body, rows, columns, i, space);
    const double scale = std::min(cell.w / static_cast<double>(grid.width),
                                  (cell.h - room) / static_cast<double>(grid.height));
    const double w = scale * static_cast<double>(grid.width), h = scale * static_cast<double>(grid.height);
    const Rect where{cell.x + (cell.w - w) / 2, cell.y, w, h};
    const Vector<double> values = pictures.row(i).transpose();
    const bool signed_values = static_cast<std::size_t>(i) < grid.around_zero.size() &&
                               grid.around_zero[static_cast<std::size_t>(i)];
    canvas.image(where, enlarged(values, grid, grid.shared_range ? shared : range_of(values, signed_values)));
    const std::string caption = axis_name(style.captions, static_cast<std::size_t>(i), "");
    if (!caption.empty())
      canvas.text(canvas.elide(caption, caption_font, cell.w), {cell.x + cell.w / 2, where.bottom() + 2},
                  caption_font, Along::middle, Across::top);
  }
}

void images(const std::string& path, const MatrixView<double>& pictures, const ImageGrid& grid,
            const Style& style) {
  const Format format = format_of(path);
  check_grid(pictures, grid);
  const Index columns = columns_of(pictures, grid), rows = (pictures.rows() + columns - 1) / columns;
  const double aspect = static_cast<double>(grid.width) / static_cast<double>(grid.height);
  const double captions = has_captions(style) ? caption_room : 0,
               title = style.title.empty() ? 0 : title_room;
  // A narrow picture still needs room for what is written under it.
  const double cell_width = std::max(picture_height * aspect, captions > 0 ? 84.0 : 24.0);
  const double width = 2 * page_margin + static_cast<double>(columns) * (cell_width + space) - space,
               height = 2 * page_margin + title +
                        static_cast<double>(rows) * (picture_height + captions + space) - space;
  const double shrink = std::min({1.0, widest / width, tallest / height});
  Canvas canvas(format, style.width != 0 ? style.width : std::max(80.0, width * shrink),
                style.height != 0 ? style.height : std::max(80.0, height * shrink), style.title);
  draw_images(canvas, pictures, grid, style);
  save(canvas, path);
}

}  // namespace mercer::plot
