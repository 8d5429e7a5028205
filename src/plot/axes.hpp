// Axes: a rectangle of the page that shows a range of x and a range of y, with grid, ticks, names
// and a small title. Text is measured first, so that nothing is cut off and nothing overlaps.
#pragma once

#include "plot/canvas.hpp"
#include "plot/ticks.hpp"

#include <optional>
#include <string>

namespace mercer::plot {

struct Axis {
  Range range;
  std::string name;
  std::optional<Ticks> ticks = {};  ///< instead of nice numbers
  bool labels = true;               ///< tick labels and name; inner panels of a grid go without
  bool grid = true;
};

struct AxesOptions {
  std::string title = {};     ///< small, above the box
  bool equal_aspect = false;  ///< one unit as long in x as in y: the shorter range is widened
  bool closed = false;        ///< a line on all four sides
  double text = 10.5;         ///< size of tick labels; names are a little larger
  bool bare = false;          ///< clouds: no ticks, no names, no grid, the shape alone
};

class Axes {
 public:
  /// Room that ticks, names and title need around the box within `area`.
  [[nodiscard]] static Margins measure(const Canvas& canvas, const Rect& area, const Axis& x, const Axis& y,
                                       const AxesOptions& options);

  /// With the margins of the largest of several panels, their boxes line up.
  Axes(Canvas& canvas, const Rect& area, const Margins& margins, Axis x, Axis y, AxesOptions options = {});

  [[nodiscard]] const Rect& box() const { return box_; }
  [[nodiscard]] const Range& x() const { return x_.range; }
  [[nodiscard]] const Range& y() const { return y_.range; }
  [[nodiscard]] Point at(double x, double y) const {
    return {box_.x + box_.w * x_.range.fraction(x), box_.bottom() - box_.h * y_.range.fraction(y)};
  }

  void draw_grid();   ///< before the data
  void draw_frame();  ///< after the data: lines, ticks, labels, names, title

 private:
  Canvas& canvas_;
  Rect box_;
  Axis x_, y_;
  AxesOptions options_;
  Ticks x_ticks_, y_ticks_;
  double y_label_width_ = 0;
};

/// Ticks for a horizontal axis of this length: as many as fit without touching.
[[nodiscard]] Ticks ticks_that_fit(const Canvas& canvas, const Range& range, double length, const Font& font);
/// The name with the ticks' power of ten, if there is one: "PC1 (×10⁻³)".
[[nodiscard]] std::string name_with_factor(const std::string& name, const Ticks& ticks);

}  // namespace mercer::plot
