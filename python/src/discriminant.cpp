// Linear and kernel discriminants: directions that tell classes apart, and the classes of new points.
#include "models.hpp"
#include "module.hpp"
#include "options.hpp"

#include <mercer/discriminant.hpp>

namespace mercer::python {
namespace {

/// Classes as Python knows them: their names in order, and a number into these for each sample.
Label to_label(const std::vector<std::string>& names, const std::vector<std::int32_t>& codes) {
  Label label;
  label.column = "class";
  label.names = names;
  label.codes = codes;
  return label;
}

template <class T>
Dataset<T> labelled(const py::object& x, const std::vector<std::string>& names,
                    const std::vector<std::int32_t>& codes, const std::vector<std::string>& columns) {
  auto data = to_dataset<T>(x, columns);
  data.label = to_label(names, codes);
  return data;
}

LinearDiscriminantOptions linear_options(const py::kwargs& arguments) {
  Given given(arguments, "lda");
  LinearDiscriminantOptions options;
  given.take("components", options.components);
  given.take("ridge", options.ridge);
  given.take("scale", options.scale, &parse_scale);
  given.finish();
  return options;
}

struct KernelArguments {
  KernelDiscriminantOptions options;
  DiscriminantSearch search;
  bool searches = false;
};

KernelArguments kernel_arguments(const py::kwargs& arguments) {
  Given given(arguments, "klda");
  KernelArguments out;
  auto& o = out.options;
  given.take("components", o.components);
  given.take("kernel", o.kernel);
  given.take("ridge", o.ridge);
  given.take("scale", o.scale, &parse_scale);
  given.take("route", o.route, &parse_route);
  given.take("rank", o.lowrank.rank);
  given.take("tolerance", o.lowrank.tolerance);
  given.take("landmarks", o.lowrank.landmarks, &parse_landmarks);
  given.take("decision", out.search.decision, &parse_decision);
  given.take("widths", out.search.widths);
  given.take("ridges", out.search.ridges);
  if (const py::object folds = given.find("folds"); folds && !folds.is_none()) {
    out.searches = true;
    out.search.folds = folds.cast<Index>();
  }
  given.finish();
  return out;
}

py::object fit_linear(const py::object& x, const std::vector<std::string>& names,
                      const std::vector<std::int32_t>& codes, const std::vector<std::string>& columns,
                      const RunSettings& settings, const py::kwargs& arguments) {
  const auto options = linear_options(arguments);
  return with_precision(precision_of_array(x), [&]<class T>() {
    const auto data = labelled<T>(x, names, codes, columns);
    return to_object(
        work(settings, [&](const Run& run) { return LinearDiscriminant<T>::fit(data, options, run); }));
  });
}

py::object fit_kernel(const py::object& x, const std::vector<std::string>& names,
                      const std::vector<std::int32_t>& codes, const std::vector<std::string>& columns,
                      const RunSettings& settings, const py::kwargs& arguments) {
  const auto given = kernel_arguments(arguments);
  return with_precision(precision_of_array(x), [&]<class T>() {
    const auto data = labelled<T>(x, names, codes, columns);
    using M = KernelDiscriminant<T>;
    return to_object(work(settings, [&](const Run& run) {
      return given.searches ? M::search(data, given.options, given.search, run)
                            : M::fit(data, given.options, run);
    }));
  });
}

template <class T>
void bind(py::module_& m) {
  using Base = Discriminant<T>;
  py::class_<Base, Model<T>, std::shared_ptr<Base>>(m, class_name<T>("Discriminant").c_str())
      .def_property_readonly("classes", &Base::classes)
      .def_property_readonly("threshold", &Base::threshold)
      .def_property_readonly("centroids",
                             [](const Base& model) { return to_numpy(Matrix<double>(model.centroids())); })
      .def(
          "predict",
          [](const Base& model, const py::object& x, const std::string& decision,
             const RunSettings& settings) {
            const auto points = to_samples<T>(x);
            const Decision how = parse_decision(decision);
            const Label found =
                work(settings, [&](const Run& run) { return model.predict(points, how, run); });
            return py::array_t<std::int32_t>(static_cast<py::ssize_t>(found.codes.size()),
                                             found.codes.data());
          },
          py::arg("X"), py::arg("decision") = "auto", py::arg("run") = RunSettings{},
          "The number of the class of each point.");
  using Linear = LinearDiscriminant<T>;
  py::class_<Linear, Base, std::shared_ptr<Linear>>(m, class_name<T>("LinearDiscriminant").c_str())
      .def_property_readonly("directions",
                             [](const Linear& model) { return to_numpy(Block<T>(model.directions())); })
      .def_property_readonly("mean",
                             [](const Linear& model) { return to_numpy(Vector<double>(model.mean())); });
  using Curved = KernelDiscriminant<T>;
  py::class_<Curved, Base, std::shared_ptr<Curved>>(m, class_name<T>("KernelDiscriminant").c_str())
      .def_property_readonly("kernel", &Curved::kernel, py::return_value_policy::copy)
      .def_property_readonly("alpha", [](const Curved& model) { return to_numpy(Block<T>(model.alpha())); })
      .def_property_readonly("points", [](const py::object& self) {
        return to_python(self.cast<const Curved&>().points(), self);
      });
}

}  // namespace

void bind_discriminant(py::module_& m) {
  bind<float>(m);
  bind<double>(m);
  m.def("fit_linear_discriminant", &fit_linear, py::arg("X"), py::arg("names"), py::arg("codes"),
        py::arg("columns") = std::vector<std::string>{}, py::arg("run") = RunSettings{});
  m.def("fit_kernel_discriminant", &fit_kernel, py::arg("X"), py::arg("names"), py::arg("codes"),
        py::arg("columns") = std::vector<std::string>{}, py::arg("run") = RunSettings{});
}

}  // namespace mercer::python
