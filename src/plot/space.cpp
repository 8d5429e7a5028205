// A cloud of points in space: the three far panes of a box with their grids, points from far to near
// and paler with distance, axis names and ticks along the outer edges.
#include "plot/figures.hpp"
#include "plot/projection.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numeric>

namespace mercer::plot {
namespace {

struct Box {
  std::array<Range, 3> ranges;
  std::array<Ticks, 3> ticks;

  [[nodiscard]] Space at(const MatrixView<double>& points, Index i) const {
    return {ranges[0].fraction(points(i, 0)), ranges[1].fraction(points(i, 1)),
            ranges[2].fraction(points(i, 2))};
  }
};

Box box_around(const MatrixView<double>& points) {
  Box box;
  for (Index j = 0; j < 3; ++j) {
    const Vector<double> values = points.col(j);
    const auto a = static_cast<std::size_t>(j);
    box.ranges[a] = range_of({values.data(), static_cast<std::size_t>(values.size())}).padded(0.04);
    box.ticks[a] = nice_ticks(box.ranges[a], 6);
  }
  return box;
}

/// The position with coordinate `axis` set to t.
Space with(Space p, std::size_t axis, double t) {
  p[axis] = t;
  return p;
}

void draw_panes(Canvas& canvas, const Projection& view, const Box& box) {
  struct Pane {
    std::size_t u, v;  // the directions it spans
    Space corner;
    Color color;
  };
  const std::array panes = {Pane{0, 1, {0, 0, 0}, Color::hex(0xf1f2f5)},   // floor
                            Pane{1, 2, {0, 0, 0}, Color::hex(0xf6f7f9)},   // x = low
                            Pane{0, 2, {0, 1, 0}, Color::hex(0xfafafb)}};  // y = high
  for (const Pane& pane : panes) {
    const Space a = pane.corner, b = with(a, pane.u, 1), c = with(b, pane.v, 1), d = with(a, pane.v, 1);
    canvas.polygon(std::vector<Point>{view.at(a), view.at(b), view.at(c), view.at(d)}, pane.color,
                   Pen{grid_gray, 0.8});
    for (const auto& [along, across] : {std::pair(pane.u, pane.v), std::pair(pane.v, pane.u)})
      for (const double tick : box.ticks[across].at) {
        const double t = box.ranges[across].fraction(tick);
        canvas.line(view.at(with(with(a, along, 0), across, t)), view.at(with(with(a, along, 1), across, t)),
                    {grid_gray, 0.8});
      }
  }
}

/// Text whose nearest edge touches the anchor when coming from direction (dx, dy).
struct Anchoring {
  Along along;
  Across across;
};
Anchoring away_from(double dx, double dy) {
  const Along along = dx > 0.5 ? Along::start : dx < -0.5 ? Along::end : Along::middle;
  const Across across = dy > 0.5 ? Across::top : dy < -0.5 ? Across::bottom : Across::middle;
  return {along, across};
}

class AxisWriter {
 public:
  AxisWriter(Canvas& canvas, const Projection& view, double text)
      : canvas_(canvas), view_(view), text_(text) {}

  /// Ticks and name along the edge that starts at `from` in direction `axis`.
  void draw(const Space& from, std::size_t axis, const Box& box, const std::string& name) {
    const Point a = view_.at(with(from, axis, 0)), b = view_.at(with(from, axis, 1)),
                mid = view_.at({0.5, 0.5, 0.5});
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    double dx = (b.y - a.y) / length, dy = -(b.x - a.x) / length;  // across the edge on the page
    if (dx * ((a.x + b.x) / 2 - mid.x) + dy * ((a.y + b.y) / 2 - mid.y) < 0) dx = -dx, dy = -dy;
    canvas_.line(a, b, {axis_gray, 1});

    const Font small{text_, false, soft_ink};
    const Anchoring anchoring = away_from(dx, dy);
    double reach = 0;  // how far the labels stick out
    for (std::size_t i = 0; i < box.ticks[axis].at.size(); ++i) {
      const Point p = view_.at(with(from, axis, box.ranges[axis].fraction(box.ticks[axis].at[i])));
      canvas_.line(p, {p.x + 4 * dx, p.y + 4 * dy}, {axis_gray, 0.9});
      const Point anchor{p.x + 8 * dx, p.y + 8 * dy};
      const Rect extent =
          canvas_.text_extent(box.ticks[axis].labels[i], anchor, small, anchoring.along, anchoring.across)
              .bounds();
      reach = std::max(reach, 8 + std::abs(dx) * extent.w + std::abs(dy) * small.size);
      if (is_free(extent))
        canvas_.text(box.ticks[axis].labels[i], anchor, small, anchoring.along, anchoring.across);
    }
    write_name({a, b}, {dx, dy}, reach, name_with_factor(name, box.ticks[axis]));
  }

