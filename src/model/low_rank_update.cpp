// A low-rank model after the fit: more points, other points on the same basis, two models made one, files.
#include "base/linalg.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "kernel/landmarks.hpp"
#include "model/contradictions.hpp"
#include "model/low_rank_fit.hpp"
#include "model/spectral_fit.hpp"
#include "operator/pivoted_cholesky.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

constexpr double default_delta = 1e-6;

/// Components to look for again: as many as were asked for.
Components again(const Report& report) {
  return Components(std::max<Index>(1, std::max(report.components_requested, report.components)));
}

template <class T>
bool same_rows(const Samples<T>& a, const Samples<T>& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  for (Index first = 0; first < a.rows(); first += 256) {
    const Index count = std::min<Index>(256, a.rows() - first);
    if (a.dense_rows(first, count) != b.dense_rows(first, count)) return false;
  }
  return true;
}

/// Points that join the landmarks, scaled, and their numbers among the new points.
template <class T>
struct Further {
  Samples<T> landmarks;
  std::vector<Index> rows;
};

/// New points that should become landmarks: pivots of what the basis leaves of them, until it leaves no
/// larger share of their trace than `share`. Where the factor of all of them does not fit, among some drawn
/// at random.
template <class T>
Further<T> further_landmarks(const LandmarkBasis<T>& basis, RowSource<T>& more, const RowSurvey<T>& seen,
                             const Scaling<T>& scaling, Index max_rank, double share, const Run& run) {
  const double row = double(max_rank) * sizeof(T) + 64 + 2 * seen.bytes / double(seen.rows);
  const auto room = static_cast<Index>(double(run.memory_budget()) / 2 / row);
  const std::vector<Index> among =
      uniform_rows(seen.rows, std::max<Index>(1, room - basis.rank()), run.seed, 3);
  const Samples<T> points = scaling.apply(gather_rows(more, among, run));
  basis.kernel().check_data(points);
  const Samples<T> all =
      stacked<T>({basis.landmarks(), points.in_the_form_of(basis.landmarks())}, points.cols());
  PivotRequest request;
  request.max_rank = max_rank;
  request.tolerance = share;
  for (Index i = 0; i < basis.rank(); ++i) request.first.push_back(i);
  request.factor = basis.factor();
  const PivotedCholesky<T> factor(basis.kernel(), all, request, run);
  Further<T> out;
  std::vector<Index> chosen;
  for (const Index pivot : factor.pivots())
    if (pivot >= basis.rank()) chosen.push_back(pivot - basis.rank());
  for (const Index place : chosen) out.rows.push_back(among[static_cast<std::size_t>(place)]);
  out.landmarks = points.select_rows(chosen).in_the_form_of(basis.landmarks());
  return out;
}

}  // namespace

template <class T>
LandmarkBasis<T> LowRankFit<T>::basis_of(const Pca& model, std::string_view purpose) {
  if (!model.low_rank_)
    throw Error(ErrorCode::usage,
                fmt::format("{}: this model is exact, and has no basis of landmarks", purpose),
                "fit it with --route lowrank");
  return {model.kernel_, model.points_, model.low_rank_->factor};
}

template <class T>
KernelPca<T> LowRankFit<T>::on_basis_of(const Pca& like, const LandmarkBasis<T>& basis) {
  Pca out;
  out.kernel_ = like.kernel_;
  out.scaling_ = like.scaling_;
  out.points_ = basis.landmarks();
  out.columns_ = like.columns_;
  if (like.label_) out.label_ = Label{like.label_->column};  // its classes belong to the points
  out.report_.plan = like.report_.plan;
  return out;
}

