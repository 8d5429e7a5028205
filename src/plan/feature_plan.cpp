// Bytes, flops and seconds of kernel PCA on random features.
#include "plan/feature_plan.hpp"

#include "base/memory.hpp"
#include "operator/feature_moments.hpp"
#include "plan/calibration.hpp"
#include "plan/cost_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace mercer {
namespace {

/// The eigenproblem that is left once the points have been added up; it is solved in double.
Problem eigenproblem(const FeatureProblem& p) {
  Problem out;
  out.name = "scatter";
  out.size = p.features;
  out.components = p.components;
  out.apply_flops = 2 * double(p.features) * double(p.features);
  return out;
}

double bytes_of(const FeatureProblem& p, double components) {
  const double item = p.precision == Precision::float32 ? 4 : 8, count = double(p.features);
  const double solving = 56 * count * count;  // scatter, its copies, workspace and basis of the solver
  const double chunk = double(feature_rows) * (count + 3 * double(p.d)) * item;
  const double drawn = double(p.d) * count / 2 * (item + 8);
  return solving + chunk + drawn + (p.scores ? double(p.n) * components * item : 0);
}

}  // namespace

Plan plan_features(const FeatureProblem& p, const Run& run, bool measure) {
  const auto n = double(p.n), count = double(p.features);
  const bool share = p.components.share > 0;
  const Index k = std::min(p.features, share ? std::max<Index>(32, p.features / 16) : p.components.count);
  Plan plan;
  plan.route = p.features <= cost::small || k >= p.features / 8 ? Route::dense : Route::stored;
  plan.problem = fmt::format("scatter matrix {} x {} of random features", p.features, p.features);
  plan.reason = "random features were asked for";
  plan.budget = run.memory_budget();
  plan.bytes = bytes_of(p, double(k));
  if (plan.bytes > double(plan.budget))
    throw Error(ErrorCode::no_memory,
                fmt::format("{} random features need {} but the memory budget is {}", p.features,
                            format_bytes(plan.bytes), format_bytes(double(plan.budget))),
                "raise --memory, or lower --features");

  // Phases ωᵀx for the moments and again for the scores, the moments (a triangle), the scores.
  const double products = 2 * p.entries * count + n * count * count + 2 * n * count * double(k);
  const double functions = 2 * n * count;
  const Problem rest = eigenproblem(p);
  plan.flops = products + cost::function_flops * functions +
               (plan.route == Route::dense ? 4.0 / 3 * count * count * count
                                           : cost::passes * 2 * count * count * double(cost::block_of(rest)));
  const std::optional<MachineRates> rates =
      measure ? machine_calibration().rates(run) : machine_calibration().known(run);
  if (rates) {
    const bool single = p.precision == Precision::float32;
    plan.seconds = products / (cost::product_share * (single ? rates->gemm_float : rates->gemm_double)) +
                   functions / (single ? rates->kernel_float : rates->kernel_double) +
                   cost::seconds(rest, plan.route, *rates);
  }
  return plan;
}

}  // namespace mercer
