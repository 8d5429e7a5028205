// Legend and colour bar.
#include "plot/legend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::plot {
namespace {

constexpr Font title_font{11, true, ink};
constexpr Font entry_font{11, false, ink};
constexpr Font bar_font{10.5, false, soft_ink};
constexpr double row = 18, tight_row = 13, text_at = 18, title_height = 22, bar_width = 14,
                 bar_text_at = bar_width + 8;
constexpr std::size_t most_entries = 20;

}  // namespace

Legend::Legend(const Canvas& canvas, const Coloring& coloring, double most_width, double most_height)
    : coloring_(coloring) {
  if (coloring.kind() == Coloring::Kind::plain) return;
  title_ = coloring.title().empty() ? "" : canvas.elide(coloring.title(), title_font, most_width);
  const double top = title_.empty() ? 0 : title_height;
  width_ = canvas.text_width(title_, title_font);

  if (coloring.kind() == Coloring::Kind::scale) {
    ticks_ = nice_ticks(coloring.range(), 7);
    for (const std::string& label : ticks_.labels)
      width_ = std::max(width_, bar_text_at + canvas.text_width(label, bar_font));
    width_ = std::max(width_, canvas.text_width(ticks_.factor, bar_font));
    height_ = std::min(most_height, top + 240 + (ticks_.factor.empty() ? 0 : row));
    return;
  }

  const std::size_t classes = coloring.entries().size();
  row_ = std::clamp((most_height - top) / static_cast<double>(std::max<std::size_t>(classes, 1)), tight_row,
                    row);
  const auto rows = static_cast<std::size_t>(std::max(2.0, std::floor((most_height - top) / row_)));
  const std::size_t room = std::min(rows, most_entries);
  const std::size_t shown = classes <= room ? classes : room - 1;
  for (std::size_t i = 0; i < shown; ++i)
    names_.push_back(canvas.elide(coloring.entries()[i].name, entry_font, most_width - text_at));
  if (shown < classes) more_ = fmt::format("… {} more", classes - shown);
  for (const std::string& name : names_)
    width_ = std::max(width_, text_at + canvas.text_width(name, entry_font));
  width_ = std::max(width_, more_.empty() ? 0 : text_at + canvas.text_width(more_, entry_font));
  height_ = top + row_ * static_cast<double>(shown + (more_.empty() ? 0 : 1));
}

void Legend::draw(Canvas& canvas, Point corner, const PointStyle& style) const {
  if (coloring_.kind() == Coloring::Kind::plain) return;
  double y = corner.y;
  if (!title_.empty()) {
    canvas.text(title_, {corner.x, y}, title_font, Along::start, Across::top);
    y += title_height;
  }
  if (coloring_.kind() == Coloring::Kind::scale) {
    if (!ticks_.factor.empty()) {
      canvas.text(ticks_.factor, {corner.x, y}, bar_font, Along::start, Across::top);
      y += row;
    }
    std::vector<BarLabel> labels;
    for (std::size_t i = 0; i < ticks_.at.size(); ++i)
      labels.push_back({coloring_.range().fraction(ticks_.at[i]), ticks_.labels[i]});
    draw_color_bar(canvas, {corner.x, y + 4, bar_width, corner.y + height_ - y - 8}, sequential, labels);
    return;
  }
  for (std::size_t i = 0; i < names_.size(); ++i, y += row_) {
    draw_sample(canvas, {corner.x + 5, y + row_ / 2}, coloring_.entries()[i].look, style);
    canvas.text(names_[i], {corner.x + text_at, y + row_ / 2}, entry_font, Along::start, Across::middle);
  }
  if (!more_.empty())
    canvas.text(more_, {corner.x + text_at, y + row_ / 2}, {entry_font.size, false, soft_ink}, Along::start,
                Across::middle);
}

void draw_color_bar(Canvas& canvas, const Rect& bar, const std::function<Color(double)>& color,
                    const std::vector<BarLabel>& labels) {
  constexpr int steps = 256;
  Image strip(1, steps);
  for (int i = 0; i < steps; ++i) strip.set(0, i, color(1 - (i + 0.5) / steps));
  canvas.image(bar, strip);
  const Pen pen{axis_gray, 0.9};
  canvas.stroke(bar, pen);
  for (const BarLabel& label : labels) {
    const double y = bar.bottom() - bar.h * label.fraction;
    canvas.line({bar.right(), y}, {bar.right() + 4, y}, pen);
    canvas.text(label.text, {bar.right() + 8, y}, bar_font, Along::start, Across::middle);
  }
}

}  // namespace mercer::plot
