// Count, mean and scatter of feature vectors φ, added up block by block and merged exactly (Chan, Golub,
// LeVeque 1979), in double whatever the features are in. All that kernel PCA on a basis needs of its data.
#pragma once

#include <mercer/matrix.hpp>
#include <mercer/run.hpp>

namespace mercer {

struct FeatureMoments {
  bool centered = true;
  Index count = 0;
  Vector<double> mean;  ///< φ̄
  Block<double> scatter;  ///< Σ(φ−φ̄)(φ−φ̄)ᵀ, or Σφφᵀ when not centred; only its lower triangle

  FeatureMoments() = default;
  FeatureMoments(Index rank, bool center)
      : centered(center), mean(Vector<double>::Zero(rank)), scatter(Block<double>::Zero(rank, rank)) {}

  [[nodiscard]] Index rank() const { return mean.size(); }

  /// Adds `rows` feature vectors, row-major; they are overwritten (by φ minus their mean).
  template <class T>
  void add(T* features, Index rows, const Run& run);

  /// Adds what was gathered elsewhere on the same basis.
  void merge(const FeatureMoments& other);

  /// The same on a longer basis, on whose new functions these points have no coordinates.
  [[nodiscard]] FeatureMoments padded(Index rank) const;

 private:
  /// Count and mean of the union, and what the distance of the means adds to the scatter.
  void move_mean(const Vector<double>& other_mean, Index other_count);
};

}  // namespace mercer
