// What a search by all pairs will have to look at closely, found out with a few of the points: whether float
// tells the neighbours apart, and whether shadows on some axes do.
#pragma once

#include "graph/shadow.hpp"

#include <mercer/run.hpp>
#include <mercer/samples.hpp>

#include <optional>
#include <vector>

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
    double seconds = 0;              ///< with all the threads of the run
    std::optional<ShadowAxes> axes;  ///< none where comparing all features is as quick
  };
  /// How the neighbours of so many rows are found soonest.
  [[nodiscard]] Plan plan(Index rows, const Run& run) const;

 private:
  [[nodiscard]] Index tried() const { return limits_.size(); }
  [[nodiscard]] Index row(Index s) const { return s * points_.rows() / tried(); }
  /// Squared distances of the tried rows to some of the points.
  void measure(const std::vector<Index>& some, const Run& run);
  /// How many points have their shadows on the first axes within a row's limit. `shadows`: of some points,
  /// then of the tried rows.
  [[nodiscard]] double near(const Matrix<double>& shadows, Index axes) const;

  const Samples<T>& points_;
  Vector<double> mean_, norms_;
  Vector<double> limits_;  ///< squared distances of the tried rows' last neighbours
  double let_in_ = 0;      ///< points that float cannot tell from those, a row
};

/// The seconds of a search among the points themselves, as a trial has it, beside those of comparing all
/// features.
template <class T>
[[nodiscard]] double tried_share(const Samples<T>& points, const Run& run);

}  // namespace mercer
