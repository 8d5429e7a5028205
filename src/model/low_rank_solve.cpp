// From the moments of the features to components, bounds and report.
#include "base/linalg.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "model/low_rank_fit.hpp"
#include "model/number_range.hpp"
#include "model/shares.hpp"
#include "operator/gram_rounding.hpp"
#include "spectral/orthonormal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

/// What rounding does on these landmarks. What the moments' own sums have lost comes on top.
template <class T>
class Rounding {
 public:
  Rounding(const LandmarkState& state, const Kernel& kernel, const Samples<T>& landmarks, const Run& run)
      : state_(state), scale_(state.factor.rowwise().norm()) {
    const FeatureMoments& m = state.moments;
    const double between = gram_rounding<double>(kernel, landmarks).relative;
    const double in_t = std::is_same_v<T, double> ? between : gram_rounding<T>(kernel, landmarks).relative;
    of_element_ = element_rounding<T>(std::max(state.element_rounding, in_t), m.rank());
    Vector<double> squares = m.scatter.diagonal();
    if (m.centered) squares += double(m.count) * m.mean.cwiseAbs2();
    of_features_ = feature_rounding(of_element_, squares, state.diagonal_sum, state.factor, run) +
                   factor_rounding(element_rounding<double>(between, m.rank()), m, state.factor);
  }

  /// Of an eigenvalue, the largest given.
  [[nodiscard]] double of_eigenvalue(double largest) const {
    return state_.moments.rounding + (32 * epsilon + of_element_) * largest + of_features_;
  }
  /// Of scores αᵀk_S(x), relative to their length √θ.
  [[nodiscard]] double of_scores(const Vector<double>& alpha, double theta) const {
    return of_element_ * scale_.cwiseProduct(alpha).norm() * std::sqrt(state_.diagonal_sum / theta);
  }
  /// Of scores Fu, summed in double and rounded to T.
  [[nodiscard]] double of_factor_scores(double theta) const {
    return std::numeric_limits<double>::epsilon() * std::sqrt(state_.diagonal_sum / theta) + epsilon / 2;
  }
  /// Of tr HK̂H + tr E.
  [[nodiscard]] double of_trace() const {
    return state_.moments.trace_rounding + of_element_ * state_.diagonal_sum + of_features_;
  }
  /// Scores of which more is rounding are not kept: a quarter of their digits are right, at least.
  [[nodiscard]] static double most_of_scores() { return std::pow(epsilon, 0.25); }
  /// Nor where it shows in the residual by so much of the largest eigenvalue, and by more than low rank
  /// leaves out.
  [[nodiscard]] static double most_noise() { return std::sqrt(epsilon); }

 private:
  static constexpr double epsilon = double(std::numeric_limits<T>::epsilon());
  const LandmarkState& state_;
  double of_element_ = 0, of_features_ = 0;
  Vector<double> scale_;  ///< √k_ss
};

/// tr K̃, or the upper end of the interval in which it lies.
struct Trace {
  double value, uncertain = 0;
  bool exact;
  Trace(const LandmarkState& s, double rounding) {
    const double represented = s.moments.scatter.diagonal().sum();
    exact = true;
    if (!s.moments.centered) {
      value = s.diagonal_sum;
    } else if (s.trace) {
      value = *s.trace;
    } else {  // tr HEH = tr E − 1ᵀE1/n, and 1ᵀE1/n ≥ 0 where E ⪰ 0, else at least −‖E‖
      exact = false;
      value = represented + s.remainder.trace() + rounding +
              (s.remainder.one_sided() ? 0 : s.remainder.rigorous());
      uncertain = value - represented;
    }
    value = std::max(0.0, value);  // of equal points rounding alone is left
  }
};

}  // namespace

