// maps(): what several methods make of the same points, side by side without axes, since a map has no units;
// the colours carry the comparison.
#include "plot/figures.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <cmath>

namespace mercer::plot {
namespace {

constexpr Color ground = Color::hex(0xf7f8fa);
constexpr double cell_width = 205, cell_height = 172, space = 16, text = 9.5;
constexpr Font title_font{11.5, true, ink}, caption_font{9.5, false, soft_ink};
constexpr double title_line = 16, caption_line = 15, line_height = 13;

/// Few empty places at the end; wide rather than high.
Index map_columns(Index count) {
  if (count <= 5) return count;
  Index best = 5;
  const auto empty = [&](Index columns) { return (columns - count % columns) % columns; };
  for (const Index columns : {4, 3})
    if (empty(columns) < empty(best)) best = columns;
  return best;
}

Index points_of(const std::vector<PointMap>& maps) {
  for (const PointMap& map : maps)
    if (map.rows.empty() && map.points.rows() > 0) return map.points.rows();
  Index most = 0;
  for (const PointMap& map : maps)
    for (const Index row : map.rows) most = std::max(most, row + 1);
  return most;
}

/// How many points there are in all, known from the label where there is one.
Index check_maps(const std::vector<PointMap>& maps, const std::optional<Label>& label) {
  if (maps.empty()) throw Error(ErrorCode::usage, "there are no maps to draw");
  const Index all =
      label && !label->codes.empty() ? static_cast<Index>(label->codes.size()) : points_of(maps);
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const PointMap& map = maps[i];
    if (map.points.size() == 0) continue;
    check_points(map.points, fmt::format("map {}", i + 1));
    const Index expected = map.rows.empty() ? all : static_cast<Index>(map.rows.size());
    if (map.points.rows() != expected)
      throw Error(ErrorCode::bad_data,
                  fmt::format("map {} has {} points, expected {}", i + 1, map.points.rows(), expected),
                  "maps share one legend, and so their points");
    for (const Index row : map.rows)
      if (row < 0 || row >= all)
        throw Error(ErrorCode::bad_data, fmt::format("map {} shows row {} of {}", i + 1, row, all));
  }
  return all;
}

/// Words in lines of at most this width.
std::vector<std::string> wrapped(const Canvas& canvas, const std::string& words, const Font& font,
                                 double width) {
  std::vector<std::string> lines{""};
  for (std::size_t from = 0; from < words.size();) {
    const std::size_t end = std::min(words.find(' ', from), words.size());
    const std::string word = words.substr(from, end - from);
    const std::string longer = lines.back().empty() ? word : lines.back() + " " + word;
    if (lines.back().empty() || canvas.text_width(longer, font) <= width)
      lines.back() = longer;
    else
      lines.push_back(word);
    from = end + 1;
  }
  return lines;
}

void draw_reason(Canvas& canvas, const Rect& box, const std::string& reason) {
  const double width = box.w - 20;
  auto lines = wrapped(canvas, reason, caption_font, width);
  const auto most = static_cast<std::size_t>(std::max(1.0, std::floor((box.h - 16) / line_height)));
  if (lines.size() > most) {
    lines.resize(most);
    lines.back() += " …";
  }
  double y = box.center().y - line_height * (static_cast<double>(lines.size()) - 1) / 2;
  for (const std::string& line : lines) {
    canvas.text(canvas.elide(line, caption_font, width), {box.center().x, y}, caption_font, Along::middle,
                Across::middle);
    y += line_height;
  }
}

PointStyle draw_map(Canvas& canvas, const Rect& cell, const PointMap& map, const Coloring& all, bool captions,
                    const Style& style) {
  canvas.text(canvas.elide(map.title, title_font, cell.w), {cell.x, cell.y}, title_font, Along::start,
              Across::top);
  const Rect box = Margins{0, 0, title_line + (captions ? caption_line : 4), 0}.shrink(cell);
  const bool empty = map.points.size() == 0;
  if (captions && !empty)
    canvas.text(canvas.elide(map.caption, caption_font, cell.w), {cell.x, cell.y + title_line}, caption_font,
                Along::start, Across::top);
  const bool in_space = map.points.cols() > 2;
  if (!in_space) {
    canvas.fill(box, ground);
    canvas.stroke(box, {grid_gray, 0.8});
  }
  if (empty) {
    draw_reason(canvas, box, map.caption);
    return {};
  }
  const Coloring coloring = map.rows.empty() ? all : all.of(map.rows);
  const AxesOptions options{.equal_aspect = style.equal_aspect, .text = text, .bare = true};
  const Cloud cloud{map.points, coloring, {}, options};
  if (in_space) return draw_space(canvas, box, {}, cloud);
  return draw_cloud(canvas, box, {}, cloud);
}

}  // namespace

void draw_maps(Canvas& canvas, const std::vector<PointMap>& maps, const std::optional<Label>& label,
               const Style& style) {
  const Coloring coloring(label, check_maps(maps, label));
  const Legend legend(canvas, coloring, canvas.page().w * 0.2, canvas.page().h - 4 * page_margin);
  const PageLayout layout = lay_out_page(canvas, style.title, legend.width());
  const auto count = static_cast<Index>(maps.size());
  const Index columns = map_columns(count), rows = (count + columns - 1) / columns;
  const bool captions = std::any_of(maps.begin(), maps.end(), [](const PointMap& map) {
    return map.points.size() > 0 && !map.caption.empty();
  });
  PointStyle drawn;
  for (Index i = 0; i < count; ++i) {
    const PointMap& map = maps[static_cast<std::size_t>(i)];
    const PointStyle own =
        draw_map(canvas, grid_cell(layout.body, rows, columns, i, space), map, coloring, captions, style);
    if (map.points.size() > 0) drawn = own;
  }
  legend.draw(canvas, {layout.side.x, layout.side.y + title_line}, drawn);
}

void maps(const std::string& path, const std::vector<PointMap>& maps, const std::optional<Label>& label,
          const Style& style) {
  const Format format = format_of(path);
  check_maps(maps, label);
  const auto count = static_cast<Index>(maps.size());
  const Index columns = map_columns(count), rows = (count + columns - 1) / columns;
  const double width = (cell_width + space) * static_cast<double>(columns) - space + 2 * page_margin +
                       (label ? 80 : 0),
               height = (cell_height + title_line + caption_line + space) * static_cast<double>(rows) -
                        space + 2 * page_margin + (style.title.empty() ? 0 : title_room);
  Canvas canvas(format, style.width != 0 ? style.width : std::min(1600.0, width),
                style.height != 0 ? style.height : std::min(4000.0, height), style.title);
  draw_maps(canvas, maps, label, style);
  save(canvas, path);
}

}  // namespace mercer::plot
