// Fitting on landmarks: with the factor F of all points in memory, or in passes over the points.
#include "model/low_rank_fit.hpp"

#include "base/linalg.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "kernel/landmarks.hpp"
#include "model/contradictions.hpp"
#include "model/low_rank_remainder.hpp"
#include "model/measured_bounds.hpp"
#include "model/near_origin.hpp"
#include "model/number_range.hpp"
#include "model/spectral_fit.hpp"
#include "operator/centered.hpp"
#include "operator/gram_operator.hpp"
#include "operator/gram_rounding.hpp"
#include "operator/pivoted_cholesky.hpp"
#include "operator/rejection_pivots.hpp"
#include "operator/remainder_block.hpp"
#include "spectral/certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace mercer {
namespace {

constexpr double default_tolerance = 1e-3;
constexpr double measured_flops = 4e10;

/// 0 where the rank is given.
double pivot_tolerance(const LowRank& options) {
  if (options.rank > 0) return 0;
  return options.tolerance > 0 ? options.tolerance : default_tolerance;
}

PivotRequest pivot_request(const KernelPcaOptions& options, const LowRankLayout& layout) {
  PivotRequest out;
  out.max_rank = layout.rank;
  out.tolerance = pivot_tolerance(options.lowrank);
  out.centered = options.center;
  return out;
}

/// Mean and scatter of the rows of F.
template <class T>
FeatureMoments moments_of(const PivotedCholesky<T>& factor, bool center, const Run& run) {
  const Index n = factor.size(), r = factor.rank();
  std::vector<T> features(static_cast<std::size_t>(std::min(n, feature_rows) * r));
  const Index some = std::min<Index>(n, 1024);  // spread over all rows
  for (Index i = 0; i < some; ++i) factor.copy_rows(i * n / some, 1, features.data() + i * r);
  MomentSum<T> sum(center, mean_of(features.data(), some, r));
  for (Index first = 0; first < n; first += feature_rows) {
    const Index count = std::min(feature_rows, n - first);
    parallel_for((count + 255) / 256, run, [&](Index part) {
      const Index i0 = part * 256;
      factor.copy_rows(first + i0, std::min<Index>(256, count - i0), features.data() + i0 * r);
    });
    sum.add(features.data(), count, run);
    run.report("scatter", double(first + count) / double(n));
  }
  return sum.result();
}

std::string note_of(PivotStop stop, const LowRank& options, Index rank, double share_left) {
  if (stop == PivotStop::numerical_rank)
    return fmt::format("after {} landmarks nothing but rounding is left of the kernel matrix", rank);
  if (stop == PivotStop::rank && options.rank == 0 && options.landmarks == Landmarks::pivoted)
    return fmt::format(
        "the memory budget allows {} landmarks: a share of {:.2g} of the trace is left out, more than "
        "the tolerance",
        rank, share_left);
  return "";
}

/// (F − 1φ̄ᵀ)U, summed in double.
template <class T>
Matrix<T> scores_of(const PivotedCholesky<T>& factor, const Block<double>& directions,
                    const Vector<double>& mean, const Run& run) {
  constexpr Index part = 256;
  const Index n = factor.size(), r = factor.rank();
  const Vector<double> offset = directions.transpose() * mean;
  Matrix<T> out(n, directions.cols());
  parallel_for((n + part - 1) / part, run, [&](Index chunk) {
    const Index first = chunk * part, rows = std::min(part, n - first);
    Matrix<T> features(rows, r);
    factor.copy_rows(first, rows, features.data());
    const Block<double> transposed = features.transpose().template cast<double>();
    out.middleRows(first, rows) =
        (linalg::transposed_times<double>(transposed, directions).rowwise() - offset.transpose())
            .template cast<T>();
  });
  return out;
}

/// tr E beside what is sure of tr K̃.
double share_left(const LandmarkState& state) {
  const double whole = state.moments.centered ? state.moments.scatter.diagonal().sum() : state.diagonal_sum;
  return whole > 0 ? state.remainder.trace() / whole : 0;
}

std::string dependent_note(Index left_out, Index given) {
  return fmt::format("{} of {} landmarks depend on the others and were left out", left_out, given);
}

/// F of all points and L of their landmarks, with the same columns.
template <class T>
struct Factored {
  std::optional<PivotedCholesky<T>> of_points;
  Block<double> of_landmarks;
  PivotStop stop = PivotStop::rank;  ///< of drawn pivots
  bool apart = false;  ///< F was made with a factor in T, as the pivots were drawn, and not with L
};

/// The landmarks asked for, or drawn, as far as they are independent, in an order that keeps rounding small.
template <class T>
Factored<T> factored(const Kernel& kernel, const Samples<T>& points, PivotRequest request, const Run& run) {
  Factored<T> out;
  if (request.draw) {
    out.of_points.emplace(kernel, points, request, run);
    out.stop = out.of_points->stop();
    request.first = out.of_points->pivots();
    request.draw = false;
  }
  IndependentLandmarks independent =
      independent_landmarks(kernel, points.select_rows(request.first), {}, run);
  std::vector<Index> kept;
  for (const Index place : independent.kept) kept.push_back(request.first[static_cast<std::size_t>(place)]);
  out.of_landmarks = std::move(independent.factor);
  if (kept.size() < request.first.size()) out.stop = PivotStop::numerical_rank;
  out.apart = out.of_points && kept == request.first;
  if (out.apart) return out;
  request.first = std::move(kept);
  request.factor = out.of_landmarks;
  out.of_points.emplace(kernel, points, request, run);
  return out;
}

}  // namespace