template <class T>
KernelPca<T> LowRankFit<T>::refit(const Pca& model, const Samples<T>& samples, const Components& components,
                                  const Run& caller) {
  require_solvable(components, 0);
  require_samples(samples);
  const SteadyRun steady(caller);
  const Run& run = steady;
  Stopwatch watch;
  const LandmarkBasis<T> basis = basis_of(model, "its basis cannot be taken over");
  if (samples.cols() != model.features())
    throw Error(ErrorCode::bad_data, fmt::format("the points have {} columns, and the basis is for {}",
                                                 samples.cols(), model.features()));
  Pca out = on_basis_of(model, basis);
  const auto rows = rows_of(samples);
  Pass pass =
      pass_over(*rows, samples.rows(), model.scaling_, basis, model.report_.centered, default_delta, {}, run);
  watch.lap("passes");
  LandmarkState state;
  state.rows = model.low_rank_->rows;
  state.factor = basis.factor();
  state.moments = std::move(pass.moments);
  state.diagonal_sum = pass.diagonal_sum;
  state.element_rounding = pass.element_rounding;
  state.remainder = with_points({}, pass.group, default_delta, {});
  Plan& plan = out.report_.plan;
  plan.problem =
      fmt::format("kernel matrix {} x {} on {} landmarks", samples.rows(), samples.rows(), basis.rank());
  plan.reason = "on the basis of a fitted model";
  (void)solve(out, std::move(state), components, ScoresBy::transform, run);
  refuse_contradictions(out.report_, out.low_rank_->diagonal_sum);
  watch.lap("solve");
  out.scores_ = out.do_transform(samples, run);
  watch.lap("scores");
  out.report_.seconds = watch.laps_and_total();
  out.report_.peak_bytes = peak_memory();
  return out;
}

template <class T>
KernelPca<T> LowRankFit<T>::update(const Pca& model, RowSource<T>& more, const UpdateOptions& options,
                                   const Run& caller) {
  const SteadyRun steady(caller);
  const Run& run = steady;
  Stopwatch watch;
  LandmarkBasis<T> basis = basis_of(model, "it cannot take in more points");
  if (more.cols() != model.features())
    throw Error(ErrorCode::bad_data, fmt::format("the points have {} columns, and the model expects {}",
                                                 more.cols(), model.features()));
  const RowSurvey<T> seen = survey(more, Scale::none, run);
  if (seen.rows == 0) throw Error(ErrorCode::bad_data, "there are no points to take in");
  watch.lap("survey");
  const LandmarkState& before = *model.low_rank_;
  LandmarkState state = before;
  Samples<T> landmarks = basis.landmarks();
  if (options.max_rank > basis.rank()) {
    const double share = before.remainder.trace() / std::max(before.diagonal_sum, 1e-300);
    const Further<T> further =
        further_landmarks(basis, more, seen, model.scaling_, options.max_rank, share, run);
    landmarks = stacked<T>({landmarks, further.landmarks}, more.cols());
    IndependentLandmarks independent = independent_landmarks(model.kernel_, landmarks, before.factor, run);
    state.factor = std::move(independent.factor);
    landmarks = landmarks.select_rows(independent.kept);
    for (std::size_t i = state.rows.size(); i < independent.kept.size(); ++i)
      state.rows.push_back(
          before.moments.count +
          further.rows[static_cast<std::size_t>(independent.kept[i] - before.factor.rows())]);
    basis = LandmarkBasis<T>(model.kernel_, landmarks, state.factor);
    watch.lap("landmarks");
  }

  std::vector<Index> ranks;  // what do the bases of earlier points leave of the new ones?
  for (const RemainderGroup& group : before.remainder.groups) ranks.push_back(group.rank);
  if (std::all_of(ranks.begin(), ranks.end(), [&](Index rank) { return rank == basis.rank(); }))
    ranks.clear();
  Pass pass =
      pass_over(more, seen.rows, model.scaling_, basis, model.report_.centered, default_delta, ranks, run);
  watch.lap("passes");
  state.moments = before.moments.padded(basis.rank());
  state.moments.merge(pass.moments);
  state.diagonal_sum += pass.diagonal_sum;
  state.element_rounding = std::max(state.element_rounding, pass.element_rounding);
  state.trace.reset();
  const double hidden = (cholesky_rounding<T>(basis.rank()) + state.element_rounding) * state.diagonal_sum;
  state.remainder = with_points(before.remainder, pass.group, default_delta, pass.prefix_traces, hidden);
  Pca out = on_basis_of(model, basis);
  Plan& plan = out.report_.plan;
  plan.problem = fmt::format("kernel matrix {0} x {0} on {1} landmarks", state.moments.count, basis.rank());
  plan.reason = fmt::format("{} points joined {}", seen.rows, before.moments.count);
  (void)solve(out, std::move(state), again(model.report_), ScoresBy::transform, run);
  refuse_contradictions(out.report_, out.low_rank_->diagonal_sum);
  watch.lap("solve");
  out.report_.seconds = watch.laps_and_total();
  out.report_.peak_bytes = peak_memory();
  return out;
}

