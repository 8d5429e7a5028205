// The rows of a delimited text as numbers: in parallel for large texts, and always with the first
// bad place in file order.
#pragma once

#include "data/delimited_layout.hpp"
#include "data/raw_table.hpp"

namespace mercer {

template <class T>
struct DelimitedRows {
  Matrix<T> values;                      ///< rows x features; NaN marks a missing value
  std::vector<std::string_view> labels;  ///< null data() marks a missing one; empty without label
  std::shared_ptr<const void> owner;     ///< of labels that are not in the text as they stand
  bool has_missing = false;
};

/// `chunk`: bytes a piece of work; texts up to twice that are read in one piece.
template <class T>
[[nodiscard]] DelimitedRows<T> parse_rows(const DelimitedLayout& layout, Missing missing,
                                          const std::string& where, const Run& run,
                                          std::size_t chunk = std::size_t{1} << 19);

}  // namespace mercer
