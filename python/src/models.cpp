// Model<T>: what every fitted method can do, and the model files of the command line.
#include "models.hpp"

#include "module.hpp"
#include "options.hpp"

#include <mercer/plan.hpp>

#include <pybind11/stl.h>

namespace mercer::python {
namespace {

template <class T>
void bind_model(py::module_& m) {
  using M = Model<T>;
  py::class_<M, std::shared_ptr<M>>(m, class_name<T>("Model").c_str(), "A fitted method; never changes.")
      .def(
          "transform",
          [](const M& model, const py::object& x, const RunSettings& settings) {
            const auto points = to_samples<T>(x);
            return to_numpy(work(settings, [&](const Run& run) { return model.transform(points, run); }));
          },
          py::arg("X"), py::arg("run") = RunSettings{})
      .def(
          "inverse",
          [](const M& model, const py::object& z, const RunSettings& settings) {
            Samples<T> holder;
            const auto scores = to_rows<T>(z, holder);
            return to_numpy(work(settings, [&](const Run& run) { return model.inverse(scores, run); }));
          },
          py::arg("scores"), py::arg("run") = RunSettings{})
      .def(
          "scores", [](const M& model) { return to_numpy(model.scores()); }, "Of the training points.")
      .def_property_readonly("features", &M::features)
      .def_property_readonly("components", &M::components)
      .def_property_readonly("method", &M::method)
      .def_property_readonly("columns", &M::columns)
      .def_property_readonly("report", &M::report, py::return_value_policy::reference_internal)
      .def_property_readonly("dtype", [](const M&) { return py::dtype::of<T>(); })
      .def(
          "save",
          [](const M& model, const std::string& path) {
            const Unlocked released;
            model.save(path);
          },
          py::arg("path"));
}

py::object load(const std::string& path, const std::map<std::string, Kernel>& kernels) {
  return with_precision(model_precision(path), [&]<class T>() -> py::object {
    LoadOptions options;
    options.kernels = kernels;
    return py::cast(std::shared_ptr<Model<T>>(load_model<T>(path, options)));
  });
}

}  // namespace

Components to_components(const py::object& count_or_share) {
  if (py::isinstance<py::float_>(count_or_share))
    return Components::variance_share(count_or_share.cast<double>());
  return {count_or_share.cast<Index>()};
}

void bind_models(py::module_& m) {
  bind_model<float>(m);
  bind_model<double>(m);
  m.def("load_model", &load, py::arg("path"), py::arg("kernels") = std::map<std::string, Kernel>{},
        "A model from a file; `kernels` names the functions behind kernels of a user's own.");
}

}  // namespace mercer::python