Index requested_rank(const LowRank& options) {
  return options.landmarks == Landmarks::given ? static_cast<Index>(options.given.size()) : options.rank;
}

void require_low_rank(const KernelPcaOptions& options, Index n) {
  const LowRank& low = options.lowrank;
  const auto usage = [](std::string what, std::string cure) {
    throw Error(ErrorCode::usage, std::move(what), std::move(cure));
  };
  if (options.kernel.definiteness() != Definiteness::psd)
    throw Error(
        ErrorCode::not_psd,
        fmt::format("route lowrank needs a kernel that is positive semidefinite on all data, and {} is not "
                    "known to be",
                    options.kernel.to_string()),
        "use another route, or a kernel such as rbf, laplacian, matern52, linear or poly");
  if (low.rank < 0) usage(fmt::format("a rank of {}", low.rank), "ask for at least 1");
  if (low.rank > 0 && low.tolerance != 0)
    usage("both a rank and a tolerance were asked for", "give --rank or --tolerance");
  if (low.tolerance != 0 && !(low.tolerance > 0 && low.tolerance < 1))
    usage(fmt::format("a tolerance of {}", low.tolerance), "it is a share of the trace, between 0 and 1");
  if (low.landmarks == Landmarks::given) {
    if (low.given.empty()) usage("no landmarks were given", "name at least one row");
    if (low.rank > 0 || low.tolerance != 0)
      usage("the landmarks are given, so there is no rank or tolerance to choose them by", "leave those out");
    std::set<Index> seen;
    for (const Index row : low.given) {
      if (row < 0 || row >= n)
        usage(fmt::format("landmark {} is not one of the {} rows", row, n), "rows count from 0");
      if (!seen.insert(row).second)
        usage(fmt::format("landmark {} is given twice", row), "name each row once");
    }
  } else if (low.landmarks != Landmarks::pivoted && low.rank == 0) {
    usage("uniform and k-means landmarks need their number", "say how many with --rank");
  }
}

template <class T>
KernelPca<T> LowRankFit<T>::fit(const Samples<T>& samples, const KernelPcaOptions& options,
                                const Problem& problem, const Run& caller) {
  require_low_rank(options, samples.rows());
  const SteadyRun steady(caller);
  const Run& run = steady;
  const LowRankLayout layout = low_rank_layout(problem, run);
  const Plan plan = plan_low_rank(problem, layout, run);
  if (is_large_factor(samples.rows(), options.lowrank.rank) &&
      options.lowrank.landmarks == Landmarks::pivoted &&
      layout.without_factor <= double(run.memory_budget())) {
    Plan without = plan;
    without.bytes = layout.without_factor;
    without.flops = layout.flops_without_factor;
    without.reason = "asked for; no factor: landmarks by rejection, then a pass over the data";
    if (auto model = fit_by_rejection(samples, options, without, run)) return std::move(*model);
  }
  if (!layout.streamed) return fit_in_memory(samples, options, layout, plan, run);
  const auto rows = rows_of(samples);
  RowSurvey<T> survey;
  survey.rows = samples.rows();
  survey.scaling = scaling_for_fit(samples, options);
  Pca model = fit_streamed(*rows, survey, options, layout, plan, run);
  model.scores_ = model.do_transform(samples, run);
  return model;
}

