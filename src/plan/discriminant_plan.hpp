// The plan of a discriminant: dense matrices of n (kernel) or d (linear) rows in double, one Cholesky.
#pragma once

#include <mercer/plan.hpp>

namespace mercer {

struct DiscriminantProblem {
  std::string matrix;        ///< in words: "kernel", "covariance"
  Index size = 0;            ///< of the matrix
  double matrices = 2;       ///< of that size held at a time, in double
  double other_bytes = 0;    ///< the data, its copies, the class means
  double forming_flops = 0;  ///< to evaluate the matrix and multiply out the scatter within classes
  double functions = 0;      ///< kernel functions among these
  std::string cure;          ///< what to do where it does not fit
};

/// Throws Error{no_memory} when it does not fit the budget. `measure`: wait for the machine's rates.
[[nodiscard]] Plan plan_discriminant(const DiscriminantProblem& problem, const Run& run, bool measure);

}  // namespace mercer
