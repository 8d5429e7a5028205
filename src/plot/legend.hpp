// The key to the colours, to the right of the data: classes with their markers, or a colour bar.
#pragma once

#include "plot/canvas.hpp"
#include "plot/coloring.hpp"
#include "plot/points.hpp"
#include "plot/ticks.hpp"

#include <functional>

namespace mercer::plot {

class Legend {
 public:
  /// Measures the text; at most `most_width` wide, names beyond that are elided, and rows move
  /// together where there are many classes, and those beyond the room are counted: "… 12 more".
  Legend(const Canvas& canvas, const Coloring& coloring, double most_width, double most_height);

  [[nodiscard]] double width() const { return width_; }  ///< 0 when there is nothing to explain
  [[nodiscard]] double height() const { return height_; }
  void draw(Canvas& canvas, Point corner, const PointStyle& style) const;

 private:
  const Coloring& coloring_;
  std::string title_;
  std::vector<std::string> names_;
  std::string more_;
  Ticks ticks_;
  double width_ = 0, height_ = 0, row_ = 0;
};

/// A vertical strip of colours with labels at its right; `color` maps 0 (bottom) .. 1 (top).
struct BarLabel {
  double fraction;
  std::string text;
};
void draw_color_bar(Canvas& canvas, const Rect& bar, const std::function<Color(double)>& color,
                    const std::vector<BarLabel>& labels);

}  // namespace mercer::plot
