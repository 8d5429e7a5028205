// Kernels given as a formula in dot, sqdist and l1dist. muParser reads and evaluates the formula.
#pragma once

#include <mercer/matrix.hpp>

#include "kernel/primitive.hpp"

#include <memory>
#include <string>

namespace mercer {

/// Which quantities the formula uses; throws Error{usage} when it cannot be read.
[[nodiscard]] PrimitiveSet primitives_of_formula(const std::string& formula);

/// One formula made ready for evaluation. Not thread-safe: one evaluator a thread.
class FormulaEvaluator {
 public:
  explicit FormulaEvaluator(const std::string& formula);
  ~FormulaEvaluator();
  FormulaEvaluator(FormulaEvaluator&&) noexcept;

  /// out[i] = formula(dot[i], sqdist[i], l1dist[i]); pointers the formula does not use may be null.
  void evaluate(const double* dot, const double* sqdist, const double* l1dist, double* out, Index n);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mercer
