// Seconds: every part of a fit is bound by arithmetic or by memory, whichever takes longer.
#include "plan/cost_model.hpp"

#include "plan/calibration.hpp"
#include "spectral/certificate.hpp"

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

/// Kernel matrices: most passes in float, the wanted vectors' in double.
double kernel_seconds(const Problem& p, Route route, const MachineRates& rates) {
  const double n = double(p.size), b = double(block_of(p)),
               k = double(std::max<Index>(p.components.count, 8));
  const Speed exact = speed_of(Precision::float64, rates), rough = speed_of(Precision::float32, rates);
  const bool rounded = p.precision == Precision::float32;
  const double form = n * n / 2 * element_seconds(p, exact),
               rough_form = n * n / 2 * element_seconds(p, rough);
  const auto product = [&](double columns, const Speed& speed) {
    return std::max(2 * n * n * columns / (product_share * speed.gemm),
                    n * n / 2 * speed.item / rates.read_bytes);
  };
  if (route == Route::stored) {
    const double basis = orthogonalisation(p) / (tall_share * exact.gemm);
    const double fresh = n * n / 2 * (rounded ? rough.item : exact.item) / rates.fresh_bytes;
    const double measured = 2 * (product(k, exact) + (rounded ? form : 0));
    return (rounded ? rough_form : form) + fresh + passes * product(b, rough) + measured + basis;
  }
  const double columns = double(davidson_block(p.components.count));
  const double landmarks = 0.4 * rough_form + 4e9 / rough.gemm;  // as suggested_rank balances it
  return landmarks + exact_passes * (form + product(columns, exact)) +
         (tiled_passes - exact_passes) * (rough_form + product(columns, rough));
}

double krylov_seconds(const Problem& p, Route route, const MachineRates& rates) {
  if (!(p.apply_flops > 0)) return kernel_seconds(p, route, rates);
  const double n = double(p.size), b = double(block_of(p));
  const Speed speed = speed_of(Precision::float64, rates);  // PCA keeps its small matrix in double
  const double basis = orthogonalisation(p) / (tall_share * speed.gemm);
  if (route != Route::stored) return passes * p.apply_flops * b / (product_share * speed.gemm) + basis;
  const double form = n * n / 2 * element_seconds(p, speed);
  const double product = 2 * n * n * b / (product_share * speed.gemm);
  const double read = n * n / 2 * speed.item / rates.read_bytes;
  return form + n * n / 2 * speed.item / rates.fresh_bytes + passes * std::max(product, read) + basis;
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

double krylov_vectors(Index n, Index count, Index block, Index basis, bool one_sided) {
  // As the solver chooses them, with the usual chance of 1e-6 for the probable bound.
  const Index steps = lanczos_steps(n, block, one_sided ? 0.45 : 0.15, 1e-6 / 4 / double(count + 1));
  const Index asked = basis > 0 ? basis : std::max(2 * count + 32 * block, 6 * count + 2 * block);
  const Index columns = std::max({asked, count + 3 * block, count + (steps + 6) * block}) + block;
  const Index restart = count + (columns - count) / 2 + block, refinement = 8 * count + block;
  return double(columns + std::max(restart, refinement));
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