template <class T>
Block<double> LowRankFit<T>::solve(Pca& model, LandmarkState state, const Components& components, ScoresBy by,
                                   const Run& caller) {
  const SteadyRun steady(caller);
  const Run& run = steady;
  Report& report = model.report_;
  const FeatureMoments& moments = state.moments;
  const Index r = moments.rank();
  const auto n = double(moments.count);
  require_kernel_in_range<T>(model.kernel_, state.diagonal_sum / std::max(1.0, n), moments.count);
  run.report("eigenvectors", 0);
  const bool share = components.share > 0;
  const Index wanted = share ? r : std::min(components.count, r);
  const Spectrum<double> s = dense_eigenpairs<double>(moments.scatter, std::min(r, wanted + 1), End::largest,
                                                      Run{.threads = 1});  // for the same bits always
  run.check();

  const double mean_part = moments.centered ? n * moments.mean.squaredNorm() : 0;
  const double largest = r > 0 ? std::max(s.values[0], mean_part) : 0;
  const Rounding<T> how(state, model.kernel_, model.points_, run);
  const Remainder& e = state.remainder;
  const double rounding = how.of_eigenvalue(std::max(largest, e.rigorous()));
  const Trace trace(state, how.of_trace());
  // Weyl: |λ − θ| ≤ ‖E‖, and λ ≥ θ where E ⪰ 0.
  const double sure = e.rigorous() + rounding, likely = std::min(sure, e.probable() + rounding);

  // α = L⁻ᵀu: of every candidate, since a large one makes its scores mostly rounding.
  Index kept = 0;
  while (kept < wanted && s.values[kept] > rounding) ++kept;
  Block<double> alpha = s.vectors.leftCols(kept);
  linalg::solve_lower<double>(linalg::Transpose::yes, r, kept, state.factor.data(), std::max<Index>(1, r),
                              alpha.data(), std::max<Index>(1, r));
  // What that does to ‖K̃v − θv‖: rounding has no direction, so K̃ enlarges it by ‖K̃‖_F/√n ≤ √(θ₁ tr K̃/n) as a
  // rule.
  Vector<double> noise(kept);
  const double enlarged =
      kept > 0 ? std::min(s.values[0], 4 * std::sqrt(s.values[0]) * std::sqrt(trace.value / n)) : 0;
  for (Index c = 0; c < kept; ++c) {
    const double share_of_scores = how.of_scores(alpha.col(c), s.values[c]);
    noise[c] = by == ScoresBy::transform ? share_of_scores * enlarged
                                         : how.of_factor_scores(s.values[c]) * s.values[0];
    if (4 * share_of_scores > how.most_of_scores() ||
        noise[c] > std::max(likely, how.most_noise() * s.values[0]))
      kept = c;
  }
  report.components_requested = share ? kept : components.count;
  if (!share && kept < components.count)
    report.notes.push_back(
        fmt::format("only {} of the {} components asked for stand out from rounding on {} "
                    "landmarks",
                    kept, components.count, r));
  if (share) {
    const Vector<double> all = s.values.head(kept);
    kept = report.components_requested =
        count_for_share(all, components.share, trace.value).value_or(all.size());
    if (all.sum() < components.share * trace.value * (1 - 1e-14))
      report.notes.push_back(
          fmt::format("the {} landmarks hold {:.4g} % of the variance, less than was asked for", r,
                      100 * all.sum() / trace.value));
  }
  const Vector<double> values = s.values.head(kept);

  // The offset uᵀφ̄. The sign: the landmark with the largest score has a positive one.
  Block<double> u = s.vectors.leftCols(kept);
  alpha.conservativeResize(Eigen::NoChange, kept);
  noise.conservativeResize(kept);
  if (by == ScoresBy::factor) noise *= 4;  // it was what rounding does as a rule
  Block<double> at_landmarks = state.factor * u;
  if (moments.centered) at_landmarks.rowwise() -= (moments.mean.transpose() * u).eval();
  for (Index c = 0; c < kept; ++c) {
    Index most = 0;
    at_landmarks.col(c).cwiseAbs().maxCoeff(&most);
    if (at_landmarks(most, c) >= 0) continue;
    u.col(c) = -u.col(c);
    alpha.col(c) = -alpha.col(c);
  }
  model.offset_ =
      moments.centered ? Vector<double>(u.transpose() * moments.mean) : Vector<double>::Zero(kept);
  model.alpha_ = alpha.template cast<T>();

  const double below = e.one_sided() ? rounding : likely, below_surely = e.one_sided() ? rounding : sure;
  const double next = kept < s.values.size() ? std::max(0.0, s.values[kept]) : 0;
  EigenvalueBounds bounds;
  bounds.low = (values.array() - below).cwiseMax(0.0);
  bounds.high = values.array() + likely + noise.array();
  bounds.rigorous_low = (values.array() - below_surely).cwiseMax(0.0);
  bounds.rigorous_high = values.array() + sure + noise.array();
  bounds.delta = e.delta;
  bounds.remaining_trace = std::min(e.trace(), state.diagonal_sum);  // E_ii = k(x, x) − ‖φ(x)‖²
  bounds.rank = r;
  report.bounds = bounds;

  report.method = "kpca";
  report.n = moments.count;
  report.d = model.points_.cols();
  report.kernel = model.kernel_.to_string();
  report.precision = precision_of<T>;
  report.centered = moments.centered;
  report.components = kept;
  report.gram_eigenvalues = values;
  report.variances = values / n;
  report.trace = trace.value;
  report.explained_variance_ratio = shares_of(values, trace.value);
  report.residuals = noise.array() + likely;  // ‖K̃v − θv‖ = ‖HEv‖ ≤ ‖E‖
  report.missed = {next + sure, next + likely, e.delta};
  report.converged = true;
  if (!trace.exact)
    report.notes.push_back(
        fmt::format("the trace of the centred kernel matrix is known to {:.2g} %: its upper end is given, "
                    "and the shares of "
                    "variance are at least as large as stated",
                    100 * trace.uncertain / std::max(trace.value, std::numeric_limits<double>::min())));
  model.low_rank_ = std::make_shared<const LandmarkState>(std::move(state));
  run.report("eigenvectors", 1);
  return u;
}

template Block<double> LowRankFit<float>::solve(Pca&, LandmarkState, const Components&, ScoresBy, const Run&);
template Block<double> LowRankFit<double>::solve(Pca&, LandmarkState, const Components&, ScoresBy,
                                                 const Run&);

}  // namespace mercer
