// Sampling ‖E‖_F of the remainder E = K − K̂ ⪰ 0. Pairs (i, j) are drawn independently, each index with
// probability ∝ E_ii; then X = E_ij²/(E_ii E_jj) lies in [0, 1] by Cauchy and Schwarz, and
// ‖E‖_F² = (tr E)² · E[X].
#pragma once

#include <mercer/run.hpp>

#include "base/weighted_draw.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace mercer {

class RemainderSample {
 public:
  /// `remaining` is the diagonal of E, `diagonal` that of K. Both the weights and E_ij are raised by what
  /// rounding may hide, `noise` relative to K's elements, so that the answer errs upwards.
  RemainderSample(const Vector<double>& remaining, const Vector<double>& diagonal, double noise, Index count,
                  std::uint64_t seed);

  [[nodiscard]] const std::vector<std::pair<Index, Index>>& pairs() const { return pairs_; }
  /// Σ_i weights: ‖E‖_F = total·√E[X].
  [[nodiscard]] double total() const { return total_; }
  /// Mean of X over the pairs; `element(p)` gives E_ij of pairs()[p] and may run on several threads.
  [[nodiscard]] double mean(const std::function<double(Index)>& element, const Run& run) const;

 private:
  const Vector<double>& diagonal_;
  double noise_;
  Vector<double> weights_;
  double total_ = 0;
  std::vector<std::pair<Index, Index>> pairs_;
};

}  // namespace mercer
