// The pictures of mercer/plot.hpp on a canvas of one's own, and the layout they share: title on top,
// legend at the right, small multiples in a grid. A new kind of picture starts here.
#pragma once

#include "plot/axes.hpp"
#include "plot/canvas.hpp"
#include "plot/coloring.hpp"
#include "plot/legend.hpp"
#include "plot/points.hpp"

#include <mercer/plot.hpp>

namespace mercer::plot {

void draw_scatter(Canvas& canvas, const MatrixView<double>& points, const std::optional<Label>& label,
                  const Style& style);
void draw_panels(Canvas& canvas, const std::vector<Panel>& panels, const std::optional<Label>& label,
                 const Style& style);
void draw_maps(Canvas& canvas, const std::vector<PointMap>& maps, const std::optional<Label>& label,
               const Style& style);
void draw_scree(Canvas& canvas, const Report& report, const Style& style);
void draw_contours(Canvas& canvas, const ScoreFunction& score_of, const MatrixView<double>& points,
                   Index components, const std::optional<Label>& label, const Style& style);
void draw_curves(Canvas& canvas, const std::vector<Curve>& curves, bool log_x, const Style& style);
void draw_curve_panels(Canvas& canvas, const std::vector<CurvePanel>& panels, const Style& style);
void draw_heat_maps(Canvas& canvas, const std::vector<HeatMap>& maps, bool logarithmic, const Style& style);
void draw_gallery(Canvas& canvas, const std::vector<PictureRow>& rows, Index height, Index width,
                  const Style& style);
void draw_bars(Canvas& canvas, const std::vector<BarList>& lists, const Style& style);
void draw_images(Canvas& canvas, const MatrixView<double>& pictures, const ImageGrid& grid,
                 const Style& style);

/// What a scatter needs to be laid out before it is drawn: chosen by the number of columns.
struct Cloud {
  MatrixView<double> points;  ///< a view: the data must outlive the cloud
  const Coloring& coloring;
  std::vector<std::string> axes;  ///< may be short: PC1, PC2, ... are filled in
  AxesOptions options;
};
/// Two columns: plane. One: a strip, classes below each other. Three or more: space.
/// Each returns the style its points got, for the legend.
PointStyle draw_cloud(Canvas& canvas, const Rect& area, const Margins& margins, const Cloud& cloud);
[[nodiscard]] Margins measure_cloud(const Canvas& canvas, const Rect& area, const Cloud& cloud);
/// True when a strip plot shows each class on a strip with its name.
[[nodiscard]] bool names_strips(const Coloring& coloring);
PointStyle draw_space(Canvas& canvas, const Rect& area, const Margins& margins, const Cloud& cloud);

/// Curves within axes, and the key that names them; x on a logarithmic scale where the axes' range is one.
void check_curves(const std::vector<Curve>& curves, bool log_x);
void draw_curve_lines(Canvas& canvas, const Axes& axes, const std::vector<Curve>& curves, bool log_x);
[[nodiscard]] double curve_key_width(const Canvas& canvas, const std::vector<Curve>& curves);
void draw_curve_key(Canvas& canvas, const Rect& side, const std::vector<Curve>& curves);

/// Draws the title and divides the page.
struct PageLayout {
  Rect body;
  Rect side;  ///< for the legend
};
[[nodiscard]] PageLayout lay_out_page(Canvas& canvas, const std::string& title, double legend_width);
inline constexpr double page_margin = 18, legend_space = 22, title_room = 30;

/// Columns of a pleasant grid of small multiples: 3 -> 3, 4 -> 2, 6 -> 3, 8 -> 4.
[[nodiscard]] Index grid_columns(Index panels);
[[nodiscard]] Rect grid_cell(const Rect& body, Index rows, Index columns, Index cell, double space);

/// The axis name given, or the default.
[[nodiscard]] std::string axis_name(const std::vector<std::string>& names, std::size_t i,
                                    const std::string& fallback);

/// Throws Error{usage} for no rows, Error{bad_data} for a value that is not finite, naming its place.
void check_points(const MatrixView<double>& points, const std::string& what);

}  // namespace mercer::plot
