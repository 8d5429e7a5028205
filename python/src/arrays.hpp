// NumPy and scipy to samples and back. Nothing is copied where the layout allows: rows of float32 or float64
// that lie one after the other are borrowed and kept alive, and results hand their memory over.
#pragma once

#include <mercer/error.hpp>
#include <mercer/matrix.hpp>
#include <mercer/samples.hpp>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <utility>

namespace mercer::python {

namespace py = pybind11;

/// float32 stays; everything else becomes float64.
[[nodiscard]] Precision precision_of_array(const py::handle& x);

/// An array of numbers from whatever NumPy can make one of; raises NumPy's own words where it cannot, and
/// refuses complex numbers, whose imaginary part would be lost.
template <class Array>
[[nodiscard]] Array to_array(const py::handle& x) {
  const py::array given(py::reinterpret_borrow<py::object>(x));
  if (given.dtype().kind() == 'c')
    throw Error(ErrorCode::bad_data, "complex numbers are not supported", "give real numbers");
  return Array(given);
}

/// Keeps a Python object alive from C++, on any thread.
[[nodiscard]] std::shared_ptr<const void> keep_alive(py::object object);

/// A 2-D array (borrowed where it can be) or a scipy CSR matrix (its indices become 64-bit).
template <class T>
[[nodiscard]] Samples<T> to_samples(const py::handle& x);

/// Rows for a function that takes a MatrixView; `holder` keeps what they are taken from.
template <class T>
[[nodiscard]] typename Samples<T>::DenseView to_rows(const py::handle& x, Samples<T>& holder);

/// The same samples for Python: an array, or a scipy.sparse.csr_matrix. A dense view keeps `owner` alive.
template <class T>
[[nodiscard]] py::object to_python(const Samples<T>& samples, const py::object& owner);

/// The matrix's memory, handed over to an array.
template <class M>
[[nodiscard]] py::array to_numpy(M matrix) {
  using T = typename M::Scalar;
  auto* kept = new M(std::move(matrix));
  const py::capsule owner(kept, [](void* p) { delete static_cast<M*>(p); });
  constexpr py::ssize_t size = sizeof(T);
  if constexpr (M::IsVectorAtCompileTime) {
    return py::array_t<T>({kept->size()}, {size}, kept->data(), owner);
  } else {
    const py::ssize_t rows = kept->rows(), cols = kept->cols();
    const auto strides = M::IsRowMajor ? std::pair{size * cols, size} : std::pair{size, size * rows};
    return py::array_t<T>({rows, cols}, {strides.first, strides.second}, kept->data(), owner);
  }
}

}  // namespace mercer::python
