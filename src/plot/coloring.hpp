// Coloring: what a label column means for the look of each point: no label, a class each, or a
// position on a colour scale (numeric with more than twelve distinct values).
#pragma once

#include "plot/geometry.hpp"
#include "plot/palette.hpp"

#include <mercer/dataset.hpp>

#include <optional>
#include <string>
#include <vector>

namespace mercer::plot {

class Coloring {
 public:
  enum class Kind { plain, classes, scale };

  /// Throws Error{bad_data} when the label does not fit `points` points.
  /// `plain`: the colour of points without a label.
  Coloring(const std::optional<Label>& label, Index points, const Color& plain = class_colors(1).front());

  /// Of some of the points, with the same colours.
  [[nodiscard]] Coloring of(const std::vector<Index>& points) const;

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] Look look(std::size_t point) const;
  [[nodiscard]] const std::string& title() const { return title_; }

  struct Entry {
    std::string name;
    Look look;
  };
  /// The classes that have points, in the label's order.
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  /// Which of them a point belongs to.
  [[nodiscard]] std::size_t entry_of(std::size_t point) const {
    return entry_of_class_[static_cast<std::size_t>(codes_[point])];
  }
  /// Of the values, for a scale.
  [[nodiscard]] const Range& range() const { return range_; }

 private:
  Kind kind_ = Kind::plain;
  Color plain_;
  std::string title_;
  std::vector<Entry> entries_;
  std::vector<std::size_t> entry_of_class_;
  std::vector<std::int32_t> codes_;
  std::vector<double> values_;
  Range range_;
};

}  // namespace mercer::plot
