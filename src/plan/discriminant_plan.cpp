// Bytes, flops and seconds of discriminants.
#include "plan/discriminant_plan.hpp"

#include "base/memory.hpp"
#include "plan/calibration.hpp"
#include "plan/cost_model.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <optional>

namespace mercer {

Plan plan_discriminant(const DiscriminantProblem& p, const Run& run, bool measure) {
  const auto size = double(p.size);
  Plan plan;
  plan.route = Route::dense;
  plan.problem = fmt::format("{} {} x {}, scatter within classes", p.matrix, p.size, p.size);
  plan.reason = "one Cholesky factor of the scatter within classes";
  plan.budget = run.memory_budget();
  plan.bytes = 8 * p.matrices * size * size + p.other_bytes;
  if (plan.bytes > double(plan.budget))
    throw Error(ErrorCode::no_memory,
                fmt::format("a discriminant on {} x {} matrices needs {} but the memory budget is {}", p.size,
                            p.size, format_bytes(plan.bytes), format_bytes(double(plan.budget))),
                p.cure);
  const double cholesky = size * size * size / 3;
  plan.flops = p.forming_flops + cost::function_flops * p.functions + cholesky;
  const std::optional<MachineRates> rates =
      measure ? machine_calibration().rates(run) : machine_calibration().known(run);
  if (rates) {
    const double one_thread = rates->gemm_double / double(run.thread_count());  // as LAPACK is called
    plan.seconds = p.forming_flops / (cost::product_share * rates->gemm_double) +
                   p.functions / rates->kernel_double + cholesky / (cost::product_share * one_thread);
  }
  return plan;
}

}  // namespace mercer
