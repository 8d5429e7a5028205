// N-way arrays of NumPy as tensors and back, without copies where the layout allows.
#pragma once

#include "arrays.hpp"

#include <mercer/tensor.hpp>

namespace mercer::python {

/// Any order; borrowed and kept alive where elements are aligned and strides positive.
template <class T>
[[nodiscard]] TensorView<T> to_tensor(const py::handle& x);

/// The tensor's memory, handed over to an array (first index fastest: Fortran's order).
template <class T>
[[nodiscard]] py::array to_numpy(Tensor<T> tensor);

/// The view's elements where they lie, for reading; the array keeps them alive.
template <class T>
[[nodiscard]] py::array to_numpy(const TensorView<T>& view);

/// float32 stays; everything else, and arrays without a type, are float64. Knows sparse tensors too.
[[nodiscard]] Precision precision_of_tensor(const py::handle& x);

}  // namespace mercer::python
