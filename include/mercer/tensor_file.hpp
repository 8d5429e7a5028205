// Reading and writing N-way arrays: .npy and .npz(:array) of any order, .tns (FROSTT's text: indices from 1,
// then the value) for sparse ones, and a folder of PGM or PNG images of one size as a stack.
//
//     auto stack = mercer::read_tensor<double>("faces.npy");      // mapped, not copied, where the type fits
//     auto sparse = mercer::read_sparse_tensor<double>("counts.tns");
#pragma once

#include <mercer/run.hpp>
#include <mercer/tensor.hpp>

#include <string>
#include <vector>

namespace mercer {

/// Does the ending (.tns, .tns.gz) say that the tensor is sparse?
[[nodiscard]] bool is_sparse_tensor_file(const std::string& path);

/// The shape of an .npy or .npz(:array), from its header alone.
[[nodiscard]] Shape tensor_shape(const std::string& path);

/// .npy, .npz(:array), or a folder of images (samples x height x width, by name in natural order; pixels as
/// they stand in the files, colours as luminance). Throws Error{bad_data} for what is no array of numbers,
/// for an empty one, and for images of different sizes. Values may be NaN here: what takes them says so.
template <class T>
[[nodiscard]] TensorView<T> read_tensor(const std::string& path, const Run& run = {});

/// .tns or .tns.gz. The shape is the largest index of each mode, unless it is given (0: of that mode it is
/// not); entries at the same place are added up. Throws Error{bad_data} with line and field for what is no
/// entry or lies outside of the shape.
template <class T>
[[nodiscard]] SparseTensor<T> read_sparse_tensor(const std::string& path, const Shape& shape = {},
                                                 const Run& run = {});

/// .npy, .npz (one array, "tensor" or the name after "file.npz:"), or .tns (the entries that are not zero; of
/// a sparse tensor all that are stored, and only .tns); whole or not at all. A .tns file does not keep the
/// shape.
template <class T>
void write_tensor(const std::string& path, const TensorView<T>& x);
template <class T>
void write_tensor(const std::string& path, const SparseTensor<T>& x);

}  // namespace mercer
