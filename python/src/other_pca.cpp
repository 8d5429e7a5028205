// PCA on random features of a kernel, and PCA of tables with gaps.
#include "models.hpp"
#include "module.hpp"
#include "options.hpp"

#include <mercer/missing_pca.hpp>
#include <mercer/random_feature_pca.hpp>

namespace mercer::python {
namespace {

RandomFeaturePcaOptions feature_options(const py::kwargs& arguments) {
  Given given(arguments, "kpca on random features");
  RandomFeaturePcaOptions options;
  if (const py::object components = given.find("components")) options.components = to_components(components);
  given.take("kernel", options.kernel);
  given.take("features", options.features);
  given.take("orthogonal", options.orthogonal);
  given.take("center", options.center);
  given.take("scale", options.scale, &parse_scale);
  given.take("residual", options.residual);
  given.finish();
  return options;
}

MissingPcaOptions missing_options(const py::kwargs& arguments) {
  Given given(arguments, "pca with gaps");
  MissingPcaOptions options;
  if (const py::object components = given.find("components")) options.components = to_components(components);
  given.take("center", options.center);
  given.take("scale", options.scale, &parse_scale);
  given.take("ridge", options.ridge);
  given.take("held_out", options.held_out);
  given.take("tolerance", options.tolerance);
  given.take("max_sweeps", options.max_sweeps);
  given.finish();
  return options;
}

/// fit_NAME(X, columns=[], run=Run(), **options) and plan_NAME(X, run=Run(), **options).
template <template <class> class M, auto to_options>
void bind_functions(py::module_& m, const std::string& name) {
  m.def(("fit_" + name).c_str(),
        [](const py::object& x, const std::vector<std::string>& columns, const RunSettings& settings,
           const py::kwargs& arguments) {
          const auto options = to_options(arguments);
          return with_precision(precision_of_array(x), [&]<class T>() {
            const auto data = to_dataset<T>(x, columns);
            return to_object(work(settings, [&](const Run& run) { return M<T>::fit(data, options, run); }));
          });
        },
        py::arg("X"), py::arg("columns") = std::vector<std::string>{}, py::arg("run") = RunSettings{});
  m.def(("plan_" + name).c_str(),
        [](const py::object& x, const RunSettings& settings, const py::kwargs& arguments) {
          const auto options = to_options(arguments);
          return with_precision(precision_of_array(x), [&]<class T>() {
            const auto samples = to_samples<T>(x);
            return work(settings, [&](const Run& run) { return M<T>::plan(samples, options, run); });
          });
        },
        py::arg("X"), py::arg("run") = RunSettings{});
}

template <class T>
void bind_classes(py::module_& m) {
  using Features = RandomFeaturePca<T>;
  py::class_<Features, Model<T>, std::shared_ptr<Features>>(m, class_name<T>("RandomFeaturePca").c_str())
      .def_property_readonly("kernel", &Features::kernel, py::return_value_policy::copy)
      .def_property_readonly("directions",
                             [](const Features& model) { return to_numpy(Block<T>(model.directions())); });
  using Gaps = MissingPca<T>;
  py::class_<Gaps, Model<T>, std::shared_ptr<Gaps>>(m, class_name<T>("MissingPca").c_str())
      .def_property_readonly("directions",
                             [](const Gaps& model) { return to_numpy(Block<T>(model.directions())); })
      .def_property_readonly("mean",
                             [](const Gaps& model) { return to_numpy(Vector<double>(model.mean())); });
}

}  // namespace

void bind_other_pca(py::module_& m) {
  bind_classes<float>(m);
  bind_classes<double>(m);
  bind_functions<RandomFeaturePca, &feature_options>(m, "random_feature_pca");
  bind_functions<MissingPca, &missing_options>(m, "missing_pca");
}

}  // namespace mercer::python
