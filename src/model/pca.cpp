// PCA (mission rows M1, M2): the scatter matrix X̃ᵀX̃ (d x d) or the Gram matrix X̃X̃ᵀ (n x n),
// whichever is smaller; θ = nλ; u = X̃ᵀv/√θ.
#include <mercer/pca.hpp>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/stopwatch.hpp"
#include "model/contradictions.hpp"
#include "model/model_file.hpp"
#include "model/near_origin.hpp"
#include "model/number_range.hpp"
#include "model/spectral_fit.hpp"
#include "operator/dense_operator.hpp"
#include "operator/scatter_operator.hpp"
#include "spectral/orthonormal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

template <class T>
Side smaller_side(const Samples<T>& samples) {
  return samples.cols() <= samples.rows() ? Side::features : Side::samples;
}

template <class T>
Problem problem_of(const Samples<T>& samples, const PcaOptions& options) {
  Problem p;
  const bool covariance = smaller_side(samples) == Side::features;
  p.name = covariance ? "covariance" : "Gram";
  p.size = std::min(samples.rows(), samples.cols());
  p.components = options.components;
  p.precision = precision_of<T>;
  // Chunks of rows are made dense when the covariance is formed; the Gram matrix of CSR rows is not.
  p.element_flops =
      covariance ? double(samples.rows()) : double(samples.stored()) / double(std::max<Index>(1, p.size));
  p.apply_flops = 4 * double(samples.stored());
  return p;
}

template <class T>
Solved<T> solve(const Samples<T>& points, const Vector<double>& mean, Side side, Route route,
                const SolveRequest& request, const Run& run) {
  if (route == Route::tiled) {  // nothing but the data itself
    Solved<T> out = solve_iteratively<T>(ScatterOperator<T>(points, mean, side), request, run);
    if constexpr (std::is_same_v<T, float>)
      measure_in_double(out, ScatterOperator<double>(points.template cast<double>(), mean, side), request,
                        run);
    return out;
  }
  Block<double> matrix = scatter_matrix(points, mean, side, run);
  if (route == Route::dense) return solve_dense<T>(std::move(matrix), request, run);
  const DenseOperator<double> op(std::move(matrix));
  Solved<double> found = solve_iteratively<double>(op, request, run);
  if constexpr (std::is_same_v<T, double>) {
    return found;
  } else {
    Spectrum<double>& s = found.spectrum;
    Solved<T> out{{s.values, s.vectors.template cast<T>(), s.residuals, s.missed, s.passes, s.converged},
                  found.trace,
                  {},
                  {}};
    measure_in_double(out, op, request, run);  // of the rounded vectors, which the model keeps
    return out;
  }
}

/// Rounding of the sums that the matrix which is solved is made of, relative to their size.
template <class T>
double rounding_of_matrix(const Samples<T>& points, Side side, Route route) {
  const auto rows = double(points.rows()), columns = double(points.longest_row());
  if (points.is_sparse() && route == Route::tiled) return rounding_of_sums(0);  // compensated
  if (points.is_sparse() && side == Side::samples) return rounding_of_long_sums(columns);
  if (route == Route::tiled) return rounding_of_sums(std::max(rows, columns));
  return rounding_of_sums(side == Side::features ? rows : columns);
}

}  // namespace

template <class T>
Plan Pca<T>::plan(const Samples<T>& samples, const PcaOptions& options, const Run& run) {
  require_solvable(options.components, options.residual);
  const Problem problem = problem_of(samples, options);
  Plan plan = make_plan(problem, options.route, run);
  estimate_seconds(plan, problem, run);
  return plan;
}

template <class T>
Pca<T> Pca<T>::fit(const Dataset<T>& data, const PcaOptions& options, const Run& run) {
  Pca model = fit(data.samples, options, run);
  model.label_ = data.label;
  model.columns_ = data.columns;
  return model;
}

