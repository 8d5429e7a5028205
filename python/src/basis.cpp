// Basis: explicit feature maps as objects; and PCA on them.
#include "gamma.hpp"
#include "models.hpp"
#include "module.hpp"
#include "options.hpp"

#include <mercer/basis_pca.hpp>

#include <pybind11/operators.h>

namespace mercer::python {
namespace {

Basis radial(const py::object& centers, const py::object& gamma) {
  if (py::isinstance<py::int_>(centers)) return Basis::radial(centers.cast<Index>(), to_gamma(gamma));
  return Basis::radial_at(to_samples<double>(centers).to_dense(), to_gamma(gamma));
}

py::object evaluate(const Basis& basis, const py::object& x, const RunSettings& settings) {
  return with_precision(precision_of_array(x), [&]<class T>() -> py::object {
    const auto samples = to_samples<T>(x);
    Matrix<double> values = work(settings, [&](const Run& run) { return basis.evaluate(samples, run); });
    return to_numpy(Matrix<T>(values.cast<T>()));
  });
}

Basis resolved(const Basis& basis, const py::object& x, const RunSettings& settings) {
  return with_precision(precision_of_array(x), [&]<class T>() {
    const auto samples = to_samples<T>(x);
    return work(settings, [&](const Run& run) { return basis.resolved(samples, run); });
  });
}

/// The whole basis as text; what was drawn from data is not in it.
std::string text_of(const Basis& basis) {
  std::string text = basis.to_string();
  if (basis.is_resolved() && !Basis::parse(text).is_resolved())
    throw Error(ErrorCode::usage, "what this basis has drawn from the data is not in its text",
                "pickle the FeatureMap or BasisPCA that holds it");
  return text;
}

void bind_class(py::module_& m) {
  py::class_<Basis>(m, "Basis",
                    "A feature map: functions of a point, side by side; printed and parsed as the command\n"
                    "line's --basis is.\n\n"
                    ">>> import mercer\n"
                    ">>> b = mercer.Basis('poly(degree=2)')\n"
                    ">>> b.names(2)\n"
                    "['1', '√2·x1', '√2·x2', 'x1²', '√2·x1·x2', 'x2²']\n"
                    ">>> b([[1.0, 2.0]]).shape\n"
                    "(1, 6)\n")
      .def(py::init([](const std::string& text) { return Basis::parse(text); }), py::arg("text"))
      .def_static("polynomial", &Basis::polynomial, py::arg("degree") = 2, py::arg("gamma") = 1.0,
                  py::arg("coef0") = 1.0,
                  "All monomials, with the weights that make φ(x)·φ(y) = (gamma x·y + coef0)^degree.")
      .def_static("monomials", &Basis::monomials, py::arg("degree") = 2, "All monomials up to the degree.")
      .def_static("radial", &radial, py::arg("centers"), py::arg("gamma") = py::str("median"),
                  "exp(-gamma |x-c|²) at these points, or at so many rows of the data.")
      .def_static("cosines", &Basis::cosines, py::arg("count") = 3, py::arg("length") = 1.0,
                  "cos(jπx/length), j = 1 … count, of every feature.")
      .def_static("fourier", &Basis::fourier, py::arg("count") = 100, py::arg("kernel") = Kernel{},
                  py::arg("orthogonal") = true, "Random Fourier features of a kernel.")
      .def_static("formulas", &Basis::formulas, py::arg("formulas"), "['x1^2', 'sin(x1)*x2'] as functions.")
      .def(py::self + py::self)
      .def(
          "__eq__", [](const Basis& a, const Basis& b) { return a == b; }, py::is_operator())
      .def("__hash__", [](const Basis& b) { return py::hash(py::str(b.to_string())); })
      .def("__str__", &Basis::to_string)
      .def("__repr__",
           [](const Basis& b) {
             return "Basis(" + py::repr(py::str(b.to_string())).cast<std::string>() + ")";
           })
      .def("__call__", &evaluate, py::arg("X"), py::arg("run") = RunSettings{},
           "Its functions of each row of X.")
      .def_property_readonly("is_resolved", &Basis::is_resolved, "Is nothing more to be taken from the data?")
      .def("resolved", &resolved, py::arg("X"), py::arg("run") = RunSettings{},
           "With widths, centres and frequencies taken from X.")
      .def("count", &Basis::count, py::arg("n_features"), "How many functions of so many features.")
      .def("names", &Basis::names, py::arg("n_features"), py::arg("variables") = std::vector<std::string>{},
           "What each function is.")
      .def("kernel", &Basis::kernel, "φ(x)·φ(y) in closed form, or None.")
      .def("__copy__", [](const py::object& self) { return self; })
      .def("__deepcopy__", [](const py::object& self, const py::object&) { return self; })
      .def("__reduce__", [](const py::object& self) {
        return py::make_tuple(py::type::of(self), py::make_tuple(text_of(self.cast<const Basis&>())));
      });
}

BasisPcaOptions to_options(const py::kwargs& arguments) {
  Given given(arguments, "basis-pca");
  BasisPcaOptions options;
  given.take("basis", options.basis);
  given.take("components", options.components);
  given.take("smallest", options.smallest);
  given.take("center", options.center);
  given.take("scale", options.scale, &parse_scale);
  given.take("residual", options.residual);
  given.take("route", options.route, &parse_route);
  given.finish();
  return options;
}

template <class T>
void bind_pca(py::module_& m) {
  using M = BasisPca<T>;
  py::class_<M, Model<T>, std::shared_ptr<M>>(m, class_name<T>("BasisPca").c_str())
      .def_property_readonly("basis", &M::basis, py::return_value_policy::copy)
      .def_property_readonly("directions",
                             [](const M& model) { return to_numpy(Block<double>(model.directions())); })
      .def_property_readonly("mean", [](const M& model) { return to_numpy(Vector<double>(model.mean())); });
}

}  // namespace

void bind_basis(py::module_& m) {
  bind_class(m);
  bind_pca<float>(m);
  bind_pca<double>(m);
  bind_fit<BasisPca, &to_options>(m, "basis_pca");
  bind_plan<BasisPca, &to_options>(m, "basis_pca");
}

}  // namespace mercer::python
