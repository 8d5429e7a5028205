// The formats of N-way arrays, each in a file of its own; tensor_file.cpp chooses by the ending.
#pragma once

#include "data/format.hpp"

#include <mercer/tensor.hpp>

namespace mercer {

[[nodiscard]] Shape npy_tensor_shape(const Location& file);
[[nodiscard]] Shape npz_tensor_shape(const Location& file);

/// Not copied where the element type is T already, in whatever order it lies.
template <class T>
[[nodiscard]] TensorView<T> read_npy_tensor(const Location& file, const Run& run);
template <class T>
[[nodiscard]] TensorView<T> read_npz_tensor(const Location& file, const Run& run);
/// In C order, since other tools read that without being told.
template <class T>
void write_npy_tensor(const Location& file, const TensorView<T>& x);
template <class T>
void write_npz_tensor(const Location& file, const TensorView<T>& x);

template <class T>
[[nodiscard]] Coordinates<T> read_tns(const Location& file, const Shape& shape, const Run& run);
template <class T>
void write_tns(const Location& file, const TensorView<T>& x);
template <class T>
void write_tns(const Location& file, const SparseTensor<T>& x);

template <class T>
[[nodiscard]] TensorView<T> read_image_stack(const std::string& folder, const Run& run);

}  // namespace mercer
