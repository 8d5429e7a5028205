// heat_maps(): matrices as fields of colour with one scale, such as the slices of a Tucker model's core.
#include "plot/figures.hpp"
#include "plot/palette.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::plot {
namespace {

constexpr double text = 9.5, space = 18, key_width = 62, decades = 5;

void check(const std::vector<HeatMap>& maps) {
  if (maps.empty()) throw Error(ErrorCode::usage, "there are no maps to draw");
  for (std::size_t i = 0; i < maps.size(); ++i) check_points(maps[i].values, fmt::format("map {}", i + 1));
}

/// From numbers to 0 … 1 (magnitudes) or −1 … 1 (where some are negative), and the key's labels.
class Scale {
 public:
  Scale(const std::vector<HeatMap>& maps, bool logarithmic) : logarithmic_(logarithmic) {
    double least = 0, smallest = 0;  // of the magnitudes that are not 0
    for (const HeatMap& map : maps) {
      largest_ = std::max(largest_, map.values.cwiseAbs().maxCoeff());
      least = std::min(least, map.values.minCoeff());
      for (const double v : map.values.reshaped())
        if (v != 0 && (smallest == 0 || std::abs(v) < smallest)) smallest = std::abs(v);
    }
    signed_ = !logarithmic && least < 0;
    if (logarithmic && smallest > 0)
      decades_ = std::clamp(std::ceil(std::log10(largest_ / smallest)), 1.0, decades);
  }

  [[nodiscard]] Color color(double value) const {
    if (signed_) return diverging(largest_ > 0 ? value / largest_ : 0);
    if (largest_ == 0) return sequential(0);
    const double magnitude = std::abs(value) / largest_;
    return sequential(logarithmic_ ? 1 + std::log10(std::max(magnitude, 1e-300)) / decades_ : magnitude);
  }
  /// Bottom to top.
  [[nodiscard]] Color at(double t) const { return signed_ ? diverging(2 * t - 1) : sequential(t); }
  [[nodiscard]] std::vector<BarLabel> labels() const {
    if (largest_ == 0) return {{0, "0"}};
    if (signed_) return {{0, format_number(-largest_, 2)}, {0.5, "0"}, {1, format_number(largest_, 2)}};
    if (!logarithmic_)
      return {{0, "0"}, {0.5, format_number(largest_ / 2, 2)}, {1, format_number(largest_, 2)}};
    std::vector<BarLabel> out;
    for (double d = 0; d <= decades_; ++d)
      out.push_back({1 - d / decades_, format_number(largest_ * std::pow(10.0, -d), 2)});
    return out;
  }

 private:
  bool logarithmic_, signed_ = false;
  double largest_ = 0, decades_ = decades;
};

/// Each number a square of several pixels, so that a viewer's smoothing does not blur them.
Image colored(const Matrix<double>& values, const Scale& scale) {
  constexpr Index side = 480;
  const auto times = static_cast<int>(std::max<Index>(1, side / std::max(values.rows(), values.cols())));
  Image out(static_cast<int>(values.cols()) * times, static_cast<int>(values.rows()) * times);
  for (int y = 0; y < out.height; ++y)
    for (int x = 0; x < out.width; ++x) out.set(x, y, scale.color(values(y / times, x / times)));
  return out;
}

/// 1, 2, 3, ... at the middle of rows or columns, no more than fit.
Ticks counting_ticks(Index count, double length, double room) {
  const double apart = length / static_cast<double>(count);
  const auto step = static_cast<Index>(std::max(1.0, apart >= room ? 1.0 : nice_step(room / apart)));
  Ticks ticks;
  ticks.step = static_cast<double>(step);
  for (Index i = step == 1 ? 1 : step; i <= count; i += step) {
    ticks.at.push_back(static_cast<double>(i));
    ticks.labels.push_back(std::to_string(i));
  }
  return ticks;
}

struct Box {
  Axis x, y;
  AxesOptions options;
};

Box box_of(const HeatMap& map, const Rect& area) {
  const Index rows = map.values.rows(), cols = map.values.cols();
  Box box{{{0.5, double(cols) + 0.5}, axis_name(map.axes, 0, "")},
          {{double(rows) + 0.5, 0.5}, axis_name(map.axes, 1, "")},  // the first row on top
          {.title = map.title, .closed = true, .text = text}};
  box.x.ticks = counting_ticks(cols, area.w - 40, 24);
  box.y.ticks = counting_ticks(rows, area.h - 50, 14);
  return box;
}

}  // namespace

