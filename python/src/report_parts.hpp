// The parts of a report that only some methods have, as dictionaries.
#pragma once

#include <mercer/report.hpp>

#include <pybind11/pybind11.h>

namespace mercer::python {

namespace py = pybind11;

[[nodiscard]] py::dict to_dict(const NeighborReport& part);
[[nodiscard]] py::dict to_dict(const EmbeddingQuality& part);
[[nodiscard]] py::dict to_dict(const EmbeddingReport& part);
[[nodiscard]] py::dict to_dict(const Discrimination& part);
[[nodiscard]] py::dict to_dict(const BasisDescription& part);
[[nodiscard]] py::dict to_dict(const FeatureApproximation& part);
[[nodiscard]] py::dict to_dict(const GapEstimate& part);
[[nodiscard]] py::dict to_dict(const Decomposition& part);

/// None where the method has no such part.
template <auto member>
[[nodiscard]] py::object part(const Report& report) {
  if (!(report.*member)) return py::none();
  return to_dict(*(report.*member));
}

}  // namespace mercer::python
