// PCA of a table with gaps: the ridge by held-out entries, alternating least squares on all of them, and then
// directions, scores and what a new row with gaps needs.
//
// With PQᵀ = A S Uᵀ balanced, a row of P is p = z S^{-½} for the score z = S a on the directions U, so the
// penalty ρ‖p‖² of a row is Σ_c (ρ/s_c) z_c². New rows are regressed on U with that penalty, and training
// rows the same way, so that a training row transformed as new gives its score.
#include <mercer/missing_pca.hpp>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/stopwatch.hpp"
#include "model/alternating.hpp"
#include "model/contradictions.hpp"
#include "model/known_entries.hpp"
#include "model/model_file.hpp"
#include "spectral/orthonormal.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace mercer {
namespace {

constexpr double least_ridge =
    1e-10;  ///< relative to the largest singular value: keeps every regression solvable
constexpr int ridge_choices = 12;  ///< from the largest singular value down, half as much each
constexpr Index search_sweeps = 100;
constexpr double search_tolerance = 1e-5, negligible = 1e-8;

void require_sensible(const MissingPcaOptions& o) {
  if (o.components.share > 0)
    throw Error(ErrorCode::usage, "PCA with gaps takes a number of components, not a share of variance",
                "how much variance the gaps hide is not known: give a count, such as -k 5");
  if (o.components.count < 1) throw Error(ErrorCode::usage, "at least one component must be asked for");
  if (o.ridge && !(*o.ridge >= 0 && std::isfinite(*o.ridge)))
    throw Error(ErrorCode::usage, fmt::format("a ridge of {} makes no sense", *o.ridge), "0 or more");
  if (!(o.held_out >= 0 && o.held_out <= 0.5))
    throw Error(ErrorCode::usage, fmt::format("holding out a share of {} makes no sense", o.held_out),
                "from 0 to 0.5");
  if (!(o.tolerance > 0) || o.max_sweeps < 1)
    throw Error(ErrorCode::usage, "the tolerance and the number of sweeps must be above 0");
}

template <class T>
Plan make_plan(const Samples<T>& samples, Index known, const MissingPcaOptions& options, const Run& run) {
  const double entries = double(known), n = double(samples.rows()), d = double(samples.cols());
  const double k = double(std::min({options.components.count, samples.rows(), samples.cols()}));
  Plan plan;
  plan.route = Route::tiled;
  plan.problem = fmt::format("alternating least squares on {} known entries of {} x {}", known,
                             samples.rows(), samples.cols());
  plan.reason = "gaps are to be estimated";
  plan.budget = run.memory_budget();
  const double copies =
      options.held_out > 0 ? 4.2 : 3;  // by rows, by columns, what is left and what is hidden
  plan.bytes = 16 * entries * copies + 8 * 6 * k * (n + d);
  const double sweeps = 50 + (options.ridge ? 50 : 20.0 * ridge_choices);
  plan.flops = sweeps * (2 * entries * k * (k + 4) + (n + d) * k * k * k / 3);
  if (plan.bytes > double(plan.budget))
    throw Error(ErrorCode::no_memory,
                fmt::format("{} known entries need {} but the memory budget is {}", known,
                            format_bytes(plan.bytes), format_bytes(double(plan.budget))),
                "raise --memory");
  return plan;
}

/// Of the table that is known.
double share_of(const SparseMatrix<double>& known) {
  return double(known.nonZeros()) / (double(known.rows()) * double(known.cols()));
}

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

double root_mean_square(double sum, Index count) { return count > 0 ? std::sqrt(sum / double(count)) : 0; }

/// The ridge and its error on entries that its fit did not see; errors of nothing are not known.
struct Choice {
  double ridge = 0, error = unknown, column_mean_error = unknown;
  Index hidden = 0;
};

Choice choose_ridge(const SparseMatrix<double>& known, const MissingPcaOptions& options,
                    std::optional<double> given, const Run& run) {
  const auto [rest, hidden] = hide_some(known, options.held_out, run.seed);
  const Factors start = spectral_start(rest, options.components.count, options.center, run);
  // Beyond the largest singular value with zeros in the gaps a ridge leaves nothing at all.
  const double largest = start.sizes.size() > 0 ? start.sizes[0] * share_of(rest) : 0;
  if (hidden.nonZeros() == 0) return {.ridge = given.value_or(1e-3 * largest)};
  const auto error_of = [&run, &hidden = hidden](const Factors& f) {
    return root_mean_square(squared_error(hidden, f.mean, f.rows, f.columns, run), hidden.nonZeros());
  };
  Factors means = start;
  means.rows.setZero();
  Choice best{.ridge = given.value_or(0),
              .error = std::numeric_limits<double>::infinity(),
              .column_mean_error = error_of(means),
              .hidden = hidden.nonZeros()};
  int worse = 0;
  for (int i = 1; i <= (given ? 1 : ridge_choices) && worse < 2; ++i) {
    const double ridge = given ? std::max(*given, least_ridge * largest) : largest * std::pow(2, 1 - i);
    run.report("ridge", double(i - 1) / ridge_choices);
    // Each from the same start: a large ridge may leave nothing, and from nothing no way leads back.
    const Factors f = alternate(rest, start,
                                {.center = options.center,
                                 .ridge = ridge,
                                 .tolerance = std::max(options.tolerance, search_tolerance),
                                 .max_sweeps = std::min(options.max_sweeps, search_sweeps)},
                                run);
    const double error = error_of(f);
    if (error < best.error) {
      best.error = error;
      if (!given) best.ridge = ridge;
      worse = 0;
    } else if (best.error < best.column_mean_error) {
      ++worse;
    }
  }
  return best;
}

Factors fit_known(const SparseMatrix<double>& known, double& ridge, const MissingPcaOptions& options,
                  const Run& run) {
  Factors start = spectral_start(known, options.components.count, options.center, run);
  if (start.sizes.size() > 0) ridge = std::max(ridge, least_ridge * start.sizes[0]);
  Factors f = alternate(known, std::move(start),
                        {.center = options.center,
                         .ridge = ridge,
                         .tolerance = options.tolerance,
                         .max_sweeps = options.max_sweeps},
                        run);
  if (!f.converged)
    throw Error(ErrorCode::not_converged,
                fmt::format("alternating least squares was not done after {} sweeps", f.objective.size()),
                "fewer components or a larger --ridge have a clearer answer");
  return f;
}

}  // namespace

