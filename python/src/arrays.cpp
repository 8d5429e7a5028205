// NumPy and scipy to samples and back: see arrays.hpp.
#include "arrays.hpp"

#include "interpreter_lock.hpp"

namespace mercer::python {
namespace {

bool is_sparse(const py::handle& x) { return py::hasattr(x, "tocsr"); }

/// How many numbers apart two rows are, where rows can be read as they lie; 0 where they must be copied.
template <class T>
py::ssize_t borrowable_stride(const py::array_t<T>& a) {
  const auto flags = py::detail::array_proxy(a.ptr())->flags;
  if (!(flags & py::detail::npy_api::NPY_ARRAY_ALIGNED_)) return 0;
  if (flags & py::array::c_style) return std::max<py::ssize_t>(1, a.shape(1));
  const py::ssize_t size = sizeof(T), row = a.strides(0), column = a.strides(1);
  const bool in_order = column == size && row >= size * a.shape(1) && row % size == 0;
  return in_order ? row / size : 0;
}

template <class T>
Samples<T> dense_samples(const py::handle& x) {
  auto a = to_array<py::array_t<T, py::array::forcecast>>(x);
  if (a.ndim() != 2)
    throw Error(ErrorCode::bad_data, "expected a table of rows and columns, not an array with " +
                                         std::to_string(a.ndim()) + " dimension" +
                                         (a.ndim() == 1 ? "" : "s"));
  py::ssize_t stride = borrowable_stride<T>(a);
  if (stride == 0) {
    a = py::array_t<T, py::array::forcecast | py::array::c_style>(a);
    stride = std::max<py::ssize_t>(1, a.shape(1));
  }
  const T* data = a.data();
  const Index rows = a.shape(0), cols = a.shape(1);
  return Samples<T>::borrow(data, rows, cols, stride, keep_alive(std::move(a)));
}

template <class T>
Samples<T> sparse_samples(const py::handle& x) {
  using Numbers = py::array_t<T, py::array::c_style | py::array::forcecast>;
  using Places = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;
  py::object m = x.attr("tocsr")();
  if (!m.attr("has_canonical_format").cast<bool>()) {  // columns in order, each once
    m = m.attr("copy")();
    m.attr("sum_duplicates")();
  }
  const auto shape = m.attr("shape").cast<std::pair<Index, Index>>();
  const auto values = to_array<Numbers>(m.attr("data"));
  const auto inner = to_array<Places>(m.attr("indices")), outer = to_array<Places>(m.attr("indptr"));
  const Eigen::Map<const SparseMatrix<T>> view(shape.first, shape.second, values.size(), outer.data(),
                                               inner.data(), values.data());
  return SparseMatrix<T>(view);
}

}  // namespace

Precision precision_of_array(const py::handle& x) {
  if (!py::hasattr(x, "dtype")) return Precision::float64;
  const py::dtype type = py::dtype::from_args(x.attr("dtype"));
  return type.kind() == 'f' && type.itemsize() == 4 ? Precision::float32 : Precision::float64;
}

std::shared_ptr<const void> keep_alive(py::object object) {
  return {object.release().ptr(), [](PyObject* kept) {
            if (!Py_IsInitialized()) return;
            const Locked locked;
            Py_DECREF(kept);
          }};
}

template <class T>
Samples<T> to_samples(const py::handle& x) {
  return is_sparse(x) ? sparse_samples<T>(x) : dense_samples<T>(x);
}

template <class T>
typename Samples<T>::DenseView to_rows(const py::handle& x, Samples<T>& holder) {
  holder = dense_samples<T>(x);
  return holder.dense();
}

template <class T>
py::object to_python(const Samples<T>& samples, const py::object& owner) {
  constexpr py::ssize_t size = sizeof(T);
  if (!samples.is_sparse()) {
    const auto rows = samples.dense();
    return py::array_t<T>({rows.rows(), rows.cols()}, {rows.outerStride() * size, size}, rows.data(), owner);
  }
  const auto s = samples.sparse();
  const std::int64_t first = s.outerIndexPtr()[0];
  py::array_t<std::int64_t> outer(s.rows() + 1), inner(samples.stored());
  py::array_t<T> values(samples.stored());
  for (Index i = 0; i <= s.rows(); ++i) outer.mutable_at(i) = s.outerIndexPtr()[i] - first;
  std::copy_n(s.innerIndexPtr() + first, samples.stored(), inner.mutable_data());
  std::copy_n(s.valuePtr() + first, samples.stored(), values.mutable_data());
  return py::module_::import("scipy.sparse")
      .attr("csr_matrix")(py::make_tuple(values, inner, outer),
                          py::arg("shape") = py::make_tuple(s.rows(), s.cols()));
}

template Samples<float> to_samples(const py::handle&);
template Samples<double> to_samples(const py::handle&);
template Samples<float>::DenseView to_rows(const py::handle&, Samples<float>&);
template Samples<double>::DenseView to_rows(const py::handle&, Samples<double>&);
template py::object to_python(const Samples<float>&, const py::object&);
template py::object to_python(const Samples<double>&, const py::object&);

}  // namespace mercer::python
