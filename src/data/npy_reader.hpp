// What npy and npz have in common once an array is there: label column, missing values.
#pragma once

#include "data/file_bytes.hpp"
#include "data/input_file.hpp"
#include "data/npy_array.hpp"

namespace mercer {

/// An array in a file of its own: all of it, or what its header says.
[[nodiscard]] NpyArray read_array(const std::string& path);
[[nodiscard]] NpyHeader read_npy_header(const std::string& path);
/// Of a regular file of so many bytes.
[[nodiscard]] NpyHeader read_npy_header(const Descriptor& file, std::size_t size, const std::string& path);

/// The column of the array that options.label, an index, means; -1 without one.
[[nodiscard]] Index label_column(const NpyHeader& header, const ReadOptions& options,
                                 const std::string& where);

/// The rows without their label column, looked through for missing values; `first` is the number of
/// their first row in the file.
template <class T>
[[nodiscard]] RawTable<T> table_of(const Samples<T>& rows, Index label, Index first, Missing missing,
                                   const std::string& where, const Run& run);
/// All rows of the array.
template <class T>
[[nodiscard]] RawTable<T> table_of(const NpyArray& array, const ReadOptions& options, const Run& run);

/// Missing labels follow the same policy as missing values; returns whether there are any.
[[nodiscard]] bool check_label(const RawLabel& label, Index first, Missing policy, const std::string& where);

}  // namespace mercer
