// Kernel PCA, exact and low rank.
#include "models.hpp"
#include "module.hpp"
#include "options.hpp"

#include <mercer/kernel_pca.hpp>

#include <pybind11/stl.h>

namespace mercer::python {
namespace {

KernelPcaOptions to_options(const Kernel& kernel, const py::object& components, const py::kwargs& arguments) {
  Given given(arguments, "kernel PCA");
  KernelPcaOptions options;
  options.kernel = kernel;
  options.components = to_components(components);
  given.take("center", options.center);
  given.take("scale", options.scale, &parse_scale);
  given.take("indefinite", options.indefinite, &parse_indefinite);
  given.take("residual", options.residual);
  given.take("route", options.route, &parse_route);
  given.take("delta", options.delta);
  given.take("rank", options.lowrank.rank);
  given.take("tolerance", options.lowrank.tolerance);
  const py::object landmarks = given.find("landmarks");
  if (landmarks && !py::isinstance<py::str>(landmarks)) {
    options.lowrank.landmarks = Landmarks::given;
    given.take("landmarks", options.lowrank.given);
  } else {
    given.take("landmarks", options.lowrank.landmarks, &parse_landmarks);
  }
  given.finish();
  return options;
}

py::object fit(const py::object& x, const Kernel& kernel, const py::object& components,
               const std::vector<std::string>& columns, const RunSettings& settings,
               const py::kwargs& given) {
  return fit_table<KernelPca>(x, columns, settings, to_options(kernel, components, given));
}

Plan plan(const py::object& x, const Kernel& kernel, const py::object& components,
          const RunSettings& settings, const py::kwargs& given) {
  return plan_table<KernelPca>(x, settings, to_options(kernel, components, given));
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
