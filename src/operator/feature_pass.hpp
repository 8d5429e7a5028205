// The moments of φ = L⁻¹k_S over many points, added up in one of two ways. By features: L⁻¹ is applied to
// every point, as dear as the products that follow, and what remains of each point, k(x, x) − ‖φ(x)‖², is
// known. By kernel values: the moments of k_S are changed once at the end, Σ(φ−φ̄)(φ−φ̄)ᵀ = L⁻¹ Σ(k−k̄)(k−k̄)ᵀ
// L⁻ᵀ, which enlarges the rounding of the sums.
#pragma once

#include "operator/feature_moments.hpp"
#include "operator/landmark_basis.hpp"

#include <optional>
#include <vector>

namespace mercer {

enum class PassBy { features, kernel_values };

template <class T>
class FeaturePass {
 public:
  /// `prefixes`, by features only: ranks of shorter bases for which the remaining trace is wanted too.
  FeaturePass(const LandmarkBasis<T>& basis, bool center, PassBy by = PassBy::features,
              std::vector<Index> prefixes = {});

  /// Points scaled as the model does, any number of them.
  void add(const Samples<T>& points, const Run& run);

  [[nodiscard]] FeatureMoments moments(const Run& run) const;
  [[nodiscard]] Vector<double> diagonal() const { return map(diagonal_); }
  /// k(x, x) − ‖φ(x)‖², at least 0; by features only.
  [[nodiscard]] Vector<double> remaining() const { return map(remaining_); }
  [[nodiscard]] const std::vector<double>& prefix_traces() const { return prefix_traces_; }

 private:
  static Vector<double> map(const std::vector<double>& v) {
    return Eigen::Map<const Vector<double>>(v.data(), static_cast<Index>(v.size()));
  }
  void add_prefixes(Index first, Index count);

  const LandmarkBasis<T>& basis_;
  bool center_;
  PassBy by_;
  std::optional<MomentSum<T>> sum_;  ///< begun with the first chunk, whose mean it is taken about
  std::vector<Index> prefixes_;
  std::vector<double> diagonal_, remaining_, prefix_traces_;
  std::vector<T> values_;  ///< φ or k_S of one chunk
};

/// By kernel values where that spares work and its rounding would be harmless, judged by some of the n
/// points.
template <class T>
[[nodiscard]] PassBy cheaper_pass(const LandmarkBasis<T>& basis, const Samples<T>& some, bool center, Index n,
                                  const Run& run);

/// Whether the rounding of a pass is far below what low rank leaves out anyway; tr K given.
template <class T>
[[nodiscard]] bool is_harmless(double rounding, double trace);

/// Σ k(x, x) − Σ‖φ(x)‖² given Σ k(x, x), with what rounding of the moments may hide.
[[nodiscard]] double remaining_trace(const FeatureMoments& moments, double diagonal_sum);

}  // namespace mercer
