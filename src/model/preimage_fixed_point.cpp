// The fixed point for kernels of the distance, k = f(‖x−y‖²) (Mika, Schölkopf, Smola, Müller, Scholz, Rätsch
// 1998, there for the Gaussian). Minimising ‖φ(z) − Pφ‖² is maximising g(z) = Σ_j w_j f(‖z−x_j‖²), whose
// gradient vanishes where z = Σ_j c_j x_j / Σ_j c_j, c_j = −w_j f′(‖z−x_j‖²). Iterating that alone may jump,
// cycle or divide by nothing, since weights w_j may be negative; so its step is a direction of ascent that is
// scaled, taken only where g grows enough, and halved otherwise; several starts run side by side and the best
// end is kept.
#include "model/preimage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

/// g and its ascent direction at a row each of z.
struct Slope {
  Vector<double> value;      ///< g(z) − pull‖z − input‖²
  Matrix<double> direction;  ///< to the fixed point's next place, or along the gradient
  Vector<double> rate;       ///< of growth along the direction
};

/// The rows still on their way.
struct Walkers {
  std::vector<Index> owner;  ///< row of the answer
  Matrix<double> weights, z, anchor;
  Slope slope;
  Vector<double> step;

  void keep(const std::vector<Index>& rows) {
    // Swapped, not assigned: Eigen frees what was there before it has the new memory, and twice if there is
    // none.
    const auto some = [&](auto& m) {
      std::decay_t<decltype(m)> kept = m(rows, Eigen::all);
      m.swap(kept);
    };
    some(weights), some(z), some(slope.direction);
    if (anchor.rows() > 0) some(anchor);
    const auto few = [&](Vector<double>& v) {
      Vector<double> kept = v(rows);
      v.swap(kept);
    };
    few(slope.value), few(slope.rate), few(step);
    std::vector<Index> owners;
    for (const Index r : rows) owners.push_back(owner[static_cast<std::size_t>(r)]);
    owner = std::move(owners);
  }
};

class FixedPoint final : public PreimageSolver {
 public:
  FixedPoint(const Expansion& space, const PreimageOptions& options)
      : space_(space), options_(options), distances_(make_distances(space, options)) {
    center_ = space.points.colwise().mean().transpose();
    points_ =
        space.points.rowwise() - center_.transpose();  // far from the origin distances lose their digits
    norms_ = points_.rowwise().squaredNorm();
    spread_ = std::sqrt(norms_.mean());
    KernelProfile::Values value, slope;
    space.profile->evaluate(KernelProfile::Values::Zero(1), value, slope);
    pull_ = options.pull * std::abs(slope[0]);
  }

  Index solve(const MatrixView<double>& scores, const Matrix<double>& inputs,
              Matrix<double>& out) const override {
    const Index m = scores.rows();
    const Matrix<double> weights = space_.weights(scores);
    const auto starts = places_to_begin(scores, inputs);
    Vector<double> best = Vector<double>::Constant(m, -std::numeric_limits<double>::infinity());
    std::vector<bool> moving(static_cast<std::size_t>(m), false);
    for (const Matrix<double>& start : starts) climb(start, weights, inputs, out, best, moving);
    stay_at_the_nearest(scores, best, out, moving);
    out.rowwise() += center_.transpose();
    return std::count(moving.begin(), moving.end(), true);
  }

 private:
  /// Each about the points' mean.
  std::vector<Matrix<double>> places_to_begin(const MatrixView<double>& scores,
                                              const Matrix<double>& inputs) const {
    std::vector<Matrix<double>> out;
    if (inputs.rows() > 0) out.push_back(inputs.rowwise() - center_.transpose());
    if (static_cast<Index>(out.size()) >= options_.starts) return out;
    const Index further = Index{1} << std::min<Index>(options_.starts, 20);
    const auto near = nearest_in_feature_space(space_, space_.inner(scores), further);
    out.push_back(points_(Vector<Index>(near.col(0)), Eigen::all));
    if (static_cast<Index>(out.size()) >= options_.starts) return out;
    Matrix<double> by_distances(scores.rows(), points_.cols());
    distances_->solve(scores, inputs, by_distances);
    out.push_back(by_distances.rowwise() - center_.transpose());
    for (Index rank = 3; static_cast<Index>(out.size()) < options_.starts && rank < near.cols();
         rank = 2 * rank + 1)
      out.push_back(points_(Vector<Index>(near.col(rank)), Eigen::all));
    return out;
  }

  /// Where no start came to a number: the nearest training point, as not converged.
  void stay_at_the_nearest(const MatrixView<double>& scores, const Vector<double>& best, Matrix<double>& out,
                           std::vector<bool>& moving) const {
    for (Index i = 0; i < best.size(); ++i) {
      if (std::isfinite(best[i])) continue;
      out.row(i) =
          points_.row(nearest_in_feature_space(space_, space_.inner(scores.middleRows(i, 1)), 1)(0, 0));
      moving[static_cast<std::size_t>(i)] = true;
    }
  }

