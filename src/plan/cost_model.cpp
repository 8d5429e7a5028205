// Seconds: every part of a fit is bound by arithmetic or by memory, whichever takes longer.
#include "plan/cost_model.hpp"

#include "plan/calibration.hpp"

#include <algorithm>

namespace mercer {
namespace cost {
namespace {

/// The rates in the precision of the problem.
struct Speed {
  double gemm, kernel, item;
};

Speed speed_of(Precision precision, const MachineRates& r) {
  if (precision == Precision::float32) return {r.gemm_float, r.kernel_float, 4};
  return {r.gemm_double, r.kernel_double, 8};
}

double element_seconds(const Problem& p, const Speed& speed) {
  return (p.element_flops - function_flops * p.functions) / speed.gemm + p.functions / speed.kernel;
}

/// Half of the reduction to tridiagonal form is products of a matrix with a vector: each of the n steps
/// reads what is left of a triangle, n³·8/6 bytes in all.
double dense_seconds(const Problem& p, const MachineRates& rates) {
  const double n = double(p.size), all = p.components.share > 0 || double(p.components.count) >= n / 4;
  const Speed speed = speed_of(Precision::float64, rates);
  const double count = std::min(n, double(p.components.count));
  const double reduction = n * n * n * (2.0 / 3) / speed.gemm + n * n * n * (8.0 / 6) / rates.read_bytes;
  return n * n / 2 * element_seconds(p, speed) + 3 * n * n * 8 / rates.fresh_bytes + reduction +
         (all != 0 ? all_vectors * n * n * n : 4 * n * n * count) / speed.gemm;
}

double krylov_seconds(const Problem& p, Route route, const MachineRates& rates) {
  const double n = double(p.size), b = double(block_of(p));
  // PCA keeps its small matrix in double, whatever the precision.
  const Speed speed = speed_of(p.apply_flops > 0 ? Precision::float64 : p.precision, rates);
  const double form = n * n / 2 * element_seconds(p, speed);
  const double product = 2 * n * n * b / (product_share * speed.gemm);
  const double read = n * n / 2 * speed.item / rates.read_bytes;
  const double basis = orthogonalisation(p) / (tall_share * speed.gemm);
  if (route == Route::stored)
    return form + n * n / 2 * speed.item / rates.fresh_bytes + passes * std::max(product, read) + basis;
  if (p.apply_flops > 0) return passes * p.apply_flops * b / (product_share * speed.gemm) + basis;
  return passes * (form + product) + basis;
}

/// Products nearly all, at the rate of products, and the factor's memory touched once.
double low_rank_seconds(const Plan& plan, const Problem& p, const MachineRates& rates) {
  return 1.2 * plan.flops / speed_of(p.precision, rates).gemm + plan.bytes / rates.fresh_bytes;
}

}  // namespace

double orthogonalisation(const Problem& p) {
  const double n = double(p.size), b = double(block_of(p));
  return passes * 8 * n * b * b * passes / 2;
}

double seconds(const Problem& problem, Route route, const MachineRates& rates) {
  return route == Route::dense ? dense_seconds(problem, rates) : krylov_seconds(problem, route, rates);
}

namespace {

double seconds_of(const Plan& plan, const Problem& problem, const MachineRates& rates) {
  return plan.route == Route::lowrank ? low_rank_seconds(plan, problem, rates)
                                      : seconds(problem, plan.route, rates);
}

}  // namespace
}  // namespace cost

void estimate_seconds(Plan& plan, const Problem& problem, const Run& run) {
  plan.seconds = cost::seconds_of(plan, problem, machine_calibration().rates(run));
}

void estimate_seconds_if_known(Plan& plan, const Problem& problem, const Run& run) {
  if (const auto rates = machine_calibration().known(run))
    plan.seconds = cost::seconds_of(plan, problem, *rates);
}

}  // namespace mercer
