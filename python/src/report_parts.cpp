// The parts of a report that only some methods have: see report_parts.hpp.
#include "report_parts.hpp"

#include "arrays.hpp"

#include <pybind11/stl.h>

namespace mercer::python {

using namespace py::literals;

py::dict to_dict(const NeighborReport& part) {
  return py::dict("search"_a = std::string(name_of(part.search)), "recall"_a = part.recall,
                  "links"_a = part.links, "pieces"_a = part.components, "left_out"_a = part.left_out,
                  "bridges"_a = part.bridges, "duplicates"_a = part.duplicates);
}

py::dict to_dict(const EmbeddingQuality& part) {
  return py::dict("neighbors"_a = part.neighbors, "trustworthiness"_a = part.trustworthiness,
                  "continuity"_a = part.continuity, "preservation"_a = part.preservation,
                  "stress"_a = part.stress, "measured"_a = part.measured);
}

py::dict to_dict(const EmbeddingReport& part) {
  py::dict out("graph"_a = py::none(), "quality"_a = py::none(), "landmarks"_a = part.landmarks,
               "residual_variance"_a = part.residual_variance, "isometry_error"_a = part.isometry_error,
               "isometry_mean"_a = part.isometry_mean, "kl_divergence"_a = part.kl_divergence,
               "kl_history"_a = part.kl_history);
  if (part.graph) out["graph"] = to_dict(*part.graph);
  if (part.quality) out["quality"] = to_dict(*part.quality);
  return out;
}

py::dict to_dict(const Discrimination& part) {
  py::list trials;
  for (const auto& t : part.trials)
    trials.append(py::dict("kernel"_a = t.kernel, "ridge"_a = t.ridge, "error"_a = t.error,
                           "deviation"_a = t.deviation));
  return py::dict("classes"_a = part.classes, "sizes"_a = part.sizes, "ridge"_a = part.ridge,
                  "threshold"_a = part.threshold, "training_errors"_a = part.training_errors,
                  "folds"_a = part.folds, "trials"_a = trials, "chosen"_a = part.chosen);
}

py::dict to_dict(const BasisDescription& part) {
  return py::dict("basis"_a = part.basis, "functions"_a = part.functions, "names"_a = part.names,
                  "coefficients"_a = to_numpy(Matrix<double>(part.coefficients)),
                  "offsets"_a = to_numpy(Vector<double>(part.offsets)), "directions"_a = part.directions);
}

py::dict to_dict(const FeatureApproximation& part) {
  return py::dict("count"_a = part.count, "orthogonal"_a = part.orthogonal,
                  "kernel_rms_error"_a = part.kernel_rms_error, "pairs"_a = part.pairs);
}

py::dict to_dict(const GapEstimate& part) {
  return py::dict("known"_a = part.known, "ridge"_a = part.ridge, "known_error"_a = part.known_error,
                  "held_out"_a = part.held_out, "held_out_error"_a = part.held_out_error,
                  "column_mean_error"_a = part.column_mean_error, "sweeps"_a = part.sweeps);
}

py::dict to_dict(const Decomposition& part) {
  py::list mode_values;
  for (const auto& values : part.mode_values) mode_values.append(to_numpy(Vector<double>(values)));
  return py::dict("shape"_a = part.shape, "sample_mode"_a = part.sample_mode, "ranks"_a = part.ranks,
                  "known"_a = part.known, "kept"_a = part.kept, "relative_error"_a = part.relative_error,
                  "explained"_a = part.explained, "variance_explained"_a = part.variance_explained,
                  "rms_error"_a = part.rms_error, "mode_values"_a = mode_values,
                  "weights"_a = to_numpy(Vector<double>(part.weights)), "errors"_a = part.errors,
                  "starts"_a = part.starts, "core_consistency"_a = part.core_consistency,
                  "warnings"_a = part.warnings);
}

}  // namespace mercer::python
