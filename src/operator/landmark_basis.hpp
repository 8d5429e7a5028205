// The basis of a low-rank model: φ(x) = L⁻¹ k_S(x) for landmarks S and K_SS = L Lᵀ, so that
// φ(x)·φ(y) = k̂(x, y) = k_S(x)ᵀ K_SS⁻¹ k_S(y), the best that the span of the landmarks can do.
#pragma once

#include <mercer/kernel.hpp>

#include "operator/feature_moments.hpp"
#include "operator/triangle_solver.hpp"

#include <optional>
#include <vector>

namespace mercer {

/// The Cholesky factor of a growing matrix: `factor` belongs to its leading rows and is kept as it is, `gram`
/// is the whole. Ends before the first row of which no more than the share `least` of its diagonal is new.
[[nodiscard]] Block<double> extended_cholesky(const Block<double>& factor, const Block<double>& gram,
                                              double least);

/// Landmarks that stay independent in double, and the factor of their matrix. Those chosen in float may not.
struct IndependentLandmarks {
  std::vector<Index> kept;  ///< ascending positions among those given
  Block<double> factor;
};
/// The first `fixed.rows()` of the landmarks have a factor already.
template <class T>
[[nodiscard]] IndependentLandmarks independent_landmarks(const Kernel& kernel, const Samples<T>& landmarks,
                                                         const Block<double>& fixed, const Run& run);

template <class T>
class LandmarkBasis {
 public:
  /// `landmarks` scaled as the model does.
  LandmarkBasis(Kernel kernel, Samples<T> landmarks, Block<double> factor);

  [[nodiscard]] Index rank() const { return factor_.rows(); }
  [[nodiscard]] const Kernel& kernel() const { return kernel_; }
  [[nodiscard]] const Samples<T>& landmarks() const { return landmarks_; }
  [[nodiscard]] const Block<double>& factor() const { return factor_; }

  /// φ of each point (row-major, rank() columns), k(x, x), and what remains of it, k(x, x) − ‖φ(x)‖², at
  /// least 0.
  void evaluate(const Samples<T>& points, T* features, double* diagonal, double* remaining,
                const Run& run) const;

 private:
  Kernel kernel_;
  Samples<T> landmarks_;
  Block<double> factor_;
  TriangleSolver<T> solver_;
};

/// What a pass over the points adds up.
template <class T>
class FeaturePass {
 public:
  /// `prefixes`: ranks of shorter bases for which the remaining trace is wanted too.
  FeaturePass(const LandmarkBasis<T>& basis, bool center, std::vector<Index> prefixes = {});

  /// Points scaled as the model does, any number of them.
  void add(const Samples<T>& points, const Run& run);

  [[nodiscard]] FeatureMoments moments() const;
  [[nodiscard]] Vector<double> diagonal() const { return map(diagonal_); }
  [[nodiscard]] Vector<double> remaining() const {
    return map(remaining_);
  }  ///< k(x,x) − ‖φ(x)‖², at least 0
  [[nodiscard]] const std::vector<double>& prefix_traces() const { return prefix_traces_; }

 private:
  static Vector<double> map(const std::vector<double>& v) {
    return Eigen::Map<const Vector<double>>(v.data(), static_cast<Index>(v.size()));
  }
  const LandmarkBasis<T>& basis_;
  bool center_;
  std::optional<MomentSum<T>> moments_;  ///< begun with the first chunk, whose mean it is taken about
  std::vector<Index> prefixes_;
  std::vector<double> diagonal_, remaining_, prefix_traces_;
  std::vector<T> features_;  ///< of one chunk
};

}  // namespace mercer
