// What a low-rank model knows beyond its components: enough to take in more points, to be merged, and to
// bound what its basis leaves out.
#pragma once

#include <mercer/matrix.hpp>

#include "operator/feature_moments.hpp"
#include "spectral/lowrank_bound.hpp"

#include <optional>
#include <vector>

namespace mercer {

struct LandmarkState {
  std::vector<std::int64_t> rows;  ///< of the data, for each landmark; points of updates count on
  Block<double> factor;            ///< L, K_SS = L Lᵀ: φ(x) = L⁻¹ k_S(x)
  FeatureMoments moments;          ///< of φ over the data
  double diagonal_sum = 0;         ///< Σ k(x, x)
  std::optional<double> trace;     ///< of K̃, where a pass over K was affordable
  Remainder remainder;
  /// Of K between points, relative to √(k_ii k_jj), where it is more than between landmarks.
  double element_rounding = 0;
};

}  // namespace mercer