template <class T>
KernelPca<T> LowRankFit<T>::merge(const Pca& a, const Pca& b, const Run& caller) {
  const SteadyRun steady(caller);
  const Run& run = steady;
  Stopwatch watch;
  const LandmarkBasis<T> basis = basis_of(a, "the first model cannot be merged"),
                         other = basis_of(b, "the second model cannot be merged");
  const auto differ = [](std::string_view what) {
    throw Error(ErrorCode::usage, fmt::format("the two models cannot be merged: their {} differ", what),
                "fit the second shard on the basis of the first: --landmarks FIRST_MODEL");
  };
  if (!(a.kernel_ == b.kernel_)) differ("kernels");
  if (a.scaling_.kind != b.scaling_.kind || a.scaling_.shift != b.scaling_.shift ||
      a.scaling_.factor != b.scaling_.factor)
    differ("scalings of the inputs");
  if (a.report_.centered != b.report_.centered) differ("centrings");
  if (!same_rows(basis.landmarks(), other.landmarks()) || basis.factor() != other.factor())
    differ("landmarks");

  LandmarkState state = *a.low_rank_;
  state.moments.merge(b.low_rank_->moments);
  state.diagonal_sum += b.low_rank_->diagonal_sum;
  state.element_rounding = std::max(state.element_rounding, b.low_rank_->element_rounding);
  state.trace.reset();
  state.remainder = joined(state.remainder, b.low_rank_->remainder);
  Pca out = on_basis_of(a, basis);
  if (!out.label_ && b.label_) out.label_ = Label{b.label_->column};
  if (out.columns_.empty()) out.columns_ = b.columns_;
  Plan& plan = out.report_.plan;
  plan.problem = fmt::format("kernel matrix {0} x {0} on {1} landmarks", state.moments.count, basis.rank());
  plan.reason = fmt::format("{} and {} points merged", a.report_.n, b.report_.n);
  const Components components(std::max(again(a.report_).count, again(b.report_).count));
  (void)solve(out, std::move(state), components, ScoresBy::transform, run);
  refuse_contradictions(out.report_, out.low_rank_->diagonal_sum);
  watch.lap("solve");
  out.report_.seconds = watch.laps_and_total();
  out.report_.peak_bytes = peak_memory();
  return out;
}

template <class T>
void LowRankFit<T>::write(const Pca& model, ModelWriter& writer) {
  const LandmarkState& s = *model.low_rank_;
  nlohmann::json groups = nlohmann::json::array();
  for (const RemainderGroup& g : s.remainder.groups) groups.push_back({g.rank, g.trace, g.norm});
  nlohmann::json state = {{"diagonal_sum", s.diagonal_sum},
                          {"groups", groups},
                          {"cross", s.remainder.cross},
                          {"delta", s.remainder.delta},
                          {"rounding", s.moments.rounding},
                          {"trace_rounding", s.moments.trace_rounding},
                          {"element_rounding", s.element_rounding},
                          {"scores", model.scores_.rows() > 0}};
  if (s.trace) state["trace"] = *s.trace;
  writer.set("landmarks", std::move(state));
  writer.array("landmarks.rows", s.rows);
  writer.block("landmarks.factor", s.factor);
  writer.vector("landmarks.mean", s.moments.mean);
  writer.block("landmarks.scatter", s.moments.scatter);
  if (model.scores_.rows() > 0) writer.matrix("landmarks.scores", model.scores_);
}

namespace {

/// Positive semidefinite, as a scatter is but for rounding.
template <class T>
bool is_scatter(const FeatureMoments& m) {
  if (m.rank() == 0) return true;
  const double rounding = 64 * double(std::numeric_limits<T>::epsilon()) +
                          8 * MomentSum<T>::relative_rounding(m.count, m.centered);
  Block<double> c = m.scatter.template selfadjointView<Eigen::Lower>();
  c.diagonal().array() += rounding * c.diagonal().sum() + m.rounding + std::numeric_limits<double>::min();
  return linalg::cholesky(c) == m.rank();
}

/// ‖φ(x)‖² ≤ k(x, x), so what is known of the features, and of what they leave out, is no more than Σ k(x,
/// x).
bool fits_its_diagonal(const LandmarkState& s) {
  const FeatureMoments& m = s.moments;
  if (m.rank() == 0) return true;
  const double represented =
      m.scatter.diagonal().sum() + (m.centered ? double(m.count) * m.mean.squaredNorm() : 0);
  bool fits =
      represented <= 2 * s.diagonal_sum &&
      m.scatter.triangularView<Eigen::Lower>().toDenseMatrix().cwiseAbs().maxCoeff() <= 2 * s.diagonal_sum;
  for (const double part : {m.rounding, m.trace_rounding, s.remainder.cross, s.trace.value_or(0)})
    fits = fits && std::abs(part) <= 1e3 * s.diagonal_sum;
  for (const RemainderGroup& g : s.remainder.groups)
    fits = fits && std::max(g.trace, g.norm) <= 2 * s.diagonal_sum;
  return fits;
}

}  // namespace

