// Data files and example data: tables and N-way arrays.
#include "models.hpp"
#include "module.hpp"
#include "tensors.hpp"

#include <mercer/dataset.hpp>
#include <mercer/generate.hpp>
#include <mercer/tensor_file.hpp>
#include <mercer/tensor_generate.hpp>

#include <pybind11/stl.h>

namespace mercer::python {
namespace {

using namespace py::literals;

py::object to_python_label(const std::optional<Label>& label) {
  if (!label) return py::none();
  return py::dict("column"_a = label->column, "names"_a = label->names, "codes"_a = label->codes,
                  "values"_a = label->values);
}

/// Memory of the array's own, or with `mapped` what the file was read into, for reading.
template <class T>
py::object to_python_table(const Dataset<T>& data, bool mapped) {
  const Samples<T>& samples = data.samples;
  if (samples.is_sparse()) return to_python(samples, py::none());
  if (!mapped) return to_numpy(samples.to_dense());
  auto* kept = new Samples<T>(samples);
  const py::capsule owner(kept, [](void* p) { delete static_cast<Samples<T>*>(p); });
  py::object out = to_python(*kept, owner);
  out.attr("setflags")(py::arg("write") = false);
  return out;
}

template <class T>
py::tuple to_tuple(const Dataset<T>& data, bool mapped) {
  return py::make_tuple(to_python_table(data, mapped), to_python_label(data.label), data.columns);
}

py::tuple read(const std::string& path, const std::string& label, const std::string& missing, bool transpose,
               bool single, bool mapped, const RunSettings& settings) {
  ReadOptions options;
  options.label = label;
  options.missing = parse_missing(missing);
  options.transpose = transpose;
  return with_precision(single ? Precision::float32 : Precision::float64, [&]<class T>() {
    return to_tuple(work(settings, [&](const Run& run) { return read_dataset<T>(path, options, run); }),
                    mapped);
  });
}

void write(const std::string& path, const py::object& x, const std::vector<std::string>& columns,
           const std::string& label_column, const std::vector<std::string>& labels) {
  with_precision(precision_of_array(x), [&]<class T>() {
    const auto samples = to_samples<T>(x);
    std::optional<Label> label;
    if (!labels.empty()) label = make_label(label_column, labels);
    const Unlocked released;
    write_table(path, samples, columns, label);
  });
}

py::object read_array(const std::string& path, const Shape& shape, bool single, bool mapped,
                      const RunSettings& settings) {
  return with_precision(single ? Precision::float32 : Precision::float64, [&]<class T>() -> py::object {
    if (is_sparse_tensor_file(path))
      return py::cast(std::make_shared<SparseTensor<T>>(
          work(settings, [&](const Run& run) { return read_sparse_tensor<T>(path, shape, run); })));
    const auto view = work(settings, [&](const Run& run) { return read_tensor<T>(path, run); });
    py::array found = to_numpy(view);
    return mapped ? py::object(found) : found.attr("copy")("A");
  });
}

void write_array(const std::string& path, const py::object& x) {
  with_precision(precision_of_tensor(x), [&]<class T>() {
    if (py::isinstance<SparseTensor<T>>(x))
      write_tensor<T>(path, x.cast<const SparseTensor<T>&>());
    else
      write_tensor<T>(path, to_tensor<T>(x));
  });
}

py::tuple make_array(const std::string& name, Index n, std::uint64_t seed) {
  GeneratedTensor made = generate_tensor(name, n, seed);
  py::list factors;
  for (auto& factor : made.factors) factors.append(to_numpy(std::move(factor)));
  return py::make_tuple(to_numpy(std::move(made.values)), factors, made.modes);
}

py::dict descriptions(const std::vector<Generator>& list) {
  py::dict out;
  for (const auto& g : list) out[py::str(g.name)] = g.description;
  return out;
}

}  // namespace

void bind_data(py::module_& m) {
  m.def("read", &read, py::arg("path"), py::arg("label"), py::arg("missing"), py::arg("transpose"),
        py::arg("single"), py::arg("mapped"), py::arg("run") = RunSettings{});
  m.def("write", &write, py::arg("path"), py::arg("X"), py::arg("columns"), py::arg("label_column"),
        py::arg("labels"));
  m.def("read_tensor", &read_array, py::arg("path"), py::arg("shape"), py::arg("single"), py::arg("mapped"),
        py::arg("run") = RunSettings{});
  m.def("write_tensor", &write_array, py::arg("path"), py::arg("X"));
  m.def(
      "generate",
      [](const std::string& name, Index n, std::uint64_t seed, Index features, Index clusters) {
        return to_tuple(generate(name, n, seed, {.features = features, .clusters = clusters}), false);
      },
      py::arg("name"), py::arg("n") = 0, py::arg("seed") = 0, py::arg("features") = 0,
      py::arg("clusters") = 0);
  m.def("generate_tensor", &make_array, py::arg("name"), py::arg("n") = 0, py::arg("seed") = 0);
  m.def("generators", [] { return descriptions(generators()); });
  m.def("tensor_generators", [] { return descriptions(tensor_generators()); });
}

}  // namespace mercer::python
