// N-way arrays of NumPy as tensors and back, and sparse tensors: see tensors.hpp.
#include "tensors.hpp"

#include "models.hpp"
#include "module.hpp"

#include <mercer/error.hpp>

#include <pybind11/stl.h>

namespace mercer::python {
namespace {

/// Can the elements be read where they lie?
template <class T>
bool borrowable(const py::array_t<T>& a) {
  if (!(py::detail::array_proxy(a.ptr())->flags & py::detail::npy_api::NPY_ARRAY_ALIGNED_)) return false;
  for (py::ssize_t mode = 0; mode < a.ndim(); ++mode) {
    const py::ssize_t stride = a.strides(mode), size = sizeof(T);
    if (a.shape(mode) > 1 && (stride <= 0 || stride % size != 0)) return false;
  }
  return true;
}

template <class T>
py::array shaped(const Shape& shape, const Shape& strides, const T* data, const py::capsule& owner) {
  std::vector<py::ssize_t> bytes;
  for (const Index stride : strides) bytes.push_back(stride * py::ssize_t{sizeof(T)});
  return py::array_t<T>(std::vector<py::ssize_t>(shape.begin(), shape.end()), bytes, data, owner);
}

/// coordinates: an array of modes x entries, as numpy.nonzero and the package `sparse` have them.
template <class T>
SparseTensor<T> make_sparse(const py::object& coordinates, const py::object& values, Shape shape) {
  const auto places =
      to_array<py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>>(coordinates);
  const auto numbers = to_array<py::array_t<T, py::array::c_style | py::array::forcecast>>(values);
  if (places.ndim() != 2 || numbers.ndim() != 1)
    throw Error(ErrorCode::usage, "coordinates are modes x entries, and values one a entry");
  if (places.shape(1) != numbers.size())
    throw Error(ErrorCode::usage, "there are coordinates of " + std::to_string(places.shape(1)) +
                                      " entries, and " + std::to_string(numbers.size()) + " values");
  if (numbers.size() == 0 && shape.empty())
    throw Error(ErrorCode::usage, "without entries there is no telling the shape", "give shape=");
  if (shape.empty()) shape.assign(static_cast<std::size_t>(places.shape(0)), 0);
  if (static_cast<py::ssize_t>(shape.size()) != places.shape(0))
    throw Error(ErrorCode::usage, "the shape has " + std::to_string(shape.size()) +
                                      " modes, and the coordinates " + std::to_string(places.shape(0)));
  Coordinates<T> entries;
  for (py::ssize_t mode = 0; mode < places.shape(0); ++mode) {
    const std::int64_t* row = places.data() + mode * places.shape(1);
    auto& index = entries.index.emplace_back();
    Index& size = shape[static_cast<std::size_t>(mode)];
    const bool given = size > 0;
    for (py::ssize_t e = 0; e < places.shape(1); ++e) {
      if (row[e] < 0 || row[e] > std::int64_t{0xfffffffe})
        throw Error(ErrorCode::bad_data, "entry " + std::to_string(e) + " has the index " +
                                             std::to_string(row[e]) + " in mode " + std::to_string(mode));
      index.push_back(static_cast<std::uint32_t>(row[e]));
      if (!given) size = std::max<Index>(size, row[e] + 1);
    }
  }
  entries.shape = std::move(shape);
  entries.values.assign(numbers.data(), numbers.data() + numbers.size());
  return SparseTensor<T>(std::move(entries));
}

template <class T>
py::tuple coordinates_of(const SparseTensor<T>& x) {
  const Coordinates<T> entries = x.coordinates();
  const auto count = static_cast<py::ssize_t>(entries.values.size());
  py::array_t<std::int64_t> places({static_cast<py::ssize_t>(entries.index.size()), count});
  for (std::size_t mode = 0; mode < entries.index.size(); ++mode)
    std::copy(entries.index[mode].begin(), entries.index[mode].end(),
              places.mutable_data() + static_cast<py::ssize_t>(mode) * count);
  return py::make_tuple(places, py::array_t<T>(count, entries.values.data()), x.shape());
}

template <class T>
void bind_sparse(py::module_& m) {
  using S = SparseTensor<T>;
  py::class_<S, std::shared_ptr<S>>(m, class_name<T>("SparseTensor").c_str(),
                                    "The entries of an N-way array that are stored; made by sparse_tensor().")
      .def(py::init([](const py::object& coordinates, const py::object& values, const Shape& shape) {
             return std::make_shared<S>(make_sparse<T>(coordinates, values, shape));
           }),
           py::arg("coordinates"), py::arg("values"), py::arg("shape"))
      .def_property_readonly("shape", [](const S& x) { return py::tuple(py::cast(x.shape())); })
      .def_property_readonly("ndim", &S::order)
      .def_property_readonly("nnz", &S::stored)
      .def_property_readonly("dtype", [](const S&) { return py::dtype::of<T>(); })
      .def(
          "coordinates", [](const S& x) { return coordinates_of(x); }, "(modes x entries, values, shape)")
      .def("to_dense", [](const S& x) { return to_numpy(x.to_dense()); })
      .def("__repr__",
           [](const S& x) {
             return "<sparse tensor of " + to_string(x.shape()) + ", " + std::to_string(x.stored()) +
                    " entries>";
           })
      .def("__reduce__", [](const S& x) { return py::make_tuple(py::type::of<S>(), coordinates_of(x)); });
}

}  // namespace

template <class T>
TensorView<T> to_tensor(const py::handle& x) {
  auto a = to_array<py::array_t<T, py::array::forcecast>>(x);
  if (!borrowable<T>(a)) {
    a = py::array_t<T, py::array::forcecast | py::array::c_style>(a.attr("copy")());
  }
  Shape shape, strides;
  for (py::ssize_t mode = 0; mode < a.ndim(); ++mode) {
    shape.push_back(a.shape(mode));
    strides.push_back(std::max<py::ssize_t>(1, a.strides(mode) / py::ssize_t{sizeof(T)}));
  }
  const T* data = a.data();
  return TensorView<T>(data, std::move(shape), std::move(strides), keep_alive(std::move(a)));
}

template <class T>
py::array to_numpy(Tensor<T> tensor) {
  auto* kept = new Tensor<T>(std::move(tensor));
  const py::capsule owner(kept, [](void* p) { delete static_cast<Tensor<T>*>(p); });
  return shaped(kept->shape(), kept->view().strides(), kept->data(), owner);
}

template <class T>
py::array to_numpy(const TensorView<T>& view) {
  auto* kept = new TensorView<T>(view);
  const py::capsule owner(kept, [](void* p) { delete static_cast<TensorView<T>*>(p); });
  py::array out = shaped(kept->shape(), kept->strides(), kept->data(), owner);
  out.attr("setflags")(py::arg("write") = false);
  return out;
}

Precision precision_of_tensor(const py::handle& x) {
  if (py::isinstance<SparseTensor<float>>(x)) return Precision::float32;
  if (py::isinstance<SparseTensor<double>>(x)) return Precision::float64;
  return precision_of_array(x);
}

void bind_tensors(py::module_& m) {
  bind_sparse<float>(m);
  bind_sparse<double>(m);
  m.def(
      "sparse_tensor",
      [](const py::object& coordinates, const py::object& values, const Shape& shape) -> py::object {
        return with_precision(precision_of_array(values), [&]<class T>() -> py::object {
          return py::cast(std::make_shared<SparseTensor<T>>(make_sparse<T>(coordinates, values, shape)));
        });
      },
      py::arg("coordinates"), py::arg("values"), py::arg("shape") = Shape{},
      "An N-way array of which only these entries are stored; values at the same place are added up.\n\n"
      ">>> import mercer\n"
      ">>> x = mercer.sparse_tensor([[0, 1, 1], [0, 0, 2], [3, 1, 0]], [1.0, 2.0, 5.0])\n"
      ">>> x.shape, x.nnz\n"
      "((2, 3, 4), 3)\n");
}

template TensorView<float> to_tensor(const py::handle&);
template TensorView<double> to_tensor(const py::handle&);
template py::array to_numpy(Tensor<float>);
template py::array to_numpy(Tensor<double>);
template py::array to_numpy(const TensorView<float>&);
template py::array to_numpy(const TensorView<double>&);

}  // namespace mercer::python
