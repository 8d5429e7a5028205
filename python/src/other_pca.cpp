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
  given.take("components", options.components);
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
  given.take("components", options.components);
  given.take("center", options.center);
  given.take("scale", options.scale, &parse_scale);
  given.take("ridge", options.ridge);
  given.take("held_out", options.held_out);
  given.take("tolerance", options.tolerance);
  given.take("max_sweeps", options.max_sweeps);
  given.finish();
  return options;
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
  bind_fit<RandomFeaturePca, &feature_options>(m, "random_feature_pca");
  bind_plan<RandomFeaturePca, &feature_options>(m, "random_feature_pca");
  bind_fit<MissingPca, &missing_options>(m, "missing_pca");
  bind_plan<MissingPca, &missing_options>(m, "missing_pca");
}

}  // namespace mercer::python
