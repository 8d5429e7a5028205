// Choosing the route: what each would take in bytes and flops, and the first one that fits.
#pragma once

#include <mercer/plan.hpp>

namespace mercer {

/// An eigenproblem about to be solved.
struct Problem {
  std::string name;  ///< "kernel", "covariance", "Gram"
  Index size = 0;    ///< of the symmetric matrix
  Components components = 2;
  Precision precision = Precision::float64;
  double element_flops = 0;  ///< to evaluate one element of the matrix
  double functions = 0;      ///< kernel functions among these flops: exp and the like, an element
  double apply_flops = 0;    ///< one implicit product with one vector; 0: elements are evaluated anew
  double data_bytes = 0;     ///< copies of the data the route needs besides
  bool low_rank = false;     ///< the low-rank route makes sense here
  Index rank = 0;            ///< of the low-rank route; 0: a tolerance decides
};

/// Throws Error{no_memory} saying what each route would need when none fits the budget.
[[nodiscard]] Plan make_plan(const Problem& problem, Route wanted, const Run& run);

/// Fills plan.seconds from this machine's rates, which are measured unless the cache has them.
void estimate_seconds(Plan& plan, const Problem& problem, const Run& run);
/// The same only where the rates are known: a fit does not wait for a measurement.
void estimate_seconds_if_known(Plan& plan, const Problem& problem, const Run& run);

}  // namespace mercer
