// RawTable: what every format's reader hands over, before the steps that are the same for all of
// them (missing values, transposing, numbering the classes) in read_dataset.cpp.
#pragma once

#include <mercer/dataset.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// A label column as it stands in the file: texts, or numbers where the format knows only those.
struct RawLabel {
  std::string column;
  std::vector<std::string_view> texts;  ///< a null data() marks a missing one
  std::vector<double> numbers;          ///< NaN marks a missing one; used when texts is empty
  std::shared_ptr<const void> owner;    ///< of the texts

  [[nodiscard]] bool is_missing(Index row) const {
    const auto i = static_cast<std::size_t>(row);
    return texts.empty() ? numbers[i] != numbers[i] : texts[i].data() == nullptr;
  }
};

template <class T>
struct RawTable {
  Samples<T> samples;                ///< NaN marks a missing value, where the options allow it
  std::vector<std::string> columns;  ///< of the features; empty when the file has no names
  std::optional<RawLabel> label;
  bool has_missing = false;  ///< some value or label is marked as missing
};

}  // namespace mercer