template <class T>
KernelPca<T> LowRankFit<T>::fit_in_memory(const Samples<T>& samples, const KernelPcaOptions& options,
                                          const LowRankLayout& layout, const Plan& plan, const Run& run) {
  Stopwatch watch;
  Pca model;
  Report& report = model.report_;
  report.plan = plan;
  model.scaling_ = scaling_for_fit(samples, options);
  const Samples<T> points = model.scaling_.apply(samples);
  options.kernel.check_data(points);
  model.kernel_ = options.kernel.resolved(points, run.seed);
  const LowRank& low = options.lowrank;
  PivotRequest request = pivot_request(options, layout);
  request.draw = low.landmarks == Landmarks::pivoted;
  if (low.landmarks == Landmarks::given) request.first = low.given;
  if (low.landmarks == Landmarks::uniform) request.first = uniform_rows(points.rows(), layout.rank, run.seed);
  if (low.landmarks == Landmarks::kmeans) request.first = kmeans_rows(points, layout.rank, run);
  watch.lap("prepare");

  // Where a pass over K is affordable it measures instead of bounding; the copies of the data that it takes
  // are not held beside F.
  const double all = double(samples.rows()), per_element = 2 * double(samples.stored()) / all + 20;
  const bool measures = samples.rows() <= measured_rows && all * all * per_element <= measured_flops;
  std::optional<double> trace;
  if (measures && options.center) {
    const GramOperator exact(model.kernel_, points.template cast<double>(), Storage::recomputed, run);
    exact.gather_sums(run);
    trace = std::max(0.0, CenteredOperator<double>(exact).trace().value_or(0));
    watch.lap("trace");
  }
  {
    LandmarkState state;
    const Factored<T> found = factored(model.kernel_, points, request, run);
    state.factor = found.of_landmarks;
    model.points_ = points.select_rows(found.of_points->pivots());
    const PivotStop stop = found.stop;
    const Index left_out = static_cast<Index>(request.first.size()) - found.of_points->rank();
    if (!request.draw && left_out > 0)
      report.notes.push_back(dependent_note(left_out, left_out + found.of_points->rank()));
    const PivotedCholesky<T>& factor = *found.of_points;
    watch.lap("factor");
    const Index n = factor.size(), r = factor.rank();
    state.rows.assign(factor.pivots().begin(), factor.pivots().end());
    state.diagonal_sum = factor.diagonal().sum();
    require_kernel_above_zero(model.kernel_, state.diagonal_sum, state.diagonal_sum == 0 && is_zero(points));
    state.moments = moments_of(factor, options.center, run);
    watch.lap("scatter");
    const RemainderSample sample(factor.remaining(), factor.diagonal(), element_noise<T>(r),
                                 std::clamp<Index>(10 * n, 4000, 100000), run.seed);
    const auto element = [&](Index p) {
      const auto [i, j] = sample.pairs()[static_cast<std::size_t>(p)];
      return factor.remainder(i, j);
    };
    state.remainder = with_points(
        {}, bounded_group(r, factor.remaining(), sample, element, options.delta, run), options.delta, {});
    watch.lap("bound");
    state.trace = trace;
    state.element_rounding = factor.element_rounding();
    if (found.apart && std::is_same_v<T, float>)
      state.moments.rounding +=
          factor_rounding(element_rounding<T>(state.element_rounding, r), state.moments, state.factor);
    if (request.draw)
      if (auto note = note_of(stop, low, r, share_left(state)); !note.empty())
        report.notes.push_back(std::move(note));
    const Vector<double> mean = state.moments.mean;
    const Block<double> directions =
        solve(model, std::move(state), options.components, ScoresBy::factor, run);
    watch.lap("solve");
    model.scores_ = scores_of(factor, directions, options.center ? mean : Vector<double>::Zero(r), run);
    watch.lap("scores");
  }
  if (measures && report.components > 0) {
    const GramOperator exact(model.kernel_, points.template cast<double>(), Storage::recomputed, run);
    Block<double> v = model.scores_.template cast<double>();
    v.colwise().normalize();
    const Vector<double>& values = report.gram_eigenvalues;
    report.residuals = options.center
                           ? residual_norms<double>(CenteredOperator<double>(exact), v, values, run)
                           : residual_norms<double>(exact, v, values, run);
    allow_for_rounding_of_kernel(report, gram_rounding<double>(model.kernel_, points).norm);
    believe_what_was_measured(report);
    watch.lap("certify");
  }
  refuse_contradictions(report, model.low_rank_->diagonal_sum);
  report.seconds = watch.laps_and_total();
  report.peak_bytes = peak_memory();
  return model;
}

