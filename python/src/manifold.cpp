// The methods on a neighbourhood graph: Isomap, LLE, Laplacian eigenmaps, unfolding; and t-SNE.
#include "models.hpp"
#include "module.hpp"
#include "neighbors.hpp"

#include <mercer/isomap.hpp>
#include <mercer/laplacian.hpp>
#include <mercer/lle.hpp>
#include <mercer/mvu.hpp>
#include <mercer/tsne.hpp>

namespace mercer::python {
namespace {

/// What all of them have.
template <class Options>
void take_common(Given& given, Options& options) {
  given.take("components", options.components);
  given.take("scale", options.scale, &parse_scale);
}

IsomapOptions isomap_options(const py::kwargs& arguments) {
  Given given(arguments, "isomap");
  IsomapOptions options;
  take_common(given, options);
  take_neighbors(given, options.neighbors);
  given.take("landmarks", options.landmarks);
  given.take("residual", options.residual);
  given.finish();
  return options;
}

LleOptions lle_options(const py::kwargs& arguments) {
  Given given(arguments, "lle");
  LleOptions options;
  take_common(given, options);
  take_neighbors(given, options.neighbors);
  given.take("variant", options.variant, &parse_lle_variant);
  given.take("regularization", options.regularization);
  given.take("modified_tolerance", options.modified_tolerance);
  given.take("hessian_tolerance", options.hessian_tolerance);
  given.take("hessian_remainder", options.hessian_remainder);
  given.take("residual", options.residual);
  given.finish();
  return options;
}

LaplacianOptions laplacian_options(const py::kwargs& arguments) {
  Given given(arguments, "laplacian");
  LaplacianOptions options;
  take_common(given, options);
  take_neighbors(given, options.neighbors);
  given.take("laplacian", options.laplacian, &parse_laplacian);
  given.take("weights", options.weights, &parse_graph_weights);
  given.take("heat", options.heat);
  given.take("diffusion", options.diffusion);
  given.take("diffusion_time", options.diffusion_time);
  given.take("density_power", options.density_power);
  given.take("residual", options.residual);
  given.finish();
  return options;
}

MvuOptions mvu_options(const py::kwargs& arguments) {
  Given given(arguments, "mvu");
  MvuOptions options;
  take_common(given, options);
  take_neighbors(given, options.neighbors);
  given.take("basis", options.basis);
  given.finish();
  return options;
}

TsneOptions tsne_options(const py::kwargs& arguments) {
  Given given(arguments, "tsne");
  TsneOptions options;
  take_common(given, options);
  given.take("perplexity", options.perplexity);
  given.take("iterations", options.iterations);
  given.take("exaggerated", options.exaggerated);
  given.take("exaggeration", options.exaggeration);
  given.take("learning_rate", options.learning_rate);
  given.take("gradient", options.gradient, &parse_tsne_gradient);
  given.take("angle", options.angle);
  given.take("start", options.start, &parse_tsne_start);
  if (const py::object initial = given.find("initial"); initial && !initial.is_none())
    if (options.initial = to_samples<double>(initial).to_dense(); options.initial.size() == 0)
      throw Error(ErrorCode::usage, "the map to begin with has no points");
  given.take("search", options.search, &parse_neighbor_search);
  given.finish();
  return options;
}

/// The same with a graph that is there already: fit_NAME(X, graph=None, columns=[], run=Run(), **options).
template <template <class> class M, auto to_options>
void bind_graph_method(py::module_& m, const std::string& name) {
  m.def(
      ("fit_" + name).c_str(),
      [](const py::object& x, const std::shared_ptr<NeighborGraph>& graph,
         const std::vector<std::string>& columns, const RunSettings& settings, const py::kwargs& arguments) {
        const auto options = to_options(arguments);
        return with_precision(precision_of_array(x), [&]<class T>() {
          const auto data = to_dataset<T>(x, columns);
          return to_object(work(settings, [&](const Run& run) {
            return graph ? M<T>::fit(data, *graph, options, run) : M<T>::fit(data, options, run);
          }));
        });
      },
      py::arg("X"), py::arg("graph") = py::none(), py::arg("columns") = std::vector<std::string>{},
      py::arg("run") = RunSettings{});
  bind_plan<M, to_options>(m, name);
}

template <class T>
void bind_classes(py::module_& m) {
  using Base = ManifoldModel<T>;
  py::class_<Base, Model<T>, std::shared_ptr<Base>>(m, class_name<T>("ManifoldModel").c_str())
      .def_property_readonly("rows", &Base::rows);
  const auto add = [&]<class M>(const char* name) {
    return py::class_<M, Base, std::shared_ptr<M>>(m, class_name<T>(name).c_str());
  };
  add.template operator()<Isomap<T>>("Isomap");
  add.template operator()<Lle<T>>("Lle").def_property_readonly(
      "variant", [](const Lle<T>& model) { return std::string(name_of(model.variant())); });
  using Maps = LaplacianEigenmaps<T>;
  add.template operator()<Maps>("LaplacianEigenmaps")
      .def_property_readonly("is_diffusion", [](const Maps& model) { return model.options().diffusion; })
      .def_property_readonly("time", [](const Maps& model) { return model.options().diffusion_time; })
      .def_property_readonly("density_power", [](const Maps& model) { return model.options().density_power; })
      .def_property_readonly("heat", [](const Maps& model) { return model.options().heat; })
      .def_property_readonly("weights",
                             [](const Maps& model) { return std::string(name_of(model.options().weights)); })
      .def_property_readonly(
          "laplacian", [](const Maps& model) { return std::string(name_of(model.options().laplacian)); });
  add.template operator()<Mvu<T>>("Mvu");
  add.template operator()<Tsne<T>>("Tsne");
}

}  // namespace

void bind_manifold(py::module_& m) {
  bind_classes<float>(m);
  bind_classes<double>(m);
  bind_graph_method<Isomap, &isomap_options>(m, "isomap");
  bind_graph_method<Lle, &lle_options>(m, "lle");
  bind_graph_method<LaplacianEigenmaps, &laplacian_options>(m, "laplacian");
  bind_graph_method<Mvu, &mvu_options>(m, "mvu");
  bind_fit<Tsne, &tsne_options>(m, "tsne");
  bind_plan<Tsne, &tsne_options>(m, "tsne");
}

}  // namespace mercer::python
