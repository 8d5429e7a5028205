// The way back from scores of kernel PCA to the input space.
#include "models.hpp"
#include "module.hpp"

#include <mercer/preimage.hpp>

namespace mercer::python {
namespace {

template <class T>
void bind(py::module_& m) {
  using P = Preimage<T>;
  py::class_<P, std::shared_ptr<P>>(m, class_name<T>("Preimage").c_str(), "The way back from one kernel PCA.")
      .def_property_readonly("method", [](const P& p) { return std::string(name_of(p.method())); })
      .def_property_readonly(
          "ridge_coefficients",
          [](const P& p) { return to_numpy(Matrix<T>(p.ridge_coefficients().template cast<T>())); })
      .def(
          "find",
          [](const P& back, const py::object& z, const py::object& inputs, const RunSettings& settings) {
            Samples<T> holder;
            const auto scores = to_rows<T>(z, holder);
            const auto known = inputs.is_none() ? Samples<T>() : to_samples<T>(inputs);
            auto found = work(settings, [&](const Run& run) { return back.find(scores, known, run); });
            return py::make_tuple(to_numpy(std::move(found.points)), to_numpy(std::move(found.errors)));
          },
          py::arg("scores"), py::arg("inputs") = py::none(), py::arg("run") = RunSettings{},
          "Points of the input space, and |φ(z) − Pφ|² of each.");
  m.def(
      "preimage",
      [](const KernelPca<T>& model, const std::string& method, double ridge, const RunSettings& settings) {
        PreimageOptions options;
        options.method = parse_preimage_method(method);
        options.ridge = ridge;
        return std::make_shared<P>(work(settings, [&](const Run& run) { return P(model, options, run); }));
      },
      py::arg("model"), py::arg("method") = "auto", py::arg("ridge") = 1.0, py::arg("run") = RunSettings{});
}

}  // namespace

void bind_preimage(py::module_& m) {
  bind<float>(m);
  bind<double>(m);
}

}  // namespace mercer::python
