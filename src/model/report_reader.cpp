// Reading a model file's report back. What its fields must be to each other is in report_check.cpp.
#include "model/model_file.hpp"
#include "model/report_embedding.hpp"

#include <fmt/format.h>

namespace mercer {

template <class T>
Report ModelReader<T>::report() const {
  const Fields saved = object("report");
  const Fields plan = saved.object("plan");
  Report r;
  r.method = method();
  r.precision = precision_of<T>;
  r.n = saved.count("n");
  r.d = saved.count("d");
  r.components = saved.count("components");
  r.components_requested = saved.count("components_requested");
  r.kernel = saved.text("kernel");
  r.centered = saved.flag("centered");
  r.trace = saved.number("trace");
  r.missed = {saved.number("missed_rigorous"), saved.number("missed_probable"), saved.number("missed_delta")};
  if (saved.has("min_eigenvalue")) r.min_eigenvalue = saved.number("min_eigenvalue");
  if (saved.has("negative_share")) r.negative_share = saved.number("negative_share");
  r.converged = saved.flag("converged");
  r.passes = saved.count("passes");
  if (saved.has("rough_passes")) r.rough_passes = saved.count("rough_passes");
  r.seconds = saved.named_numbers("seconds");
  r.peak_bytes = static_cast<std::size_t>(saved.count("peak_bytes"));
  r.notes = saved.texts("notes");
  try {
    r.plan.route = parse_route(plan.text("route"));
  } catch (const Error&) {
    damaged(fmt::format("its route is '{}'", plan.text("route")));
  }
  r.plan.problem = plan.text("problem");
  r.plan.reason = plan.text("reason");
  r.plan.bytes = plan.number("bytes");
  r.plan.flops = plan.number("flops");
  r.plan.seconds = plan.number("seconds");
  r.plan.budget = static_cast<std::size_t>(plan.count("budget"));
  r.plan.rejected = plan.texts("rejected");
  r.gram_eigenvalues = vector("report.gram_eigenvalues", Values::any);
  r.variances = vector("report.variances", Values::any);
  r.explained_variance_ratio = vector("report.explained_variance_ratio", Values::any);
  r.residuals = vector("report.residuals", Values::any);
  if (saved.has("bounds")) {
    const Fields bounds = saved.object("bounds");
    r.bounds = EigenvalueBounds{.low = vector("report.bounds.low", Values::any),
                                .high = vector("report.bounds.high", Values::any),
                                .rigorous_low = vector("report.bounds.rigorous_low", Values::any),
                                .rigorous_high = vector("report.bounds.rigorous_high", Values::any),
                                .delta = bounds.number("delta"),
                                .remaining_trace = bounds.number("remaining_trace"),
                                .rank = bounds.count("rank")};
  }
  if (saved.has("features")) {
    const Fields features = saved.object("features");
    r.features = FeatureApproximation{.count = features.count("count"),
                                      .orthogonal = features.flag("orthogonal"),
                                      .kernel_rms_error = features.number("kernel_rms_error"),
                                      .pairs = features.count("pairs")};
  }
  if (saved.has("gaps")) {
    const Fields gaps = saved.object("gaps");
    r.gaps = GapEstimate{.known = gaps.count("known"),
                         .ridge = gaps.number("ridge"),
                         .known_error = gaps.number("known_error"),
                         .held_out = gaps.count("held_out"),
                         .held_out_error = gaps.number("held_out_error"),
                         .column_mean_error = gaps.number("column_mean_error"),
                         .sweeps = gaps.count("sweeps")};
  }
  if (saved.has("decomposition")) r.decomposition = decomposition();
  if (saved.has("end")) {
    require(saved.text("end") == "smallest",
            fmt::format("its eigenvalues are of the end '{}'", saved.text("end")));
    r.end = End::smallest;
  }
  if (saved.has("embedding")) r.embedding = restored_embedding(saved.object("embedding"));
  return r;
}

template <class T>
Decomposition ModelReader<T>::decomposition() const {
  const Fields saved = object("report").object("decomposition");
  Decomposition d;
  d.shape = saved.counts("shape");
  d.sample_mode = saved.count("sample_mode");
  d.ranks = saved.counts("ranks");
  d.known = saved.count("known");
  d.kept = saved.count("kept");
  d.relative_error = saved.number("relative_error");
  d.explained = saved.number("explained");
  d.starts = saved.count("starts");
  d.warnings = saved.texts("warnings");
  if (saved.has("variance_explained")) d.variance_explained = saved.number("variance_explained");
  if (saved.has("rms_error")) d.rms_error = saved.number("rms_error");
  if (saved.has("core_consistency")) d.core_consistency = saved.number("core_consistency");
  d.weights = vector("report.weights", Values::any);
  d.errors = array<double>("report.errors", Values::any);
  const auto modes = static_cast<std::size_t>(saved.count("mode_values"));
  require(modes <= d.shape.size(),
          fmt::format("its decomposition of {} modes has {} lists of values", d.shape.size(), modes));
  for (std::size_t m = 0; m < modes; ++m)
    d.mode_values.push_back(vector(fmt::format("report.mode_values.{}", m), Values::any));
  return d;
}

#define MERCER_INSTANTIATE(T)                     \
  template Report ModelReader<T>::report() const; \
  template Decomposition ModelReader<T>::decomposition() const;
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