  Slope slope_at(const Matrix<double>& z, const Matrix<double>& weights, const Matrix<double>& anchor) const {
    const Index m = z.rows(), n = points_.rows();
    const Vector<double> own = z.rowwise().squaredNorm();
    Matrix<double> c = product_transposed(z, points_);  // becomes the squared distances, then c_j
    c = (-2 * c).colwise() + own;
    c.rowwise() += norms_.transpose();
    c = c.cwiseMax(0.0);
    KernelProfile::Values value, slope;
    space_.profile->evaluate(Eigen::Map<const KernelProfile::Values>(c.data(), c.size()), value, slope);
    const Eigen::Map<const Matrix<double>> f(value.data(), m, n), fall(slope.data(), m, n);
    Slope out;
    out.value = f.cwiseProduct(weights).rowwise().sum();
    c = -fall.cwiseProduct(weights);
    Vector<double> total = c.rowwise().sum(), size = c.cwiseAbs().rowwise().sum();
    Matrix<double> gradient = product(c, points_);  // half of it, from here on
    gradient -= total.asDiagonal() * z;
    if (anchor.rows() > 0) {
      out.value -= pull_ * (z - anchor).rowwise().squaredNorm();
      gradient -= pull_ * (z - anchor);
      total.array() += pull_;
      size.array() += pull_;
    }
    // Where Σc is small or negative the fixed point would jump far, or downhill.
    const Vector<double> over = total.cwiseMax(0.05 * size).cwiseMax(std::numeric_limits<double>::min());
    out.direction = over.cwiseInverse().asDiagonal() * gradient;
    out.rate = 2 * gradient.cwiseProduct(out.direction).rowwise().sum();
    return out;
  }

  /// Runs from `start` and replaces what is worse in `out`.
  void climb(const Matrix<double>& start, const Matrix<double>& weights, const Matrix<double>& inputs,
             Matrix<double>& out, Vector<double>& best, std::vector<bool>& moving) const {
    Walkers w;
    for (Index i = 0; i < start.rows(); ++i) w.owner.push_back(i);
    w.weights = weights;
    w.z = start;
    if (pull_ > 0 && inputs.rows() > 0) w.anchor = inputs.rowwise() - center_.transpose();
    w.slope = slope_at(w.z, w.weights, w.anchor);
    w.step = Vector<double>::Ones(start.rows());
    const auto arrive = [&](Index i, bool still_moving) {
      const Index owner = w.owner[static_cast<std::size_t>(i)];
      if (!(w.slope.value[i] > best[owner])) return;
      best[owner] = w.slope.value[i];
      out.row(owner) = w.z.row(i);
      moving[static_cast<std::size_t>(owner)] = still_moving;
    };
    const double least = options_.tolerance * std::max(spread_, std::numeric_limits<double>::min());
    for (Index pass = 0; pass < options_.iterations && !w.owner.empty(); ++pass) {
      const Matrix<double> trial = w.z + w.step.asDiagonal() * w.slope.direction;
      const Slope there = slope_at(trial, w.weights, w.anchor);
      std::vector<Index> going;
      for (Index i = 0; i < w.z.rows(); ++i) {
        const double moved = w.step[i] * w.slope.direction.row(i).norm();
        const bool higher = there.value[i] >= w.slope.value[i] + 1e-4 * w.step[i] * w.slope.rate[i];
        if (higher) {
          w.z.row(i) = trial.row(i);
          w.slope.value[i] = there.value[i];
          w.slope.direction.row(i) = there.direction.row(i);
          w.slope.rate[i] = there.rate[i];
          w.step[i] = std::min(4.0, 1.3 * w.step[i]);
        } else {
          w.step[i] /= 2;
        }
        // A rejected short step has come to the rounding of g.
        if (moved <= least)
          arrive(i, false);
        else
          going.push_back(i);
      }
      if (static_cast<Index>(going.size()) < w.z.rows()) w.keep(going);
    }
    for (Index i = 0; i < w.z.rows(); ++i) arrive(i, true);
  }

  const Expansion& space_;
  PreimageOptions options_;
  std::unique_ptr<PreimageSolver> distances_;
  Vector<double> center_;
  Matrix<double> points_;  ///< about their mean
  Vector<double> norms_;
  double spread_ = 0, pull_ = 0;
};

}  // namespace

std::unique_ptr<PreimageSolver> make_fixed_point(const Expansion& space, const PreimageOptions& options) {
  return std::make_unique<FixedPoint>(space, options);
}

}  // namespace mercer
