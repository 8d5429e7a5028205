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
  double data_bytes = 0;     ///< the data, and copies of it that every route holds
  double tile_bytes = 0;     ///< copies that evaluating the kernel in double needs besides
  double rough_bytes = 0;    ///< and in float, where the exact matrix is not kept
  bool low_rank = false;     ///< positive semidefinite: the low-rank route makes sense here
  bool indefinite = false;   ///< there may be negative eigenvalues, and the lower end is looked at too
  Index rank = 0;            ///< of the low-rank route; 0: a tolerance decides
};

/// Does the tiled route begin from landmarks, by Davidson's method? Block Krylov otherwise.
[[nodiscard]] bool begins_from_landmarks(const Problem& problem);
/// The largest basis for that within what the plan leaves of its budget.
[[nodiscard]] Index davidson_basis(const Problem& problem, const Plan& plan);

/// Throws Error{no_memory} saying what each route would need when none fits the budget.
[[nodiscard]] Plan make_plan(const Problem& problem, Route wanted, const Run& run);

/// Fills plan.seconds from this machine's rates, which are measured unless the cache has them.
void estimate_seconds(Plan& plan, const Problem& problem, const Run& run);
/// The same only where the rates are known: a fit does not wait for a measurement.
void estimate_seconds_if_known(Plan& plan, const Problem& problem, const Run& run);

}  // namespace mercer