template <class T>
void LowRankFit<T>::read(Pca& model, ModelReader<T>& reader) {
  const Report& report = model.report_;
  const Fields saved = reader.object("landmarks");
  auto state = std::make_shared<LandmarkState>();
  const Index r = reader.length("landmarks.rows");
  for (const char* square : {"landmarks.factor", "landmarks.scatter"}) reader.require_shape(square, {r, r});
  reader.require_shape("landmarks.mean", {r});
  state->rows = reader.template array<std::int64_t>("landmarks.rows");
  reader.require(
      std::all_of(state->rows.begin(), state->rows.end(), [](std::int64_t row) { return row >= 0; }),
      "its landmarks are not rows of the data");
  state->factor = reader.wide_block("landmarks.factor");
  reader.require((state->factor.diagonal().array() != 0).all(), "the factor of its landmarks is singular");
  reader.require(state->factor.rowwise().squaredNorm().allFinite(), "the factor of its landmarks overflows");
  state->moments = FeatureMoments(r, report.centered);
  state->moments.count = report.n;
  state->moments.mean = reader.vector("landmarks.mean");
  state->moments.scatter = reader.wide_block("landmarks.scatter");
  const auto later = [&](const char* name) {
    return saved.has(name) ? saved.number(name) : 0;
  };  // not in older files
  state->moments.rounding = later("rounding");
  state->moments.trace_rounding = later("trace_rounding");
  state->element_rounding = later("element_rounding");
  state->diagonal_sum = saved.number("diagonal_sum");
  if (saved.has("trace")) state->trace = saved.number("trace");
  state->remainder.cross = saved.number("cross");
  state->remainder.delta = saved.number("delta");
  reader.require(state->moments.rounding >= 0 && state->moments.trace_rounding >= 0 &&
                     state->element_rounding >= 0 && state->diagonal_sum >= 0 && state->remainder.cross >= 0,
                 "a sum of what cannot be negative is");
  double least = 0;
  for (const auto& group : saved.rows("groups", 3)) {
    const double rank = group[0];
    reader.require(rank >= least && rank <= double(r) && rank == std::floor(rank),
                   fmt::format("a group of its points has {} landmarks of {}", rank, r));
    reader.require(group[1] >= 0 && group[2] >= 0, "what remains of a group of its points is negative");
    state->remainder.groups.push_back({static_cast<Index>(rank), group[1], group[2]});
    least = rank;
  }
  reader.require(fits_its_diagonal(*state),
                 "its sums over landmarks are larger than those of its kernel values");
  reader.require(is_scatter<T>(state->moments), "the scatter of its points is not positive semidefinite");
  if (saved.flag("scores")) {
    reader.require_shape("landmarks.scores", {report.n, report.components});
    model.scores_ = reader.matrix("landmarks.scores");
  }
  model.low_rank_ = std::move(state);
}

#define MERCER_INSTANTIATE(T)                                                                               \
  template LandmarkBasis<T> LowRankFit<T>::basis_of(const Pca&, std::string_view);                          \
  template KernelPca<T> LowRankFit<T>::on_basis_of(const Pca&, const LandmarkBasis<T>&);                    \
  template KernelPca<T> LowRankFit<T>::refit(const Pca&, const Samples<T>&, const Components&, const Run&); \
  template KernelPca<T> LowRankFit<T>::update(const Pca&, RowSource<T>&, const UpdateOptions&, const Run&); \
  template KernelPca<T> LowRankFit<T>::merge(const Pca&, const Pca&, const Run&);                           \
  template void LowRankFit<T>::write(const Pca&, ModelWriter&);                                             \
  template void LowRankFit<T>::read(Pca&, ModelReader<T>&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
