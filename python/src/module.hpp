// What the compiled module is put together from: one function a concept, each in a file of its name.
#pragma once

#include <pybind11/pybind11.h>

namespace mercer::python {

namespace py = pybind11;

void bind_errors(py::module_& m);
/// A message of the library, its command-line options as Python's arguments.
[[nodiscard]] std::string in_pythons_words(std::string text);
void bind_run(py::module_& m);
void bind_kernels(py::module_& m);
void bind_report(py::module_& m);
void bind_models(py::module_& m);
void bind_kernel_pca(py::module_& m);
void bind_preimage(py::module_& m);
void bind_pca(py::module_& m);
void bind_neighbors(py::module_& m);
void bind_manifold(py::module_& m);
void bind_discriminant(py::module_& m);
void bind_basis(py::module_& m);
void bind_other_pca(py::module_& m);
void bind_tensors(py::module_& m);
void bind_tensor_models(py::module_& m);
void bind_data(py::module_& m);
void bind_kernel_check(py::module_& m);
void bind_studies(py::module_& m);

}  // namespace mercer::python
