// From the moments of the features to components, bounds and report.
#include "base/linalg.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "model/low_rank_fit.hpp"
#include "model/share_count.hpp"
#include "spectral/orthonormal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

/// What rounding alone may do to an eigenvalue. The elements of K and of the scatter carry a few ε. A column
/// F_p = E_:p/√d_p, made when the pivot's diagonal had shrunk from k_pp to d_p = L_pp², carries the rounding
/// of K enlarged by g_p = √(k_pp/d_p): ‖δF_p‖ ≈ ε g_p √tr K, and F_p F_pᵀ changes by 2‖F_p‖‖δF_p‖. The
/// columns' errors are independent of each other, so their squares add. What the moments' own sums have lost
/// comes on top.
template <class T>
double rounding_of(const LandmarkState& state, double largest) {
  const double epsilon = double(std::numeric_limits<T>::epsilon());
  const FeatureMoments& m = state.moments;
  double squares = 0;
  for (Index p = 0; p < m.rank(); ++p) {
    const double pivot = state.factor(p, p), whole = state.factor.row(p).head(p + 1).squaredNorm();
    const double column = m.scatter(p, p) + (m.centered ? double(m.count) * m.mean[p] * m.mean[p] : 0);
    squares += whole / (pivot * pivot) * std::max(0.0, column);
  }
  return m.rounding + epsilon * (32 * largest + (4 + std::sqrt(double(m.rank())) / 4) *
                                                    std::sqrt(state.diagonal_sum * squares));
}

/// tr K̃, or the upper end of the interval in which it lies.
struct Trace {
  double value;
  bool exact;
  explicit Trace(const LandmarkState& s) {
    const double represented = s.moments.scatter.diagonal().sum();
    exact = true;
    if (!s.moments.centered) {
      value = s.diagonal_sum;
    } else if (s.trace) {
      value = *s.trace;
    } else {  // tr HEH = tr E − 1ᵀE1/n, and 1ᵀE1/n ≥ 0 where E ⪰ 0, else at least −‖E‖
      exact = false;
      value = represented + s.remainder.trace() + (s.remainder.one_sided() ? 0 : s.remainder.rigorous());
    }
  }
};

}  // namespace

template <class T>
void LowRankFit<T>::solve(Pca& model, LandmarkState state, const Components& components, const Run& caller) {
  const SteadyRun steady(caller);
  const Run& run = steady;
  Report& report = model.report_;
  const FeatureMoments& moments = state.moments;
  const Index r = moments.rank();
  const auto n = double(moments.count);
  run.report("eigenvectors", 0);
  const bool share = components.share > 0;
  const Index wanted = share ? r : std::min(components.count, r);
  const Spectrum<double> s = dense_eigenpairs<double>(moments.scatter, std::min(r, wanted + 1), End::largest,
                                                      Run{.threads = 1});  // for the same bits always
  run.check();

  const double mean_part = moments.centered ? n * moments.mean.squaredNorm() : 0;
  const double largest = r > 0 ? std::max(s.values[0], mean_part) : 0;
  const double rounding = rounding_of<T>(state, largest);
  const Trace trace(state);
  Index kept = 0;
  while (kept < wanted && s.values[kept] > rounding) ++kept;
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

  // α = L⁻ᵀu and the offset uᵀφ̄. The sign: the landmark with the largest score has a positive one.
  Block<double> u = s.vectors.leftCols(kept);
  Block<double> at_landmarks = state.factor * u;
  if (moments.centered) at_landmarks.rowwise() -= (moments.mean.transpose() * u).eval();
  for (Index c = 0; c < kept; ++c) {
    Index most = 0;
    at_landmarks.col(c).cwiseAbs().maxCoeff(&most);
    if (at_landmarks(most, c) < 0) u.col(c) = -u.col(c);
  }
  model.offset_ =
      moments.centered ? Vector<double>(u.transpose() * moments.mean) : Vector<double>::Zero(kept);
  linalg::solve_lower<double>(linalg::Transpose::yes, r, kept, state.factor.data(), std::max<Index>(1, r),
                              u.data(), std::max<Index>(1, r));
  model.alpha_ = u.template cast<T>();

  // Weyl: |λ − θ| ≤ ‖E‖, and λ ≥ θ where E ⪰ 0.
  const Remainder& e = state.remainder;
  const double sure = e.rigorous() + rounding, likely = std::min(sure, e.probable() + rounding);
  const double below = e.one_sided() ? rounding : likely, below_surely = e.one_sided() ? rounding : sure;
  const double next = kept < s.values.size() ? std::max(0.0, s.values[kept]) : 0;
  EigenvalueBounds bounds;
  bounds.low = (values.array() - below).cwiseMax(0.0);
  bounds.high = values.array() + likely;
  bounds.rigorous_low = (values.array() - below_surely).cwiseMax(0.0);
  bounds.rigorous_high = values.array() + sure;
  bounds.delta = e.delta;
  bounds.remaining_trace = e.trace();
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
  report.explained_variance_ratio =
      trace.value > 0 ? Vector<double>(values / trace.value) : Vector<double>::Zero(kept);
  report.residuals = Vector<double>::Constant(kept, likely);  // ‖K̃v − θv‖ = ‖HEv‖ ≤ ‖E‖
  report.missed = {next + sure, next + likely, e.delta};
  report.converged = true;
  if (!trace.exact)
    report.notes.push_back(
        fmt::format("the trace of the centred kernel matrix is known to {:.2g} %: its upper end is given, "
                    "and the shares of "
                    "variance are at least as large as stated",
                    100 * e.trace() / std::max(trace.value, std::numeric_limits<double>::min())));
  model.low_rank_ = std::make_shared<const LandmarkState>(std::move(state));
  run.report("eigenvectors", 1);
}

template void LowRankFit<float>::solve(Pca&, LandmarkState, const Components&, const Run&);
template void LowRankFit<double>::solve(Pca&, LandmarkState, const Components&, const Run&);

}  // namespace mercer
