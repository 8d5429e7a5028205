// Pictures (mission row M17): svg, png or pdf by the file's ending. In its own library, mercer::plot,
// so that those who embed mercer::mercer do not link a drawing library.
//
//     mercer::plot::scatter("digits.svg", scores, label, {.title = "Digits"});
//
// Input is checked before anything is drawn: Error{usage} for an ending that is no picture format or
// nothing to draw, Error{bad_data} for values that are not finite and labels that do not fit the
// points. A picture appears whole or not at all, and the same input gives the same bytes.
#pragma once

#include <mercer/dataset.hpp>
#include <mercer/report.hpp>
#include <mercer/tensor.hpp>
#include <mercer/tune.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mercer::plot {

/// Throws Error{usage} when the ending names no picture format; for those who draw after long work.
void require_picture(const std::string& path);

struct Style {
  std::string title = {};
  /// Axis names; default PC1, PC2, ... (x₁ and x₂ for contours).
  std::vector<std::string> axes = {};
  /// In points (pixels at scale 1); 0: what suits the picture.
  double width = 0, height = 0;
  /// A title for each map of contours(), e.g. captions(report); default PC1, PC2, ...
  std::vector<std::string> captions = {};
  /// In the plane, one unit as long in x as in y. contours() always does this.
  bool equal_aspect = false;
};

/// 1 column: a strip a class. 2: the plane. 3 or more: the first three in perspective. Coloured by
/// class with a legend, or by a colour scale when the label is numeric with more than 12 values.
void scatter(const std::string& path, const MatrixView<double>& points,
             const std::optional<Label>& label = {}, const Style& style = {});

/// Several panels side by side in one picture, e.g. PC1/PC2, PC1/PC3, PC2/PC3; one legend.
struct Panel {
  std::string title = {};
  Matrix<double> points;  ///< n x 2 (or another width, drawn as scatter() does)
  std::vector<std::string> axes = {};
  bool equal_aspect = false;
};
void panels(const std::string& path, const std::vector<Panel>& panels, const std::optional<Label>& label = {},
            const Style& style = {});

/// The pairs of the first columns of `scores` as panels: PC1/PC2, PC1/PC3, PC2/PC3 for three.
[[nodiscard]] std::vector<Panel> pairs(const MatrixView<double>& scores, Index columns = 3);

/// Maps of the same points by several methods, side by side: shapes without axes, each with a caption, one
/// legend for all.
struct PointMap {
  std::string title = {};
  std::string caption = {};      ///< smaller, below the title
  Matrix<double> points = {};    ///< as in scatter(); none: the caption says why, in the map's place
  std::vector<Index> rows = {};  ///< which of the label's rows the points are; empty: all
};
void maps(const std::string& path, const std::vector<PointMap>& maps, const std::optional<Label>& label = {},
          const Style& style = {});

/// Variance per component as bars and the cumulative share as a line, both over the exact trace.
void scree(const std::string& path, const Report& report, const Style& style = {});

/// Maps grid points (m x 2) to component values (m x k).
using ScoreFunction = std::function<Matrix<double>(const Matrix<double>&)>;

/// The value of each component over the input plane, one small map a component, with the points.
void contours(const std::string& path, const ScoreFunction& score_of, const MatrixView<double>& points,
              Index components, const std::optional<Label>& label = {}, const Style& style = {});

/// Values over x, joined by a line.
struct Curve {
  std::string name;
  std::vector<double> x, y;  ///< x ascending; positive on a logarithmic scale
};
/// Curves in one box, with a legend; style.axes names x and y.
void curves(const std::string& path, const std::vector<Curve>& curves, bool log_x = false,
            const Style& style = {});

/// Several boxes of curves in one picture, e.g. a CP model's factors, one mode a box; curves at the same
/// place in their lists look alike and have one legend.
struct CurvePanel {
  std::string title = {};
  std::vector<Curve> curves;
  std::vector<std::string> axes = {};
};
void curve_panels(const std::string& path, const std::vector<CurvePanel>& panels, const Style& style = {});
/// One panel a mode, a curve a column (component); `modes` names the modes, default mode 0, mode 1, ...
[[nodiscard]] std::vector<CurvePanel> factor_panels(const std::vector<Block<double>>& factors,
                                                    const std::vector<std::string>& modes = {});

/// Numbers as colours, first row on top; all maps of a picture share one scale.
struct HeatMap {
  std::string title = {};
  Matrix<double> values;
  std::vector<std::string> axes = {};  ///< what columns and rows count
};
/// Logarithmic: of magnitudes, over at most five powers of ten below the largest.
void heat_maps(const std::string& path, const std::vector<HeatMap>& maps, bool logarithmic = false,
               const Style& style = {});
/// |G| of a Tucker model, slice by slice; beyond three modes √Σg² over those with the smallest ranks.
[[nodiscard]] std::vector<HeatMap> core_maps(const TensorView<double>& core);

/// A row of small grey pictures of the same size, e.g. clean digits, noisy ones, denoised ones.
struct PictureRow {
  std::string caption;
  Matrix<double> pictures;  ///< one a row, pixels line by line
};
/// One row below the other; the first row's smallest value is white, its largest black.
void gallery(const std::string& path, const std::vector<PictureRow>& rows, Index picture_height,
             Index picture_width, const Style& style = {});

/// How rows of numbers become pictures: height x width grey pixels, row by row from the top.
struct ImageGrid {
  Index height = 0, width = 0;
  Index columns = 0;  ///< of the sheet; 0: what suits it
  /// One range of grey for all, so that they can be compared; otherwise each picture has its own.
  bool shared_range = false;
  /// For each picture: 0 is middle grey, as suits directions. May be short.
  std::vector<bool> around_zero = {};
};
/// A contact sheet, one picture a row of `pictures`, with style.captions under them.
void images(const std::string& path, const MatrixView<double>& pictures, const ImageGrid& grid,
            const Style& style = {});

/// Numbers with names, e.g. the heaviest words of a topic.
struct BarList {
  std::string title;
  std::vector<std::string> names;
  std::vector<double> values;
};
/// One list beside the other, a bar for each name, all to one scale; below zero in another colour.
void bars(const std::string& path, const std::vector<BarList>& lists, const Style& style = {});

/// What tune() found: its criterion over the width, a curve a kernel.
void sweep(const std::string& path, const Tuning& tuning, const Style& style = {});

/// "PC1 (λ = 0.21, 34 %)" for each component of a fit: its variance and share.
[[nodiscard]] std::vector<std::string> captions(const Report& report);

}  // namespace mercer::plot
