// Pictures (mission row M17): svg, png or pdf by the file's ending. In its own library, mercer::plot,
// so that those who embed mercer::mercer do not link a drawing library.
//
//     mercer::plot::scatter("digits.svg", scores, label, {.title = "Digits"});
#pragma once

#include <mercer/dataset.hpp>
#include <mercer/model.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mercer::plot {

struct Style {
  std::string title;
  std::vector<std::string> axes;  ///< axis names; default PC1, PC2, ...
  double width = 800, height = 600;  ///< in points (pixels at scale 1)
};

/// 2 columns: plane; 3 or more: the first three in perspective. Coloured by class with a legend,
/// or by a colour scale when the label is numeric with many values.
void scatter(const std::string& path, const MatrixView<double>& points, const std::optional<Label>& label = {},
             const Style& style = {});

/// Several panels side by side in one picture, e.g. PC1/PC2, PC1/PC3, PC2/PC3.
struct Panel {
  std::string title;
  Matrix<double> points;  ///< n x 2
  std::vector<std::string> axes;
};
void panels(const std::string& path, const std::vector<Panel>& panels, const std::optional<Label>& label = {},
            const Style& style = {});

/// Variance per component as bars and the cumulative share as a line.
void scree(const std::string& path, const Report& report, const Style& style = {});

/// The value of each component over the input plane, one small map a component, with the points.
/// `score_of` maps grid points (m x 2) to component values (m x k).
void contours(const std::string& path, const std::function<Matrix<double>(const Matrix<double>&)>& score_of,
              const MatrixView<double>& points, Index components, const std::optional<Label>& label = {},
              const Style& style = {});

}  // namespace mercer::plot
