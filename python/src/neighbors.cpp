// NeighborGraph: who is near whom, found once and used by several methods.
#include "neighbors.hpp"

#include "arrays.hpp"
#include "module.hpp"
#include "report_parts.hpp"
#include "run.hpp"

namespace mercer::python {
namespace {

std::shared_ptr<NeighborGraph> build(const py::object& x, const RunSettings& settings,
                                     const py::kwargs& arguments) {
  Given given(arguments, "a neighbour graph");
  NeighborOptions options;
  take_neighbors(given, options);
  given.finish();
  return with_precision(precision_of_array(x), [&]<class T>() {
    const auto points = to_samples<T>(x);
    return std::make_shared<NeighborGraph>(
        work(settings, [&](const Run& run) { return NeighborGraph::build(points, options, run); }));
  });
}

}  // namespace

void bind_neighbors(py::module_& m) {
  py::class_<NeighborGraph, std::shared_ptr<NeighborGraph>>(m, "NeighborGraph", "Who is near whom.")
      .def_property_readonly("size", &NeighborGraph::size)
      .def_property_readonly("rows", &NeighborGraph::rows)
      .def_property_readonly("report", [](const NeighborGraph& g) { return to_dict(g.report()); })
      .def("symmetric",
           [](const NeighborGraph& g) { return to_python(Samples<double>(g.symmetric()), py::none()); })
      .def("save", &NeighborGraph::save, py::arg("path"), py::call_guard<Unlocked>());
  m.def("build_graph", &build, py::arg("X"), py::arg("run") = RunSettings{});
  m.def(
      "load_graph",
      [](const std::string& path) { return std::make_shared<NeighborGraph>(NeighborGraph::load(path)); },
      py::arg("path"));
}

}  // namespace mercer::python