template <class T>
Pca<T> Pca<T>::fit(const Samples<T>& samples, const PcaOptions& options, const Run& run) {
  require_solvable(options.components, options.residual);
  require_samples(samples);
  const ThreadScope threads(run);
  Stopwatch watch;
  Pca model;
  Report& report = model.report_;
  const Problem problem = problem_of(samples, options);
  report.plan = make_plan(problem, options.route, run);
  estimate_seconds_if_known(report.plan, problem, run);
  model.scaling_ = Scaling<T>::fit(options.scale, samples);
  const auto [points, shift] =
      options.center ? moved_in_full_columns(model.scaling_.apply(samples))
                     : Moved<T>{model.scaling_.apply(samples), Vector<double>::Zero(samples.cols())};
  const Vector<double> mean = options.center ? column_means(points) : Vector<double>(shift);
  model.mean_ = shift + mean;
  if (report.plan.route == Route::tiled)  // its products are in T
    require_squares_in_range<T>(points, mean);
  else
    require_squares_in_range<double>(points, mean);
  watch.lap("prepare");

  const Side side = smaller_side(points);
  const double n = double(samples.rows());
  SolveRequest request;
  request.components = options.components;
  request.residual = options.residual;
  request.delta = options.delta;
  request.known_psd = true;
  Solved<T> solved = solve(points, mean, side, report.plan.route, request, run);
  solved.trace = options.center ? scatter_about_the_mean(points, mean) : total_scatter(points, mean);
  // The matrix that was solved is the scatter but for rounding of its sums, and of μ: a mean that is off by δ
  // adds nδδᵀ. Of sparse rows products of what is not centred are taken apart again.
  const bool apart = points.is_sparse() && (side == Side::samples || report.plan.route == Route::tiled);
  const double unit = std::numeric_limits<double>::epsilon(), squared_mean = n * mean.squaredNorm(),
               of_mean = unit * unit * (squared_mean + n * shift.squaredNorm()) * (apart ? 64 : 1),
               summed = solved.trace + (apart ? squared_mean : 0);
  allow_for_rounding(solved, {.norm = rounding_of_matrix(points, side, report.plan.route) * summed + of_mean,
                              .trace = 16 * unit * solved.trace + of_mean});
  const double epsilon = report.plan.route == Route::tiled ? double(std::numeric_limits<T>::epsilon()) : unit;
  // x − μ is known to rounding of μ: what n such errors make of an eigenvalue is not variance.
  const double of_the_mean = squared_mean * 64 * unit * unit,
               of_products = apart ? rounding_of_matrix(points, side, report.plan.route) * summed : 0;
  keep_components(
      solved, options.components,
      std::max({of_the_mean, of_products, rounding_threshold(solved, 0, epsilon, report.plan.route)}),
      report);
  watch.lap("solve");

  if (side == Side::features) {
    model.directions_ = solved.spectrum.vectors;
  } else {  // u = X̃ᵀv/√θ
    model.directions_ = centered_transposed_times<T>(points, mean, solved.spectrum.vectors);
    model.directions_ *= solved.spectrum.values.cwiseSqrt().cwiseInverse().template cast<T>().asDiagonal();
    make_orthonormal(model.directions_, run.seed);
  }
  fix_signs<T>(model.directions_);
  model.scores_ = centered_times<T>(points, mean, model.directions_);

  report.method = "pca";
  report.n = samples.rows();
  report.d = samples.cols();
  report.centered = options.center;
  if (options.unbiased && samples.rows() < 2)
    throw Error(ErrorCode::usage, "variances over n − 1 need at least two samples");
  fill_report(report, solved, options.unbiased ? n - 1 : n);
  refuse_contradictions(report, summed);
  watch.lap("scores");
  report.seconds = watch.laps_and_total();
  report.peak_bytes = peak_memory();
  return model;
}

template <class T>
Matrix<T> Pca<T>::do_transform(const Samples<T>& points, const Run& run) const {
  const ThreadScope threads(run);
  return centered_times<T>(scaling_.apply(points), mean_, directions_);
}

template <class T>
Matrix<T> Pca<T>::do_inverse(const MatrixView<T>& scores, const Run& run) const {  // X ≈ Z Uᵀ + μ
  const ThreadScope threads(run);
  Matrix<T> rows = scores * directions_.transpose();
  rows.rowwise() += mean_.template cast<T>().transpose();
  return scaling_.undo(std::move(rows));
}

template <class T>
void Pca<T>::write(ModelWriter& writer) const {
  writer.block("directions", directions_);
  writer.vector("mean", mean_);
  writer.matrix("scores", scores_);
  writer.scaling(scaling_);
}

template <class T>
std::unique_ptr<Model<T>> Pca<T>::read(ModelReader<T>& reader) {
  auto model = std::make_unique<Pca<T>>(Pca<T>());
  reader.restore(*model, {.eigenvalues = ReportParts::always});
  const Index n = model->report_.n, d = model->report_.d, k = model->report_.components;
  reader.require_shape("directions", {d, k});
  reader.require_shape("mean", {d});
  reader.require_shape("scores", {n, k});
  model->directions_ = reader.block("directions");
  model->mean_ = reader.vector("mean");
  model->scores_ = reader.matrix("scores");
  model->scaling_ = reader.scaling();
  return model;
}

template class Pca<float>;
template class Pca<double>;

}  // namespace mercer
