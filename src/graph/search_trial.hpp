// What a search by all pairs will have to look at closely, found out with a few of the points: whether float
// tells the neighbours apart, and whether shadows on some axes do.
#pragma once

#include "graph/shadow.hpp"

#include <mercer/run.hpp>
#include <mercer/samples.hpp>

#include <optional>

namespace mercer {

template <class T>
class SearchTrial {
 public:
  SearchTrial(const Samples<T>& points, const Run& run);

  /// Of dense points; empty for CSR.
  [[nodiscard]] const Vector<double>& mean() const { return mean_; }
  /// Squared distances from the mean, or from 0 for CSR.
  [[nodiscard]] const Vector<double>& norms() const { return norms_; }
  /// Whether the error of inner products in float lets few points in beside the nearest.
  [[nodiscard]] bool float_suffices() const;
  struct Plan {
    double core_seconds = 0;
    std::optional<ShadowAxes> axes;  ///< none where comparing all features is as quick
  };
  /// How the neighbours of so many rows are found soonest.
  [[nodiscard]] Plan plan(Index rows, const Run& run) const;

 private:
  const Samples<T>& points_;
  Vector<double> mean_, norms_;
  Index count_;             ///< neighbours that the trial asks for
  Matrix<double> squares_;  ///< squared distances of the trial's rows to all points
  Vector<double> limits_;   ///< and those of the last neighbours

  [[nodiscard]] Index tried() const { return squares_.rows(); }
  [[nodiscard]] Index row(Index s) const { return s * points_.rows() / tried(); }
  /// How many points have their shadows on the first axes within a row's limit. `shadows`: of some points,
  /// then of the trial's rows.
  [[nodiscard]] double near(const Matrix<double>& shadows, Index axes) const;
};

}  // namespace mercer
