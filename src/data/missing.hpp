// What to do about missing values once a table is in memory: find them, drop their rows or fill in
// the column's mean. Infinite values are bad data under every policy.
#pragma once

#include "data/raw_table.hpp"

namespace mercer {

/// Looks at every value. Infinite: throws, naming row (counted from `first`) and column. NaN: throws
/// under Missing::error, otherwise returns true.
template <class T>
[[nodiscard]] bool scan_for_missing(const Samples<T>& samples, Index first, Missing policy,
                                    const std::string& where, const Run& run);

/// Rows without a missing value or label, in order.
template <class T>
[[nodiscard]] std::vector<Index> complete_rows(const RawTable<T>& table);

/// The means of the columns over the values that are there, and the repair with them.
class ColumnMeans {
 public:
  /// Throws Error{usage} for sparse rows with a gap: they have no means to fill in.
  template <class T>
  void add(const RawTable<T>& rows, const std::string& where);
  /// Throws Error{bad_data} when a column has no value at all.
  void check(const std::vector<std::string>& columns, const std::string& where) const;
  template <class T>
  [[nodiscard]] Samples<T> fill(const Samples<T>& samples) const;

 private:
  Vector<double> sums_;
  std::vector<Index> present_;
};

}  // namespace mercer
