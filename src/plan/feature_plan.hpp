// What kernel PCA on random features takes: one matrix of D x D however many points there are.
#pragma once

#include "plan/planner.hpp"

namespace mercer {

struct FeatureProblem {
  Index n = 0, d = 0;
  Index features = 0;  ///< D
  double entries = 0;  ///< stored in all points: n·d when dense
  Components components = 2;
  Precision precision = Precision::float64;
  bool scores = true;  ///< of the points are kept
};

/// The route is that of the eigenproblem of the features' scatter matrix: dense, or stored with block
/// Krylov. Throws Error{no_memory} when it does not fit the budget. Seconds from the machine's rates where
/// they are known; `measure`: or else measured.
[[nodiscard]] Plan plan_features(const FeatureProblem& problem, const Run& run, bool measure);

}  // namespace mercer
