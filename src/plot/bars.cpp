// bars(): lists of named numbers side by side, each name with a bar from zero, such as the heaviest words of
// a few topics.
#include "plot/figures.hpp"
#include "plot/palette.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::plot {
namespace {

constexpr double line = 19, bar = 12, title_line = 24, space = 26;
const Font name_font{10.5}, number_font{9.5, false, soft_ink}, title_font{11.5, true};

void check(const std::vector<BarList>& lists) {
  if (lists.empty()) throw Error(ErrorCode::usage, "bars: there is nothing to draw");
  for (const BarList& list : lists) {
    if (list.names.empty() || list.names.size() != list.values.size())
      throw Error(ErrorCode::usage, fmt::format("bars '{}': {} names and {} values", list.title,
                                                list.names.size(), list.values.size()));
    for (std::size_t i = 0; i < list.values.size(); ++i)
      if (!std::isfinite(list.values[i]))
        throw Error(ErrorCode::bad_data,
                    fmt::format("bars '{}': '{}' is {}", list.title, list.names[i], list.values[i]),
                    "only finite numbers can be drawn");
  }
}

std::size_t longest(const std::vector<BarList>& lists) {
  std::size_t most = 0;
  for (const BarList& list : lists) most = std::max(most, list.names.size());
  return most;
}

/// One list in its cell; `largest` is the longest bar's value, in all of them.
void draw_list(Canvas& canvas, const Rect& cell, const BarList& list, double largest, double step) {
  canvas.text(canvas.elide(list.title, title_font, cell.w), {cell.x, cell.y}, title_font, Along::start,
              Across::top);
  double names = 0, numbers = 0;
  for (std::size_t i = 0; i < list.names.size(); ++i) {
    names = std::max(names, canvas.text_width(list.names[i], name_font));
    numbers = std::max(numbers, canvas.text_width(format_number(list.values[i], 2), number_font));
  }
  names = std::min(names, 0.5 * cell.w);
  const double zero = cell.x + names + 8, room = std::max(4.0, cell.w - names - numbers - 16);
  const Color more = class_look(0, 2).color, less = class_look(1, 2).color;
  for (std::size_t i = 0; i < list.names.size(); ++i) {
    const double y = cell.y + title_line + step * (static_cast<double>(i) + 0.5);
    const double length = largest > 0 ? room * std::abs(list.values[i]) / largest : 0;
    canvas.text(canvas.elide(list.names[i], name_font, names), {zero - 8, y}, name_font, Along::end,
                Across::middle);
    canvas.fill({zero, y - 0.5 * std::min(bar, 0.7 * step), length, std::min(bar, 0.7 * step)},
                list.values[i] < 0 ? less : more);
    canvas.text(format_number(list.values[i], 2), {zero + length + 5, y}, number_font, Along::start,
                Across::middle);
  }
  const double bottom = cell.y + title_line + step * static_cast<double>(list.names.size());
  canvas.line({zero, cell.y + title_line}, {zero, bottom}, {grid_gray, 0.8});
}

Index columns_for(const std::vector<BarList>& lists) {
  return std::min<Index>(4, grid_columns(static_cast<Index>(lists.size())));
}

}  // namespace

void draw_bars(Canvas& canvas, const std::vector<BarList>& lists, const Style& style) {
  check(lists);
  const Rect body = lay_out_page(canvas, style.title, 0).body;
  const auto count = static_cast<Index>(lists.size());
  const Index columns = columns_for(lists), rows = (count + columns - 1) / columns;
  double largest = 0;
  for (const BarList& list : lists)
    for (const double value : list.values) largest = std::max(largest, std::abs(value));
  for (Index i = 0; i < count; ++i) {
    const Rect cell = grid_cell(body, rows, columns, i, space);
    const double step = std::min(line, (cell.h - title_line) / static_cast<double>(longest(lists)));
    draw_list(canvas, cell, lists[static_cast<std::size_t>(i)], largest, step);
  }
}

void bars(const std::string& path, const std::vector<BarList>& lists, const Style& style) {
  const Format format = format_of(path);
  check(lists);
  const auto columns = static_cast<double>(columns_for(lists));
  const double rows = std::ceil(static_cast<double>(lists.size()) / columns);
  const double height = rows * (title_line + line * static_cast<double>(longest(lists)) + space) - space +
                        2 * page_margin + (style.title.empty() ? 0 : title_room);
  Canvas canvas(format, style.width != 0 ? style.width : std::max(360.0, 240 * columns),
                style.height != 0 ? style.height : std::min(4000.0, height), style.title);
  draw_bars(canvas, lists, style);
  save(canvas, path);
}

}  // namespace mercer::plot