 private:
  struct Edge {
    Point a, b;
  };

  void write_name(const Edge& edge, Point out, double reach, const std::string& name) {
    const Font font{text_ + 1, false, ink};
    const double length = std::hypot(edge.b.x - edge.a.x, edge.b.y - edge.a.y);
    const std::string shown = canvas_.elide(name, font, std::max(40.0, length));
    // Along the edge, never upside down.
    double angle = std::atan2(edge.b.y - edge.a.y, edge.b.x - edge.a.x) * 180 / std::numbers::pi;
    if (angle > 90) angle -= 180;
    if (angle <= -90) angle += 180;
    if (angle > 80) angle -= 180;  // nearly vertical ones read upwards
    const double away = reach + 6 + font.size / 2;
    const Point anchor{(edge.a.x + edge.b.x) / 2 + away * out.x, (edge.a.y + edge.b.y) / 2 + away * out.y};
    canvas_.text(shown, anchor, font, Along::middle, Across::middle, angle);
  }

  [[nodiscard]] bool is_free(const Rect& extent) const {
    const Rect r = extent.inset(-2);
    const Quad wanted{{Point{r.x, r.y}, {r.right(), r.y}, {r.right(), r.bottom()}, {r.x, r.bottom()}}};
    for (const PlacedText& t : canvas_.texts())
      if (t.ink.overlaps(wanted)) return false;
    return true;
  }

  Canvas& canvas_;
  const Projection& view_;
  double text_;
};

}  // namespace

PointStyle draw_space(Canvas& canvas, const Rect& area, const Margins& margins, const Cloud& cloud) {
  const double text = cloud.options.text;
  const Box box = box_around(cloud.points);
  double label_width = 0;
  for (const Ticks& ticks : box.ticks)
    for (const std::string& label : ticks.labels)
      label_width = std::max(label_width, canvas.text_width(label, {text}));
  const bool bare = cloud.options.bare;
  const double side = bare ? 0 : label_width + 2 * text + 16;
  const Rect room = Margins{side, 0.6 * side, margins.top, bare ? 0 : 2.4 * text}.shrink(area);
  const Projection view(room);

  draw_panes(canvas, view, box);
  const auto n = static_cast<std::size_t>(cloud.points.rows());
  std::vector<Point> at(n);
  std::vector<double> depth(n);
  std::vector<Emphasis> emphasis(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Space p = box.at(cloud.points, static_cast<Index>(i));
    at[i] = view.at(p);
    depth[i] = view.depth(p);
    emphasis[i] = {1.14 - 0.28 * depth[i], 0.38 * depth[i]};
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return depth[i] > depth[j]; });
  PointStyle style = point_style(at, room);
  if (bare) style = finer(style);
  style.alpha = std::max(style.alpha, 0.55);  // near points must cover far ones
  draw_points(canvas, area, at, cloud.coloring, style, order, emphasis);

  if (!bare) {
    AxisWriter writer(canvas, view, text);
    writer.draw({0, 0, 0}, 2, box, axis_name(cloud.axes, 2, "PC3"));
    writer.draw({0, 0, 0}, 0, box, axis_name(cloud.axes, 0, "PC1"));
    writer.draw({1, 0, 0}, 1, box, axis_name(cloud.axes, 1, "PC2"));
  }
  if (!cloud.options.title.empty()) {
    const Font font{text + 1, true, ink};
    const Point at_top{area.x + margins.left, area.y + margins.top - 0.5 * font.size};
    canvas.text(canvas.elide(cloud.options.title, font, area.w - margins.left), at_top, font);
  }
  return style;
}

}  // namespace mercer::plot
