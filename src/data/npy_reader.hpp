// What npy and npz have in common once an array is there: label column, missing values.
#pragma once

#include "data/npy_array.hpp"

namespace mercer {

/// Samples of the array; options.label, when not empty, is the index of a column in it.
template <class T>
[[nodiscard]] RawTable<T> table_of(const NpyArray& array, const ReadOptions& options, const Run& run);

/// Missing labels follow the same policy as missing values; returns whether there are any.
[[nodiscard]] bool check_label(const RawLabel& label, Missing policy, const std::string& where);

}  // namespace mercer
