// PCA of a table.
#include "models.hpp"
#include "module.hpp"
#include "options.hpp"

#include <mercer/pca.hpp>

#include <pybind11/stl.h>

namespace mercer::python {
namespace {

PcaOptions to_options(const py::object& components, const std::string& route, double residual, bool center) {
  PcaOptions options;
  options.components = to_components(components);
  options.route = parse_route(route);
  options.residual = residual;
  options.center = center;
  options.unbiased = true;
  return options;
}

py::object fit(const py::object& x, const py::object& components, const std::string& route, double residual,
               bool center, const std::vector<std::string>& columns, const RunSettings& settings) {
  return fit_table<Pca>(x, columns, settings, to_options(components, route, residual, center));
}

Plan plan(const py::object& x, const py::object& components, const std::string& route, double residual,
          bool center, const RunSettings& settings) {
  return plan_table<Pca>(x, settings, to_options(components, route, residual, center));
}

template <class T>
void bind(py::module_& m) {
  using M = Pca<T>;
  py::class_<M, Model<T>, std::shared_ptr<M>>(m, class_name<T>("Pca").c_str())
      .def_property_readonly("directions",
                             [](const M& model) { return to_numpy(Block<T>(model.directions())); })
      .def_property_readonly(
          "mean", [](const M& model) { return to_numpy(Vector<T>(model.mean().template cast<T>())); });
}

}  // namespace

void bind_pca(py::module_& m) {
  using py::arg;
  bind<float>(m);
  bind<double>(m);
  m.def("fit_pca", &fit, arg("X"), arg("components"), arg("route") = "auto", arg("residual") = 0.0,
        arg("center") = true, arg("columns") = std::vector<std::string>{}, arg("run") = RunSettings{});
  m.def("plan_pca", &plan, arg("X"), arg("components"), arg("route") = "auto", arg("residual") = 0.0,
        arg("center") = true, arg("run") = RunSettings{});
}

}  // namespace mercer::python
