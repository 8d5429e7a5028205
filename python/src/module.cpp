// mercer._mercer: the public C++ interface as Python sees it. Nothing is computed here; the estimators in
// python/mercer/*.py put scikit-learn's manners on top.
#include "module.hpp"

#include <mercer/version.hpp>

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
}