template <class T>
KernelPca<T> LowRankFit<T>::fit(RowSource<T>& rows, const KernelPcaOptions& options, const Run& caller) {
  require_solvable(options.components, options.residual);
  if (options.route != Route::lowrank && options.route != Route::automatic)
    throw Error(ErrorCode::usage, fmt::format("route {} needs all rows in memory", name_of(options.route)),
                "rows in chunks are fitted by --route lowrank");
  const SteadyRun steady(caller);
  const Run& run = steady;
  const RowSurvey<T> seen = survey(rows, options.scale, run);
  if (seen.rows == 0 || rows.cols() == 0)
    throw Error(ErrorCode::bad_data,
                fmt::format("there is nothing to fit: {} samples of {} features", seen.rows, rows.cols()));
  require_low_rank(options, seen.rows);
  Problem problem;
  problem.name = "kernel";
  problem.size = seen.rows;
  problem.components = options.components;
  problem.precision = precision_of<T>;
  problem.element_flops = 2 * seen.entries / double(seen.rows) + 20;
  problem.data_bytes = seen.bytes;
  problem.low_rank = true;
  problem.rank = requested_rank(options.lowrank);
  const LowRankLayout layout = low_rank_layout(problem, run, true);
  return fit_streamed(rows, seen, options, layout, plan_low_rank(problem, layout, run), run);
}

template <class T>
KernelPca<T> LowRankFit<T>::fit_streamed(RowSource<T>& rows, const RowSurvey<T>& survey,
                                         const KernelPcaOptions& options, const LowRankLayout& layout,
                                         const Plan& plan, const Run& run) {
  Stopwatch watch;
  Pca model;
  model.report_.plan = plan;
  model.scaling_ = survey.scaling;
  Chosen chosen = choose_landmarks(rows, survey.rows, options, layout, model, run);
  watch.lap("landmarks");
  fit_on(std::move(chosen), rows, survey.rows, options, model, watch, run);
  model.report_.seconds = watch.laps_and_total();
  model.report_.peak_bytes = peak_memory();
  return model;
}

template <class T>
void LowRankFit<T>::fit_on(Chosen chosen, RowSource<T>& rows, Index n, const KernelPcaOptions& options,
                           Pca& model, Stopwatch& watch, const Run& run) {
  LandmarkState state;
  IndependentLandmarks independent = independent_landmarks(model.kernel_, chosen.landmarks, {}, run);
  state.factor = std::move(independent.factor);
  for (const Index place : independent.kept)
    state.rows.push_back(chosen.rows[static_cast<std::size_t>(place)]);
  if (const auto given = static_cast<Index>(chosen.rows.size()),
      kept = static_cast<Index>(independent.kept.size());
      kept < given)
    model.report_.notes.push_back(dependent_note(given - kept, given));
  model.points_ = chosen.landmarks.select_rows(independent.kept);
  const LandmarkBasis<T> basis(model.kernel_, model.points_, state.factor);
  Pass pass = pass_over(rows, n, model.scaling_, basis, options.center, options.delta, {}, run);
  state.moments = std::move(pass.moments);
  state.diagonal_sum = pass.diagonal_sum;
  if (state.diagonal_sum == 0)
    require_kernel_above_zero(model.kernel_, 0, is_zero(rows, model.scaling_, run));
  state.element_rounding = pass.element_rounding;
  state.remainder = with_points({}, pass.group, options.delta, {});
  watch.lap("passes");
  const double left = share_left(state);
  const double tolerance = pivot_tolerance(options.lowrank);
  if (options.lowrank.landmarks == Landmarks::pivoted && tolerance > 0 && left > tolerance)
    model.report_.notes.push_back(
        fmt::format("{} landmarks leave out a share of {:.2g} of the trace, more than the tolerance",
                    basis.rank(), left));
  (void)solve(model, std::move(state), options.components, ScoresBy::transform, run);
  refuse_contradictions(model.report_, model.low_rank_->diagonal_sum);
  watch.lap("solve");
}

template <class T>
auto LowRankFit<T>::fit_by_rejection(const Samples<T>& samples, const KernelPcaOptions& options,
                                     const Plan& plan, const Run& run) -> std::optional<Pca> {
  const LowRank& low = options.lowrank;
  const Index n = samples.rows();
  Stopwatch watch;
  Pca model;
  model.report_.plan = plan;
  model.scaling_ = scaling_for_fit(samples, options);
  Chosen chosen;
  {
    const Samples<T> points = model.scaling_.apply(samples);
    options.kernel.check_data(points);
    model.kernel_ = options.kernel.resolved(points, run.seed);
    const auto pivots = draw_by_rejection(model.kernel_, points, low.rank, n / 8, run);
    if (!pivots) return std::nullopt;
    chosen.landmarks = points.select_rows(*pivots);
    chosen.rows.assign(pivots->begin(), pivots->end());
  }
  watch.lap("landmarks");
  const auto rows = rows_of(samples);
  fit_on(std::move(chosen), *rows, n, options, model, watch, run);
  model.scores_ = model.do_transform(samples, run);
  watch.lap("scores");
  model.report_.seconds = watch.laps_and_total();
  model.report_.peak_bytes = peak_memory();
  return model;
}