void draw_heat_maps(Canvas& canvas, const std::vector<HeatMap>& maps, bool logarithmic, const Style& style) {
  check(maps);
  const Scale scale(maps, logarithmic);
  const PageLayout layout = lay_out_page(canvas, style.title, key_width);
  const auto count = static_cast<Index>(maps.size());
  const Index columns = grid_columns(count), rows = (count + columns - 1) / columns;
  std::vector<Box> boxes;
  Margins margins;
  for (Index i = 0; i < count; ++i) {
    const Rect area = grid_cell(layout.body, rows, columns, i, space);
    boxes.push_back(box_of(maps[static_cast<std::size_t>(i)], area));
    margins =
        margins.or_larger(Axes::measure(canvas, area, boxes.back().x, boxes.back().y, boxes.back().options));
  }
  for (Index i = 0; i < count; ++i) {
    const Box& box = boxes[static_cast<std::size_t>(i)];
    Axes axes(canvas, grid_cell(layout.body, rows, columns, i, space), margins, box.x, box.y, box.options);
    canvas.image(axes.box(), colored(maps[static_cast<std::size_t>(i)].values, scale));
    axes.draw_frame();
  }
  const double top = layout.side.y + margins.top;
  draw_color_bar(
      canvas, {layout.side.x, top, 14, std::min(260.0, layout.side.bottom() - top - 24)},
      [&](double t) { return scale.at(t); }, scale.labels());
}

void heat_maps(const std::string& path, const std::vector<HeatMap>& maps, bool logarithmic,
               const Style& style) {
  const Format format = format_of(path);
  const auto count = std::max<Index>(1, static_cast<Index>(maps.size()));
  const Index columns = grid_columns(count), rows = (count + columns - 1) / columns;
  const double cell = columns <= 2 ? 320 : std::min(260.0, 1400.0 / static_cast<double>(columns)),
               title = style.title.empty() ? 0 : title_room;
  Canvas canvas(
      format,
      style.width != 0 ? style.width : cell * static_cast<double>(columns) + key_width + 2 * page_margin,
      style.height != 0 ? style.height
                        : std::min(4000.0, cell * static_cast<double>(rows) + title + page_margin),
      style.title);
  draw_heat_maps(canvas, maps, logarithmic, style);
  save(canvas, path);
}

std::vector<HeatMap> core_maps(const TensorView<double>& core) {
  constexpr Index most_slices = 12;
  const Index order = core.order();
  // The modes by rank: the two largest span a map, the third counts the maps, the rest is summed up.
  std::vector<Index> modes(static_cast<std::size_t>(order));
  for (Index m = 0; m < order; ++m) modes[static_cast<std::size_t>(m)] = m;
  std::stable_sort(modes.begin(), modes.end(), [&](Index a, Index b) { return core.size(a) > core.size(b); });
  const Index across = order > 1 ? std::max(modes[0], modes[1]) : 0,
              down = order > 1 ? std::min(modes[0], modes[1]) : -1, slices = order > 2 ? modes[2] : -1;
  const auto size = [&](Index mode) { return mode < 0 ? Index{1} : core.size(mode); };
  std::vector<HeatMap> out;
  for (Index s = 0; s < std::min(size(slices), most_slices); ++s) {
    HeatMap map;
    if (slices >= 0) map.title = fmt::format("slice {} of mode {}", s + 1, slices);
    map.axes = {fmt::format("mode {}", across), down >= 0 ? fmt::format("mode {}", down) : ""};
    map.values = Matrix<double>::Zero(size(down), size(across));
    out.push_back(std::move(map));
  }
  Shape at(static_cast<std::size_t>(order), 0);
  for (Index i = 0; i < core.count(); ++i) {
    Index rest = i;
    for (std::size_t m = 0; m < at.size(); ++m) {
      at[m] = rest % core.size(static_cast<Index>(m));
      rest /= core.size(static_cast<Index>(m));
    }
    const auto index = [&](Index mode) { return mode < 0 ? Index{0} : at[static_cast<std::size_t>(mode)]; };
    if (index(slices) >= most_slices) continue;
    const double value = core(at);
    out[static_cast<std::size_t>(index(slices))].values(index(down), index(across)) += value * value;
  }
  for (HeatMap& map : out) map.values = map.values.cwiseSqrt();
  return out;
}

}  // namespace mercer::plot
