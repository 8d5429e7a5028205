// Count, mean and scatter of feature vectors φ, added up block by block and merged exactly (Chan, Golub,
// LeVeque 1979), in double whatever the features are in. All that kernel PCA on a basis needs of its data.
#pragma once

#include <mercer/matrix.hpp>
#include <mercer/run.hpp>

#include <vector>

namespace mercer {

/// Rows of features held at a time.
constexpr Index feature_rows = 4096;

struct FeatureMoments {
  bool centered = true;
  Index count = 0;
  Vector<double> mean;  ///< φ̄
  Block<double> scatter;  ///< Σ(φ−φ̄)(φ−φ̄)ᵀ, or Σφφᵀ when not centred; only its lower triangle
  /// Where a change of coordinates has enlarged the rounding of the sums: how far an eigenvalue of the
  /// scatter and its trace may be off.
  double rounding = 0, trace_rounding = 0;

  FeatureMoments() = default;
  FeatureMoments(Index rank, bool center)
      : centered(center), mean(Vector<double>::Zero(rank)), scatter(Block<double>::Zero(rank, rank)) {}

  [[nodiscard]] Index rank() const { return mean.size(); }

  /// Adds what was gathered elsewhere on the same basis.
  void merge(const FeatureMoments& other);
  /// The same on a longer basis, on whose new functions these points have no coordinates.
  [[nodiscard]] FeatureMoments padded(Index rank) const;
};

/// Adds feature vectors up, block by block. Sums are taken about a fixed point near the mean, so that
/// what is subtracted in the end is small.
template <class T>
class MomentSum {
 public:
  /// `near_mean` is used when centring.
  MomentSum(bool center, const Vector<double>& near_mean);

  /// `rows` vectors, row-major; they are overwritten.
  void add(T* features, Index rows, const Run& run);
  [[nodiscard]] FeatureMoments result() const;
  /// No vector so far had an element that is not finite.
  [[nodiscard]] bool is_finite() const { return total_.allFinite(); }
  /// What rounding of products and sums does to an element C_ab of the scatter of so many vectors, relative
  /// to √(C_aa C_bb). Strips' errors in T are nearly independent of each other, less so where all products
  /// have one sign; strips are added up in double.
  [[nodiscard]] static double relative_rounding(Index count, bool center);

 private:
  void add_products(const T* features, Index rows, const Run& run);

  FeatureMoments sum_;  ///< scatter about shift_; the mean is made at the end
  Vector<T> shift_;
  Vector<double> total_;            ///< Σ(φ − shift)
  std::vector<Block<T>> products_;  ///< of tiles, kept from one call to the next
};

/// The mean of some feature vectors, row-major.
template <class T>
[[nodiscard]] Vector<double> mean_of(const T* features, Index rows, Index rank);

}  // namespace mercer
