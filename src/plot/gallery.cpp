// gallery(): rows of small grey pictures with a caption each, all in one scale of grey: what was clean, what
// noise made of it, and what methods made of that.
#include "plot/figures.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace mercer::plot {
namespace {

constexpr double caption_room = 17, gap = 4, row_space = 8, cell = 44;

void check(const std::vector<PictureRow>& rows, Index height, Index width) {
  if (rows.empty() || height < 1 || width < 1)
    throw Error(ErrorCode::usage, "gallery: there is nothing to draw");
  for (const PictureRow& row : rows) {
    check_points(row.pictures, fmt::format("gallery '{}'", row.caption));
    if (row.pictures.cols() != height * width)
      throw Error(ErrorCode::bad_data, fmt::format("gallery '{}': {} pixels a picture, expected {} x {}",
                                                   row.caption, row.pictures.cols(), height, width));
  }
}

Index most_pictures(const std::vector<PictureRow>& rows) {
  Index most = 1;
  for (const PictureRow& row : rows) most = std::max(most, row.pictures.rows());
  return most;
}

Image grey(const Eigen::Ref<const Eigen::RowVectorXd>& pixels, Index height, Index width,
           const Range& range) {
  Image out(static_cast<int>(width), static_cast<int>(height));
  for (Index i = 0; i < pixels.size(); ++i) {
    const double dark = std::clamp(range.fraction(pixels[i]), 0.0, 1.0);
    out.set(static_cast<int>(i % width), static_cast<int>(i / width), white.towards(ink, dark));
  }
  return out;
}

}  // namespace

void draw_gallery(Canvas& canvas, const std::vector<PictureRow>& rows, Index height, Index width,
                  const Style& style) {
  check(rows, height, width);
  const Rect body = lay_out_page(canvas, style.title, 0).body;
  const auto count = static_cast<double>(rows.size()), most = static_cast<double>(most_pictures(rows));
  const double w =
      std::min((body.w + gap) / most - gap, (body.h / count - caption_room - row_space) *
                                                static_cast<double>(width) / static_cast<double>(height));
  const double h = w * static_cast<double>(height) / static_cast<double>(width);
  const Range range = range_of({rows[0].pictures.data(), static_cast<std::size_t>(rows[0].pictures.size())});
  double y = body.y;
  for (const PictureRow& row : rows) {
    const Font font{11, false, soft_ink};
    canvas.text(canvas.elide(row.caption, font, body.w), {body.x, y}, font, Along::start, Across::top);
    y += caption_room;
    for (Index i = 0; i < row.pictures.rows(); ++i) {
      const Rect where{body.x + static_cast<double>(i) * (w + gap), y, w, h};
      canvas.image(where, grey(row.pictures.row(i), height, width, range));
      canvas.stroke(where, {grid_gray, 0.6});
    }
    y += h + row_space;
  }
}

void gallery(const std::string& path, const std::vector<PictureRow>& rows, Index height, Index width,
             const Style& style) {
  const Format format = format_of(path);
  check(rows, height, width);
  const double ratio = static_cast<double>(height) / static_cast<double>(width);
  const double natural_w = static_cast<double>(most_pictures(rows)) * (cell + gap) - gap + 2 * page_margin;
  const double natural_h = static_cast<double>(rows.size()) * (cell * ratio + caption_room + row_space) +
                           2 * page_margin + (style.title.empty() ? 0 : title_room);
  Canvas canvas(format, style.width != 0 ? style.width : std::min(1600.0, natural_w),
                style.height != 0 ? style.height : std::min(4000.0, natural_h), style.title);
  draw_gallery(canvas, rows, height, width, style);
  save(canvas, path);
}

}  // namespace mercer::plot
