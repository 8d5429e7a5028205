// What a fit found, how sure it is and what it cost: Report and Plan as Python sees them.
#include "arrays.hpp"
#include "module.hpp"
#include "report_parts.hpp"

#include <mercer/report.hpp>

#include <pybind11/stl.h>

namespace mercer::python {
namespace {

template <Vector<double> Report::*member>
py::array values(const Report& report) {
  return to_numpy(Vector<double>(report.*member));
}

py::dict bounds_of(const EigenvalueBounds& b) {
  using namespace py::literals;
  return py::dict("low"_a = to_numpy(Vector<double>(b.low)), "high"_a = to_numpy(Vector<double>(b.high)),
                  "rigorous_low"_a = to_numpy(Vector<double>(b.rigorous_low)),
                  "rigorous_high"_a = to_numpy(Vector<double>(b.rigorous_high)), "delta"_a = b.delta,
                  "remaining_trace"_a = b.remaining_trace, "rank"_a = b.rank);
}

}  // namespace

void bind_report(py::module_& m) {
  py::class_<Plan>(m, "Plan", "Which route a fit will take, what it will cost, and why.")
      .def_property_readonly("route", [](const Plan& p) { return std::string(name_of(p.route)); })
      .def_readonly("reason", &Plan::reason)
      .def_readonly("problem", &Plan::problem)
      .def_readonly("bytes", &Plan::bytes)
      .def_readonly("flops", &Plan::flops)
      .def_readonly("seconds", &Plan::seconds)
      .def_readonly("rejected", &Plan::rejected)
      .def("__str__", &Plan::to_string)
      .def("__repr__", &Plan::to_string);

  py::class_<Report>(m, "Report", "What a fit found, how sure it is and what it cost. print() shows it all.")
      .def_readonly("method", &Report::method)
      .def_readonly("n", &Report::n)
      .def_readonly("d", &Report::d)
      .def_readonly("components", &Report::components)
      .def_readonly("kernel", &Report::kernel)
      .def_readonly("trace", &Report::trace)
      .def_readonly("centered", &Report::centered)
      .def_readonly("converged", &Report::converged)
      .def_property_readonly(
          "end", [](const Report& r) { return std::string(r.end == End::largest ? "largest" : "smallest"); })
      .def_readonly("passes", &Report::passes)
      .def_readonly("min_eigenvalue", &Report::min_eigenvalue)
      .def_readonly("plan", &Report::plan)
      .def_readonly("seconds", &Report::seconds)
      .def_readonly("notes", &Report::notes)
      .def_property_readonly("gram_eigenvalues", &values<&Report::gram_eigenvalues>)
      .def_property_readonly("variances", &values<&Report::variances>)
      .def_property_readonly("explained_variance_ratio", &values<&Report::explained_variance_ratio>)
      .def_property_readonly("residuals", &values<&Report::residuals>)
      .def_property_readonly("missed_rigorous", [](const Report& r) { return r.missed.rigorous; })
      .def_property_readonly("missed_probable", [](const Report& r) { return r.missed.probable; })
      .def_property_readonly("bounds",
                             [](const Report& r) -> py::object {
                               if (!r.bounds) return py::none();
                               return bounds_of(*r.bounds);
                             })
      .def_property_readonly("embedding", &part<&Report::embedding>)
      .def_property_readonly("discrimination", &part<&Report::discrimination>)
      .def_property_readonly("basis", &part<&Report::basis>)
      .def_property_readonly("features", &part<&Report::features>)
      .def_property_readonly("gaps", &part<&Report::gaps>)
      .def_property_readonly("decomposition", &part<&Report::decomposition>)
      .def("to_json", &Report::to_json, "The same as the command line's --json.")
      .def("__str__", &Report::to_string)
      .def("__repr__", &Report::to_string);
}

}  // namespace mercer::python
