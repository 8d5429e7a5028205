// What to do about missing values once a table is in memory: find them, drop their rows or fill in
// the column's mean. Infinite values are bad data under every policy.
#pragma once

#include "data/raw_table.hpp"

namespace mercer {

/// Looks at every value. Infinite: throws, naming row and column. NaN: throws under Missing::error,
/// otherwise returns true.
template <class T>
[[nodiscard]] bool scan_for_missing(const Samples<T>& samples, Missing policy, const std::string& where,
                                    const Run& run);

/// Rows without a missing value or label, in order.
template <class T>
[[nodiscard]] std::vector<Index> complete_rows(const RawTable<T>& table);

/// Puts the mean over the present values of its column in place of each NaN.
template <class T>
[[nodiscard]] Samples<T> fill_with_means(const Samples<T>& samples, const std::vector<std::string>& columns,
                                         const std::string& where);

}  // namespace mercer