template <class T>
Plan MissingPca<T>::plan(const Samples<T>& samples, const MissingPcaOptions& options, const Run& run) {
  require_sensible(options);
  return make_plan(samples, count_known(samples), options, run);
}

template <class T>
MissingPca<T> MissingPca<T>::fit(const Dataset<T>& data, const MissingPcaOptions& options, const Run& run) {
  MissingPca model = fit(data.samples, options, run);
  model.label_ = data.label;
  model.columns_ = data.columns;
  return model;
}

template <class T>
MissingPca<T> MissingPca<T>::fit(const Samples<T>& samples, const MissingPcaOptions& options,
                                 const Run& run) {
  require_sensible(options);
  if (samples.rows() == 0 || samples.cols() == 0)
    throw Error(ErrorCode::bad_data, fmt::format("there is nothing to fit: {} samples of {} features",
                                                 samples.rows(), samples.cols()));
  const ThreadScope threads(run);
  Stopwatch watch;
  MissingPca model;
  Report& report = model.report_;
  report.plan = make_plan(samples, count_known(samples), options, run);
  SparseMatrix<double> known = known_entries(samples);
  require_something_known(known);
  model.scaling_ = scaling_of_known<T>(options.scale, known);
  scale_known(model.scaling_, known);
  if (!std::isfinite(known.squaredNorm()))
    throw Error(ErrorCode::bad_data, "the values are too large: the sum of their squares is no finite number",
                "divide them by a number");
  const double size = double(samples.rows()) * double(samples.cols());
  const bool whole = double(known.nonZeros()) == size;
  watch.lap("prepare");

  const std::optional<double> given = options.ridge || !whole ? options.ridge : std::optional(0.0);
  const Choice choice = choose_ridge(known, options, given, run);
  watch.lap("ridge");
  double ridge = choice.ridge;
  const Factors f = fit_known(known, ridge, options, run);
  watch.lap("solve");

  Index k = f.sizes.size();
  while (k > 0 && f.sizes[k - 1] <= negligible * std::max(f.sizes[0], known.norm())) --k;
  const Vector<double> root = f.sizes.head(k).cwiseSqrt();
  Block<double> directions = f.columns.leftCols(k) * root.cwiseInverse().asDiagonal();
  fix_signs<double>(directions);
  model.directions_ = directions.template cast<T>();
  model.mean_ = f.mean;
  model.penalty_ = ridge * f.sizes.head(k).cwiseInverse();
  const Matrix<double> kept = model.directions_.template cast<double>();
  const Matrix<double> scores = ridge_rows(known, model.mean_, kept, model.penalty_, run);
  model.scores_ = scores.template cast<T>();

  const double left = squared_error(known, model.mean_, scores, kept, run);
  report.method = "pca";
  report.n = samples.rows();
  report.d = samples.cols();
  report.components = k;
  report.components_requested = options.components.count;
  report.precision = precision_of<T>;
  report.centered = options.center;
  report.gram_eigenvalues = scores.colwise().squaredNorm().transpose();
  report.variances = report.gram_eigenvalues / double(samples.rows());
  report.trace = report.gram_eigenvalues.sum() + left * size / double(known.nonZeros());
  report.explained_variance_ratio = report.trace > 0 ? Vector<double>(report.gram_eigenvalues / report.trace)
                                                     : Vector<double>(Vector<double>::Zero(k));
  report.gaps = GapEstimate{.known = known.nonZeros(),
                            .ridge = ridge,
                            .known_error = root_mean_square(left, known.nonZeros()),
                            .held_out = choice.hidden,
                            .held_out_error = choice.error,
                            .column_mean_error = choice.column_mean_error,
                            .sweeps = Index(f.objective.size())};
  refuse_contradictions(report, report.trace);
  if (!whole) report.notes.push_back("eigenvalues and shares are of the table with its gaps estimated");
  watch.lap("scores");
  report.seconds = watch.laps_and_total();
  report.peak_bytes = peak_memory();
  return model;
}

