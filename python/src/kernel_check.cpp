// check_kernel: Mercer's verdict on a function.
#include "arrays.hpp"
#include "module.hpp"
#include "run.hpp"

#include <mercer/kernel_check.hpp>

#include <pybind11/stl.h>

namespace mercer::python {

void bind_kernel_check(py::module_& m) {
  py::class_<KernelCheck>(m, "KernelCheck",
                          "Is this function a kernel, and how do we know? print() shows it all.")
      .def_readonly("kernel", &KernelCheck::kernel)
      .def_readonly("n", &KernelCheck::n)
      .def_readonly("d", &KernelCheck::d)
      .def_property_readonly("verdict", [](const KernelCheck& c) { return std::string(name_of(c.verdict)); })
      .def_readonly("symmetric", &KernelCheck::symmetric)
      .def_readonly("asymmetry", &KernelCheck::asymmetry)
      .def_readonly("min_eigenvalue", &KernelCheck::min_eigenvalue)
      .def_readonly("centered_min_eigenvalue", &KernelCheck::centered_min_eigenvalue)
      .def_readonly("centered_max_eigenvalue", &KernelCheck::centered_max_eigenvalue)
      .def_readonly("max_eigenvalue", &KernelCheck::max_eigenvalue)
      .def_readonly("tolerance", &KernelCheck::tolerance)
      .def_readonly("exact", &KernelCheck::exact)
      .def_readonly("lower_bound", &KernelCheck::lower_bound)
      .def_property_readonly("witness",
                             [](const KernelCheck& c) -> py::object {
                               if (c.witness.size() == 0) return py::none();
                               return to_numpy(Vector<double>(c.witness));
                             })
      .def_readonly("witness_value", &KernelCheck::witness_value)
      .def_readonly("reasons", &KernelCheck::reasons)
      .def_property_readonly("advice",
                             [](const KernelCheck& c) {
                               std::vector<std::string> out;
                               for (const std::string& line : c.advice) out.push_back(in_pythons_words(line));
                               return out;
                             })
      .def("__bool__",
           [](const KernelCheck& c) {
             return c.verdict == Verdict::valid || c.verdict == Verdict::valid_here;
           })
      .def("to_json", &KernelCheck::to_json)
      .def("__str__", [](const KernelCheck& c) { return in_pythons_words(c.to_string()); })
      .def("__repr__", [](const KernelCheck& c) { return in_pythons_words(c.to_string()); });
  m.def(
      "check_kernel",
      [](const Kernel& kernel, const py::object& x, const RunSettings& settings) {
        return with_precision(precision_of_array(x), [&]<class T>() {
          const auto samples = to_samples<T>(x);
          return work(settings, [&](const Run& run) { return check_kernel<T>(kernel, samples, run); });
        });
      },
      py::arg("kernel"), py::arg("X"), py::arg("run") = RunSettings{});
}

}  // namespace mercer::python
