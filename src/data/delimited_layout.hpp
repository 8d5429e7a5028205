// The layout of a delimited text, found from its first lines: delimiter, header, number of fields,
// label column, and where the rows of numbers begin.
#pragma once

#include <mercer/dataset.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace mercer {

struct DelimitedLayout {
  char delimiter = ',';
  Index fields = 0;
  Index label = -1;                ///< field number, -1: none
  std::vector<std::string> names;  ///< of all fields; empty without a header
  std::string_view body;           ///< the rows
  Index body_line = 1;             ///< 1-based line where the body begins

  [[nodiscard]] Index features() const { return fields - (label >= 0 ? 1 : 0); }
  /// Its name, or its number where there are no names; empty without a label.
  [[nodiscard]] std::string label_name() const {
    if (label < 0) return {};
    return names.empty() ? std::to_string(label) : names[static_cast<std::size_t>(label)];
  }
  /// For messages: "age" in quotes, or the 0-based index.
  [[nodiscard]] std::string shown_name(Index field) const;
};

/// So many lines that hold something, after comments at the top, are looked at.
inline constexpr Index layout_lines = 10;

/// `ending` tsv fixes the tab; the other endings look for the delimiter.
[[nodiscard]] DelimitedLayout find_layout(std::string_view text, const std::string& ending,
                                          const std::string& label, const std::string& where);

}  // namespace mercer
