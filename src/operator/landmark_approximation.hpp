// K̃ ≈ U Σ Uᵀ from landmarks (Nyström): what is left, E = K̃ − U Σ Uᵀ, is positive semidefinite and small.
// U is never written down: its products evaluate the kernel columns of the landmarks again. Used to
// begin an exact solve near its answer and to correct residuals by a good guess of the inverse.
#pragma once

#include <mercer/kernel.hpp>

#include "kernel/tiles.hpp"

namespace mercer {

class LandmarkApproximation {
 public:
  /// About `rank` landmarks, by randomly pivoted Cholesky on a subsample of the points. The kernel must
  /// be PSD. `center`: of K̃ = HKH, otherwise of K.
  LandmarkApproximation(const Kernel& kernel, const Samples<double>& samples, Index rank, bool center,
                        const Run& run);

  [[nodiscard]] Index size() const { return tiles_.rows(); }
  [[nodiscard]] Index rank() const { return values_.size(); }
  /// Σ, descending; to float's accuracy.
  [[nodiscard]] const Vector<double>& values() const { return values_; }

  /// Uᵀ X
  [[nodiscard]] Block<double> project(const BlockView<double>& x, const Run& run) const;
  /// U C, for C with at most rank() rows: the first columns of U are meant.
  [[nodiscard]] Block<double> expand(const BlockView<double>& coefficients, const Run& run) const;
  /// out += U C; out must be centred where K̃ is.
  void add_expanded(const BlockView<double>& coefficients, BlockRef<double> out, const Run& run) const;

  /// A sensible rank: as dear as a part of one pass over the kernel matrix.
  [[nodiscard]] static Index suggested_rank(Index n, double features);
  [[nodiscard]] static double bytes(Index n, double features, Index rank);

 private:
  struct Landmarks;  ///< what the constructor works out first
  LandmarkApproximation(const Kernel& kernel, const Samples<double>& samples, Landmarks landmarks,
                        bool center);
  static Landmarks choose(const Kernel& kernel, const Samples<double>& samples, Index rank, bool center,
                          const Run& run);

  KernelTiles<double> tiles_;  ///< all points against the landmarks
  Block<double> weights_;      ///< U = H K_nS · weights
  Vector<double> values_;
  bool center_;
};

}  // namespace mercer
