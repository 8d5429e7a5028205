// Kernel PCA, exact and low rank.
#include "models.hpp"
#include "module.hpp"

#include <mercer/kernel_pca.hpp>

#include <pybind11/stl.h>

namespace mercer::python {
namespace {

/// Keyword arguments of Python as the library's options; what is not named keeps its default.
KernelPcaOptions to_options(const Kernel& kernel, const py::object& components, const py::kwargs& given) {
  KernelPcaOptions options;
  options.kernel = kernel;
  options.components = to_components(components);
  for (const auto& [key, value] : given) {
    const auto name = key.cast<std::string>();
    if (name == "center")
      options.center = value.cast<bool>();
    else if (name == "scale")
      options.scale = parse_scale(value.cast<std::string>());
    else if (name == "indefinite")
      options.indefinite = parse_indefinite(value.cast<std::string>());
    else if (name == "residual")
      options.residual = value.cast<double>();
    else if (name == "route")
      options.route = parse_route(value.cast<std::string>());
    else if (name == "delta")
      options.delta = value.cast<double>();
    else if (name == "rank")
      options.lowrank.rank = value.cast<Index>();
    else if (name == "tolerance")
      options.lowrank.tolerance = value.cast<double>();
    else if (name == "landmarks" && py::isinstance<py::str>(value))
      options.lowrank.landmarks = parse_landmarks(value.cast<std::string>());
    else if (name == "landmarks") {
      options.lowrank.landmarks = Landmarks::given;
      options.lowrank.given = value.cast<std::vector<Index>>();
    } else
      throw py::type_error("kernel PCA has no option '" + name + "'");
  }
  return options;
}

py::object fit(const py::object& x, const Kernel& kernel, const py::object& components,
               const std::vector<std::string>& columns, const RunSettings& settings,
               const py::kwargs& given) {
  const KernelPcaOptions options = to_options(kernel, components, given);
  return with_precision(precision_of_array(x), [&]<class T>() {
    const auto data = to_dataset<T>(x, columns);
    return to_object(work(settings, [&](const Run& run) { return KernelPca<T>::fit(data, options, run); }));
  });
}

Plan plan(const py::object& x, const Kernel& kernel, const py::object& components,
          const RunSettings& settings, const py::kwargs& given) {
  const KernelPcaOptions options = to_options(kernel, components, given);
  return with_precision(precision_of_array(x), [&]<class T>() {
    const auto samples = to_samples<T>(x);
    return work(settings, [&](const Run& run) { return KernelPca<T>::plan(samples, options, run); });
  });
}

template <class T>
void bind(py::module_& m) {
  using M = KernelPca<T>;
  py::class_<M, Model<T>, std::shared_ptr<M>>(m, class_name<T>("KernelPca").c_str())
      .def_property_readonly("kernel", &M::kernel, py::return_value_policy::copy)
      .def_property_readonly("alpha", [](const M& model) { return to_numpy(Block<T>(model.alpha())); })
      .def_property_readonly(
          "points", [](const py::object& self) { return to_python(self.cast<const M&>().points(), self); })
      .def_property_readonly("landmarks", &M::landmarks)
      .def(
          "update",
          [](const M& model, const py::object& x, Index max_rank, const RunSettings& settings) {
            const auto more = to_samples<T>(x);
            return to_object(work(
                settings, [&](const Run& run) { return model.update(more, {.max_rank = max_rank}, run); }));
          },
          py::arg("X"), py::arg("max_rank") = 0, py::arg("run") = RunSettings{});
}

}  // namespace

void bind_kernel_pca(py::module_& m) {
  bind<float>(m);
  bind<double>(m);
  m.def("fit_kernel_pca", &fit, py::arg("X"), py::arg("kernel"), py::arg("components"),
        py::arg("columns") = std::vector<std::string>{}, py::arg("run") = RunSettings{});
  m.def("plan_kernel_pca", &plan, py::arg("X"), py::arg("kernel"), py::arg("components"),
        py::arg("run") = RunSettings{});
}

}  // namespace mercer::python
