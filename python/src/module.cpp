// mercer._mercer: the public C++ interface as Python sees it. Nothing is computed here; the estimators in
// python/mercer/*.py put scikit-learn's manners on top.
#include "module.hpp"

#include <mercer/version.hpp>

#include <string>

namespace mercer::python {
namespace {

/// Classes that do not say how they are pickled refuse it. Left alone, the oldest two protocols make an
/// object with nothing in it, and that ends the interpreter.
void refuse_other_pickles(const py::module_& m) {
  const py::handle metaclass = py::type::handle_of(m.attr("Kernel"));
  for (const auto& [key, value] : py::dict(m.attr("__dict__"))) {
    if (!py::type::handle_of(value).is(metaclass) || value.attr("__dict__").contains("__reduce__")) continue;
    const std::string name = key.cast<std::string>();
    const auto refuse = [name](const py::object&) -> py::object {
      throw py::type_error("cannot pickle '" + name + "': pickle the estimator that it belongs to");
    };
    py::setattr(value, "__reduce__", py::cpp_function(refuse, py::name("__reduce__"), py::is_method(value)));
  }
}

}  // namespace
}  // namespace mercer::python

PYBIND11_MODULE(_mercer, m) {
  namespace py = mercer::python;
  m.doc() = "Compiled part of mercer: kernel PCA and its family.";
  m.attr("__version__") = std::string(mercer::version);
  py::bind_errors(m);
  py::bind_run(m);
  py::bind_kernels(m);
  py::bind_report(m);
  py::bind_models(m);
  py::bind_kernel_pca(m);
  py::bind_preimage(m);
  py::bind_pca(m);
  py::bind_neighbors(m);
  py::bind_manifold(m);
  py::bind_discriminant(m);
  py::bind_basis(m);
  py::bind_other_pca(m);
  py::bind_tensors(m);
  py::bind_tensor_models(m);
  py::bind_data(m);
  py::bind_kernel_check(m);
  py::bind_studies(m);
  py::refuse_other_pickles(m);
}
