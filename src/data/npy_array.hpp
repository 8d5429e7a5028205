// A .npy array in memory (mapped or unpacked): its header and its bytes, and how they become
// samples. Elements of the wanted type in C order are used where they lie; others are converted.
#pragma once

#include "data/npy_header.hpp"
#include "data/raw_table.hpp"

#include <memory>
#include <string>

namespace mercer {

struct NpyArray {
  NpyHeader header;
  const char* data = nullptr;  ///< first element
  std::shared_ptr<const void> owner;
  std::string where;  ///< for messages: file or file:array
};

/// Throws Error{bad_data} for half, complex, text and object arrays.
void require_numeric(const NpyHeader& header, const std::string& where);

/// The same, and for arrays that hold no rows at all.
void require_rows(const NpyHeader& header, const std::string& where);

/// Rows [first, first + count). First axis: samples; the others flattened in C order. Not copied where
/// that is possible.
template <class T>
[[nodiscard]] Samples<T> array_rows(const NpyArray& array, Index first, Index count, const Run& run);

/// All elements, in the order in which they lie.
template <class T>
struct Elements {
  const T* data = nullptr;
  std::shared_ptr<const void> owner;
};
/// Not copied where the type is T already, else converted.
template <class T>
[[nodiscard]] Elements<T> array_elements(const NpyArray& array, const Run& run);

/// A 1-D array (or n x 1) of numbers or texts as a label.
[[nodiscard]] RawLabel array_label(const NpyArray& array, const std::string& name);

/// The texts of a U or S array, in UTF-8.
[[nodiscard]] std::vector<std::string> array_texts(const NpyArray& array);

/// Takes a column out of the samples: what remains shares their memory when the column is the
/// first or the last.
template <class T>
[[nodiscard]] RawTable<T> split_label_column(const Samples<T>& samples, Index column);

}  // namespace mercer