template <class T>
Matrix<T> MissingPca<T>::do_transform(const Samples<T>& points, const Run& run) const {
  const ThreadScope threads(run);
  SparseMatrix<double> known = known_entries(points);
  scale_known(scaling_, known);
  return ridge_rows(known, mean_, directions_.template cast<double>(), penalty_, run).template cast<T>();
}

template <class T>
Matrix<T> MissingPca<T>::do_inverse(const MatrixView<T>& scores, const Run& run) const {  // X ≈ Z Uᵀ + μ
  const ThreadScope threads(run);
  Matrix<T> rows = scores * directions_.transpose();
  rows.rowwise() += mean_.template cast<T>().transpose();
  return scaling_.undo(std::move(rows));
}

template <class T>
void MissingPca<T>::write(ModelWriter& writer) const {
  writer.block("directions", directions_);
  writer.vector("mean", mean_);
  writer.vector("penalty", penalty_);
  writer.matrix("scores", scores_);
  writer.scaling(scaling_);
}

template <class T>
std::unique_ptr<Model<T>> MissingPca<T>::read(ModelReader<T>& reader) {
  auto model = std::make_unique<MissingPca<T>>(MissingPca<T>());
  reader.restore(*model, {.eigenvalues = ReportParts::always, .gaps = ReportParts::always});
  const Index n = model->report_.n, d = model->report_.d, k = model->report_.components;
  reader.require_shape("directions", {d, k});
  reader.require_shape("mean", {d});
  reader.require_shape("penalty", {k});
  reader.require_shape("scores", {n, k});
  model->directions_ = reader.block("directions");
  model->mean_ = reader.vector("mean");
  model->penalty_ = reader.vector("penalty");
  reader.require((model->penalty_.array() >= 0).all(), "its penalty is negative");
  model->scores_ = reader.matrix("scores");
  model->scaling_ = reader.scaling();
  return model;
}

template class MissingPca<float>;
template class MissingPca<double>;

}  // namespace mercer