template <class T>
auto LowRankFit<T>::choose_landmarks(RowSource<T>& rows, Index n, const KernelPcaOptions& options,
                                     const LowRankLayout& layout, Pca& model, const Run& run) -> Chosen {
  const LowRank& low = options.lowrank;
  // The rows among which landmarks are chosen; those given or drawn uniformly are themselves the choice.
  std::vector<Index> among;
  if (low.landmarks == Landmarks::given) {
    among = low.given;
    std::sort(among.begin(), among.end());
  } else if (low.landmarks == Landmarks::uniform) {
    among = uniform_rows(n, layout.rank, run.seed);
  } else {
    among = uniform_rows(n, layout.sample, run.seed, 2);
    if (layout.sample < n)
      model.report_.notes.push_back(
          fmt::format("landmarks were chosen among {} rows drawn at random, since the factor of all {} does "
                      "not fit the memory "
                      "budget; every row counts in what was fitted",
                      layout.sample, n));
  }
  const Samples<T> points = model.scaling_.apply(gather_rows(rows, among, run));
  options.kernel.check_data(points);
  model.kernel_ = options.kernel.resolved(points, run.seed);
  PivotRequest request = pivot_request(options, layout);
  request.draw = low.landmarks == Landmarks::pivoted;
  if (low.landmarks == Landmarks::given)
    for (const Index row : low.given)
      request.first.push_back(std::lower_bound(among.begin(), among.end(), row) - among.begin());
  if (low.landmarks == Landmarks::uniform)
    request.first = uniform_rows(points.rows(), points.rows(), run.seed);
  if (low.landmarks == Landmarks::kmeans) request.first = kmeans_rows(points, layout.rank, run);
  if (request.draw) {
    const PivotedCholesky<T> factor(model.kernel_, points, request, run);
    if (factor.stop() == PivotStop::numerical_rank)
      model.report_.notes.push_back(note_of(factor.stop(), low, factor.rank(), 0));
    request.first = factor.pivots();
  }
  Chosen out;
  out.landmarks = points.select_rows(request.first);
  for (const Index pivot : request.first) out.rows.push_back(among[static_cast<std::size_t>(pivot)]);
  return out;
}

template <class T>
auto LowRankFit<T>::pass_over(RowSource<T>& rows, Index n, const Scaling<T>& scaling,
                              const LandmarkBasis<T>& basis, bool center, double delta,
                              const std::vector<Index>& prefixes, const Run& run) -> Pass {
  // What remains of each point is needed where a shorter basis is asked about, and for pairs of rows.
  std::optional<PassBy> by;
  if (!prefixes.empty() ||
      remainder_block_rows(n, basis.rank(), double(run.memory_budget()) / 16, sizeof(T)) == 0)
    by = PassBy::features;
  Pass out;
  std::optional<FeaturePass<T>> pass;
  while (true) {
    const Index seen = for_each_chunk(rows, run, [&](const Samples<T>& chunk, Index first) {
      const Samples<T> points = scaling.apply(chunk);
      basis.kernel().check_data(points);
      if (first == 0)
        out.element_rounding =
            gram_rounding<T>(basis.kernel(), points.middle_rows(0, std::min(points.rows(), feature_rows)))
                .relative;
      if (!by) by = cheaper_pass(basis, points, center, n, run);
      if (!pass) pass.emplace(basis, center, *by, prefixes);
      pass->add(points, run);
      run.report("features", std::min(1.0, double(first + chunk.rows()) / double(n)));
    });
    if (seen != n || !pass)
      throw Error(ErrorCode::io, fmt::format("the data had {} rows and now has {}", n, seen));
    out.moments = pass->moments(run);
    out.diagonal_sum = pass->diagonal().sum();
    if (*by == PassBy::features || is_harmless<T>(out.moments.rounding / 4, out.diagonal_sum)) break;
    by = PassBy::features;  // the first points were not like the others
    pass.reset();
  }
  out.prefix_traces = pass->prefix_traces();
  const Vector<double> diagonal = pass->diagonal();
  out.group = *by == PassBy::features
                  ? sampled_group(rows, scaling, basis, pass->remaining(), diagonal, delta, run)
                  : proposed_group(rows, scaling, basis, remaining_trace(out.moments, out.diagonal_sum),
                                   diagonal, delta, run);
  return out;
}

template class LowRankFit<float>;
template class LowRankFit<double>;

}  // namespace mercer
