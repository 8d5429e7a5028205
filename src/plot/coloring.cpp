// Checks the label once, so that drawing needs no checks.
#include "plot/coloring.hpp"

#include "plot/ticks.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <cmath>

namespace mercer::plot {
namespace {

constexpr std::size_t most_numeric_classes = 12;

void check_label(const Label& label, std::size_t points) {
  const auto wrong = [&](const std::string& what) {
    throw Error(ErrorCode::bad_data, fmt::format("label '{}': {}", label.column, what));
  };
  if (label.codes.size() != points) wrong(fmt::format("{} labels for {} points", label.codes.size(), points));
  for (std::size_t i = 0; i < points; ++i)
    if (label.codes[i] < 0 || static_cast<std::size_t>(label.codes[i]) >= label.names.size())
      wrong(fmt::format("point {} has class number {}, but there are {} classes", i, label.codes[i],
                        label.names.size()));
  if (!label.values.empty() && label.values.size() != points)
    wrong(fmt::format("{} values for {} points", label.values.size(), points));
  for (std::size_t i = 0; i < label.values.size(); ++i)
    if (!std::isfinite(label.values[i])) wrong(fmt::format("the value of point {} is not finite", i));
}

}  // namespace

Coloring::Coloring(const std::optional<Label>& label, Index points, const Color& plain) : plain_(plain) {
  if (!label || (label->codes.empty() && label->values.empty())) return;  // a column's name alone
  check_label(*label, static_cast<std::size_t>(points));
  // A column known by its number only is called so.
  const bool number =
      !label->column.empty() && label->column.find_first_not_of("0123456789") == std::string::npos;
  title_ = number ? "column " + label->column : label->column;
  if (!label->values.empty() && label->names.size() > most_numeric_classes) {
    kind_ = Kind::scale;
    values_ = label->values;
    range_ = range_of(values_);
    return;
  }
  kind_ = Kind::classes;
  codes_ = label->codes;
  std::vector<bool> seen(label->names.size());
  for (const std::int32_t code : codes_) seen[static_cast<std::size_t>(code)] = true;
  for (std::size_t c = 0; c < seen.size(); ++c) {
    entry_of_class_.push_back(entries_.size());
    if (seen[c]) entries_.push_back({label->names[c], class_look(c, seen.size())});
  }
}

Coloring Coloring::of(const std::vector<Index>& points) const {
  Coloring out = *this;
  const auto keep = [&](const auto& all, auto& some) {
    if (all.empty()) return;
    some.clear();
    for (const Index i : points) some.push_back(all[static_cast<std::size_t>(i)]);
  };
  keep(codes_, out.codes_);
  keep(values_, out.values_);
  return out;
}

Look Coloring::look(std::size_t point) const {
  switch (kind_) {
    case Kind::classes:
      return entries_[entry_of(point)].look;
    case Kind::scale:
      return {sequential(range_.fraction(values_[point])), Marker::circle};
    case Kind::plain:
      break;
  }
  return {plain_, Marker::circle};
}

}  // namespace mercer::plot
