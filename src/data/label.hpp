// The label column: which one is meant, and its values numbered as classes.
#pragma once

#include "data/raw_table.hpp"

namespace mercer {

/// Column meant by `label`: a name, or a 0-based index (negative: from the end). `names` is empty
/// when the file has none. Throws Error{usage} listing the columns.
[[nodiscard]] Index find_label(const std::string& label, const std::vector<std::string>& names, Index count,
                               const std::string& where);

/// Numbers the classes of the rows named.
[[nodiscard]] Label make_label(const RawLabel& raw, const std::vector<Index>& rows);

}  // namespace mercer
