// Kernel PCA (mission rows M3, M4; Schölkopf, Smola, Müller 1998): K̃ = HKH, K̃ v = θ v,
// α = v/√θ, score of x: Σ_j α_j k̃(x_j, x).
#include <mercer/kernel_pca.hpp>
#include <mercer/preimage.hpp>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/stopwatch.hpp"
#include "kernel/profile.hpp"
#include "kernel/tiles.hpp"
#include "kernel/translation.hpp"
#include "model/contradictions.hpp"
#include "model/kernel_expansion.hpp"
#include "model/low_rank_fit.hpp"
#include "model/model_file.hpp"
#include "model/near_origin.hpp"
#include "model/number_range.hpp"
#include "model/row_passes.hpp"
#include "model/shares.hpp"
#include "model/spectral_fit.hpp"
#include "operator/centered.hpp"
#include "operator/gram_operator.hpp"
#include "operator/gram_rounding.hpp"
#include "operator/landmark_approximation.hpp"
#include "spectral/orthonormal.hpp"

#include <fmt/format.h>

#include <cmath>

namespace mercer {
namespace {

/// The data and its copies: scaled, in double, and shifted to the mean where distances would suffer.
template <class T>
void count_data(Problem& p, const Samples<T>& samples, const KernelPcaOptions& options) {
  const double entries = double(samples.stored()), place = samples.is_sparse() ? sizeof(std::int64_t) : 0;
  const bool shifted = options.scale == Scale::none && primitives_of(options.kernel).has(Primitive::sqdist) &&
                       distance_shift(samples).size() > 0;
  p.data_bytes = double(samples.bytes());
  if (options.scale != Scale::none) p.data_bytes += entries * sizeof(T);
  const double in_double = std::is_same_v<T, float> ? entries * (sizeof(double) + place) : 0;
  const double exact = shifted ? entries * sizeof(double) : 0;
  const double rough = entries * (sizeof(float) + place) + (shifted ? entries * sizeof(float) : 0);
  if (options.route == Route::lowrank) {
    // In T; and where the data is small a pass over the exact matrix measures instead of bounding.
    p.data_bytes += shifted ? entries * sizeof(T) : 0;
    if (samples.rows() <= measured_rows) p.data_bytes += in_double + exact + rough;
    return;
  }
  p.data_bytes += in_double;
  p.tile_bytes = exact;
  p.rough_bytes = rough;
}

template <class T>
Problem problem_of(const Samples<T>& samples, const KernelPcaOptions& options) {
  Problem p;
  p.name = "kernel";
  p.size = samples.rows();
  p.components = options.components;
  p.precision = precision_of<T>;
  const double d =
      options.kernel.is_precomputed() ? 1 : double(samples.stored()) / std::max(1.0, double(samples.rows()));
  p.functions = options.kernel.is_precomputed() ? 0 : 1;
  p.element_flops = 2 * d + 20;  // the inner product and the element-wise part
  if (!options.kernel.is_precomputed()) count_data(p, samples, options);
  const Definiteness known = options.kernel.definiteness();
  p.low_rank = known == Definiteness::psd;
  p.indefinite = !p.low_rank && !(known == Definiteness::conditional && options.center);
  p.rank = requested_rank(options.lowrank);
  return p;
}

/// Everything the fit learns from the kernel matrix.
template <class T>
struct KernelSolution {
  Solved<T> solved;
  Vector<double> row_sums;  ///< K·1
  double scale = 0;         ///< ‖K‖ as far as centring subtracts from it
  GramRounding rounding;    ///< of K's elements
  double trace_of_kernel = 0;
};

/// K̃ written out, in double whatever T is, and LAPACK.
template <class T>
KernelSolution<T> solve_by_lapack(const Kernel& kernel, const Samples<T>& points, bool center,
                                  const SolveRequest& request, const Run& run, Stopwatch& watch) {
  run.report("kernel matrix", 0);
  Block<double> full = gram<double>(kernel, points.template cast<double>(), run);
  if (!full.allFinite())
    throw Error(ErrorCode::bad_data, fmt::format("kernel {} overflows on this data", kernel.to_string()),
                "scale the inputs (--scale standardize) or choose smaller parameters");
  KernelSolution<T> out;
  const double largest = full.cwiseAbs().maxCoeff();
  require_kernel_in_range<T>(kernel, largest, full.rows());
  require_kernel_above_zero(kernel, largest, largest == 0 && is_zero(points));
  out.trace_of_kernel = full.trace();
  out.row_sums = row_sums(full);
  out.rounding = gram_rounding<double>(kernel, points, &out.row_sums);
  const double n = double(full.rows()), total = out.row_sums.sum();
  out.scale = std::abs(total) / n;
  if (center) {  // k̃_ij = k_ij − mean_l k_il − mean_l k_lj + mean_lm k_lm
    const Vector<double> means = out.row_sums / n;
    full.colwise() -= means;
    full.rowwise() -= means.transpose();
    full.array() += total / (n * n);
  }
  watch.lap("kernel");
  out.solved = solve_dense<T>(std::move(full), request, run);
  watch.lap("solve");
  return out;
}

/// K by tiles, kept or not, and block Krylov or Davidson; in double, whatever T is.
template <class T>
KernelSolution<T> solve_by_tiles(const Kernel& kernel, const Samples<double>& points, bool center,
                                 const Problem& problem, const Plan& plan, SolveRequest request,
                                 const Run& run, Stopwatch& watch) {
  const bool tiled = plan.route == Route::tiled;
  const double largest = largest_value(KernelTiles<double>(kernel, points), kernel.definiteness(), run);
  require_kernel_in_range<T>(kernel, largest, points.rows());
  require_kernel_above_zero(kernel, largest, largest == 0 && is_zero(points));
  const Storage storage = tiled ? Storage::recomputed : plan.rounded ? Storage::rounded : Storage::stored;
  if (request.residual == 0 && std::is_same_v<T, float>) {
    request.residual = 1e-5;
    request.strict = false;
  }
  // Without the matrix each pass is dear: begin from landmarks where the kernel allows it.
  std::optional<LandmarkApproximation> guess;
  if (tiled && begins_from_landmarks(problem)) {
    const double features = double(points.stored()) / double(points.rows());
    guess.emplace(kernel, points, LandmarkApproximation::suggested_rank(points.rows(), features), center,
                  run);
    request.guess = &*guess;
    request.basis = davidson_basis(problem, plan);
    watch.lap("landmarks");
  }
  const GramOperator gram(kernel, points, storage, run);
  watch.lap("kernel");
  KernelSolution<T> out;
  if (center)
    out.solved = rounded<T>(solve_iteratively<double>(CenteredOperator<double>(gram), request, run));
  else
    out.solved = rounded<T>(solve_iteratively<double>(gram, request, run));
  out.row_sums = *gram.row_sums();
  out.rounding = gram_rounding<double>(kernel, points, &out.row_sums);
  if (storage == Storage::stored)  // two planes of float: 48 bits
    out.rounding.norm += std::ldexp(1.0, -48) * std::sqrt(gram.frobenius_squared().value_or(0));
  out.trace_of_kernel = gram.trace().value();
  out.scale = std::abs(out.row_sums.sum()) / double(points.rows());
  watch.lap("solve");
  return out;
}

/// Is an eigenvalue negative beyond what scikit-learn takes for rounding?
template <class T>
bool clearly_negative(double value, double largest) {
  const bool single = std::is_same_v<T, float>;
  return value < -(single ? 5e-3 : 1e-5) * std::max(0.0, largest) && value < -(single ? 1e-6 : 1e-10);
}

/// Σ of the positive eigenvalues, P, where some are negative: what eigenvalues are shares of.
struct PositivePart {
  double sum = 0;      ///< P, or what is known of it
  bool exact = false;  ///< all eigenvalues were computed
};

/// P − N = tr and N/(P + N) = s, so P = tr(1 − s)/(1 − 2s). As far as eigenvalues are known the sum of those
/// found is a lower bound, and so is this while s < ½: s is that of the larger of both.
template <class T>
PositivePart positive_part_of(const Solved<T>& solved, Route route, bool all) {
  const double found = solved.spectrum.values.cwiseMax(0.0).sum(), s = solved.negative_share.value_or(0);
  const double implied = solved.trace * (1 - s) / (1 - 2 * s);
  const bool sound = std::isfinite(implied) && std::abs(1 - 2 * s) > 1e-6;  // else its digits are gone
  const bool exact = route == Route::dense && all && sound;
  return {std::max(found, exact || (sound && s < 0.5) ? implied : 0.0), exact};
}

/// The leading pairs of all; the next is then the largest that is left out.
template <class T>
void leave_out_beyond(Spectrum<T>& s, Index count) {
  if (count >= s.values.size()) return;
  const double next = std::max(0.0, s.values[count]) + s.residuals.norm();
  s.missed.rigorous = std::max(s.missed.rigorous, next);
  s.missed.probable = std::max(s.missed.probable, next);
  s.values.conservativeResize(count);
  s.residuals.conservativeResize(count);
  s.vectors.conservativeResize(Eigen::NoChange, count);
}

/// LAPACK computes all eigenvalues of matrices that are small, or where many of them are asked for.
bool all_eigenvalues_known(Index n, const Components& asked) {
  return n <= 512 || asked.share > 0 || 4 * asked.count >= n;
}

/// Throws, or notes that the positive part is kept. `of_positive`: a share asked for is one of that part.
template <class T>
std::optional<PositivePart> judge_negative_spectrum(Solved<T>& solved, const Kernel& kernel,
                                                    const KernelPcaOptions& options, double threshold,
                                                    Route route, bool of_positive, Report& report) {
  if (!solved.min_eigenvalue) return std::nullopt;
  if (*solved.min_eigenvalue >= -threshold) {  // rounding
    solved.negative_share = 0;
    return std::nullopt;
  }
  const std::string finding = fmt::format(
      "kernel {} is not positive semidefinite on this data: the smallest eigenvalue is {:.4g}, "
      "at least {:.2g} % of the spectrum is negative",
      kernel.to_string(), *solved.min_eigenvalue, 100 * solved.negative_share.value_or(0));
  bool refuse = options.indefinite == Indefinite::error, shares = false;
  if (const Vector<double>& found = solved.spectrum.values;
      options.indefinite == Indefinite::asked && found.size() > 0) {
    shares = !clearly_negative<T>(*solved.min_eigenvalue, found[0]);
    refuse = options.components.share == 0 && clearly_negative<T>(found[found.size() - 1], found[0]);
  }
  if (refuse)
    throw Error(ErrorCode::not_psd, finding,
                "keep the positive part with --indefinite clip, or choose another kernel");
  if (options.components.share > 0 && !shares && !of_positive)
    throw Error(ErrorCode::usage, "a share of variance is not known here: " + finding,
                "ask for a number of components");
  const Index n = solved.spectrum.vectors.rows();
  const PositivePart part = positive_part_of(solved, route, all_eigenvalues_known(n, options.components));
  report.notes.push_back(
      finding + "; the positive part is kept, and shares are of " +
      (part.exact
           ? fmt::format("its eigenvalues' sum, {:.6g}", part.sum)
           : fmt::format("its eigenvalues' sum, of which {:.6g} is known: at most so much", part.sum)));
  return part;
}

}  // namespace

Indefinite parse_indefinite(std::string_view name) {
  if (name == "error") return Indefinite::error;
  if (name == "clip") return Indefinite::clip;
  if (name == "asked") return Indefinite::asked;
  throw Error(ErrorCode::usage, fmt::format("'{}' is no way to treat an indefinite kernel", name),
              "error, clip or asked");
}

Landmarks parse_landmarks(std::string_view name) {
  if (name == "pivoted") return Landmarks::pivoted;
  if (name == "uniform") return Landmarks::uniform;
  if (name == "kmeans") return Landmarks::kmeans;
  throw Error(ErrorCode::usage, fmt::format("'{}' is no way to choose landmarks", name),
              "pivoted, uniform or kmeans");
}

template <class T>
Plan KernelPca<T>::plan(const Samples<T>& samples, const KernelPcaOptions& options, const Run& run) {
  require_solvable(options.components, options.residual);
  if (options.route == Route::lowrank) require_low_rank(options, samples.rows());
  const Problem problem = problem_of(samples, options);
  Plan plan = make_plan(problem, options.route, run);
  estimate_seconds(plan, problem, run);
  return plan;
}

template <class T>
KernelPca<T> KernelPca<T>::fit(const Dataset<T>& data, const KernelPcaOptions& options, const Run& run) {
  KernelPca model = fit(data.samples, options, run);
  model.label_ = data.label;
  model.columns_ = data.columns;
  return model;
}

template <class T>
KernelPca<T> KernelPca<T>::fit(const Samples<T>& samples, const KernelPcaOptions& options, const Run& run) {
  require_solvable(options.components, options.residual);
  require_samples(samples);
  if (options.kernel.is_precomputed() && options.scale != Scale::none)
    throw Error(ErrorCode::usage, "a precomputed kernel matrix cannot be scaled like samples",
                "leave out --scale");
  if (options.route == Route::lowrank) {
    KernelPcaOptions near_origin = options;
    if (moves_to_the_origin(samples, options)) near_origin.scale = Scale::center;
    return LowRankFit<T>::fit(samples, options, problem_of(samples, near_origin), run);
  }
  const ThreadScope threads(run);
  Stopwatch watch;
  KernelPca model;
  Report& report = model.report_;
  const Problem problem = problem_of(samples, options);
  report.plan = make_plan(problem, options.route, run);
  estimate_seconds_if_known(report.plan, problem, run);
  model.scaling_ = scaling_for_fit(samples, options);
  model.points_ = model.scaling_.apply(samples);
  options.kernel.check_data(model.points_);
  model.kernel_ = options.kernel.resolved(model.points_, run.seed);
  if (const auto profile = KernelProfile::of(model.kernel_); profile && profile->is_linear())
    require_squares_in_range<double>(model.points_, Vector<double>::Zero(samples.cols()));
  watch.lap("prepare");

  const Definiteness known = model.kernel_.definiteness();
  SolveRequest request;
  request.components = options.components;
  request.residual = options.residual;
  request.delta = options.delta;
  request.known_psd = known == Definiteness::psd || (known == Definiteness::conditional && options.center);
  const Route route = report.plan.route;
  // A share of the positive part is known once all eigenvalues are.
  const bool of_positive = options.components.share > 0 && options.indefinite == Indefinite::clip &&
                           !request.known_psd && route == Route::dense;
  if (of_positive) request.components = samples.rows();
  KernelSolution<T> solution =
      route == Route::dense
          ? solve_by_lapack(model.kernel_, model.points_, options.center, request, run, watch)
          : solve_by_tiles<T>(model.kernel_, model.points_.template cast<double>(), options.center, problem,
                              report.plan, request, run, watch);
  Spectrum<T>& spectrum = solution.solved.spectrum;

  const double n = double(samples.rows());
  const double epsilon = std::numeric_limits<double>::epsilon();  // kernel matrices are in double
  const double threshold =
      std::max(rounding_threshold(solution.solved, options.center ? solution.scale : 0, epsilon, route),
               solution.rounding.norm);
  allow_for_rounding(solution.solved, solution.rounding);
  // The other end of the spectrum is found to a looser tolerance than the components themselves.
  const double found_to = route == Route::dense ? 0 : (std::is_same_v<T, float> ? 1e-5 : 1e-8);
  const double largest = spectrum.values.size() ? std::abs(spectrum.values[0]) : 0;
  const std::optional<PositivePart> positive = judge_negative_spectrum(
      solution.solved, model.kernel_, options,
      std::max(threshold, found_to * std::max(largest, solution.scale)), route, of_positive, report);
  if (of_positive)
    leave_out_beyond(spectrum, count_for_share(spectrum.values.cwiseMax(0.0), options.components.share,
                                               positive ? positive->sum : solution.solved.trace)
                                   .value_or(samples.rows()));
  keep_components(solution.solved, options.components, threshold, report);

  // α = v/√θ. Eigenvectors of HKH with θ > 0 have mean zero; making that exact lets new points be
  // centred by a constant: Σ_j α_j (k(x_j,x) − mean_l k(x_l,x) − mean_l k(x_l,x_j) + mean_lm) =
  // Σ_j α_j k(x_j,x) − Σ_j α_j mean_l k(x_l,x_j).
  if (options.center) subtract_column_means<T>(spectrum.vectors);
  model.alpha_ =
      (spectrum.vectors.template cast<double>() * spectrum.values.cwiseSqrt().cwiseInverse().asDiagonal())
          .template cast<T>();
  model.offset_ = Vector<double>::Zero(spectrum.values.size());
  if (options.center)
    model.offset_ = model.alpha_.template cast<double>().transpose() * solution.row_sums / n;
  if (model.kernel_.is_precomputed()) model.points_ = Samples<T>();  // K itself is not part of the model

  report.method = "kpca";
  report.n = samples.rows();
  report.d = samples.cols();
  report.kernel = model.kernel_.to_string();
  report.centered = options.center;
  fill_report(report, solution.solved, n);
  if (positive && positive->sum > 0) report.explained_variance_ratio = spectrum.values / positive->sum;
  const double asked = options.residual > 0 ? options.residual : (std::is_same_v<T, float> ? 1e-5 : 1e-10);
  const GramRounding& rounding = solution.rounding;
  const bool limited = report.components > 0 && report.residuals.maxCoeff() > 2 * asked * largest,
             hidden = rounding.norm > asked * largest && report.trace > rounding.norm + rounding.trace;
  if (limited || hidden)
    report.notes.push_back(
        fmt::format("the kernel's values are large beside their variation: rounding moves eigenvalues by up "
                    "to {:.2g} and the trace by "
                    "up to {:.2g}{}",
                    rounding.norm, rounding.norm + rounding.trace,
                    model.kernel_.is_precomputed() ? "" : "; try --scale center or --scale standardize"));
  refuse_contradictions(report, std::max(solution.trace_of_kernel, 1e12 * solution.rounding.norm));
  watch.lap("scores");
  report.seconds = watch.laps_and_total();
  report.peak_bytes = peak_memory();
  return model;
}

template <class T>
KernelPca<T> KernelPca<T>::fit(RowSource<T>& rows, const KernelPcaOptions& options, const Run& run) {
  KernelPca model = LowRankFit<T>::fit(rows, options, run);
  model.columns_ = rows.columns();
  if (std::string label = rows.label_column(); !label.empty()) model.label_ = Label{std::move(label)};
  return model;
}

template <class T>
KernelPca<T> KernelPca<T>::update(const Samples<T>& more, const UpdateOptions& options,
                                  const Run& run) const {
  return LowRankFit<T>::update(*this, *rows_of(more), options, run);
}

template <class T>
KernelPca<T> KernelPca<T>::update(RowSource<T>& more, const UpdateOptions& options, const Run& run) const {
  return LowRankFit<T>::update(*this, more, options, run);
}

template <class T>
KernelPca<T> KernelPca<T>::refit(const Samples<T>& samples, const Components& components,
                                 const Run& run) const {
  return LowRankFit<T>::refit(*this, samples, components, run);
}

template <class T>
KernelPca<T> KernelPca<T>::refit(const Dataset<T>& data, const Components& components, const Run& run) const {
  KernelPca model = refit(data.samples, components, run);
  if (data.label) model.label_ = data.label;
  if (!data.columns.empty()) model.columns_ = data.columns;
  return model;
}

template <class T>
KernelPca<T> KernelPca<T>::merge(const KernelPca& a, const KernelPca& b, const Run& run) {
  return LowRankFit<T>::merge(a, b, run);
}

template <class T>
std::vector<Index> KernelPca<T>::landmarks() const {
  if (!low_rank_) return {};
  return {low_rank_->rows.begin(), low_rank_->rows.end()};
}

template <class T>
Vector<double> KernelPca<T>::mean_weights() const {
  const Index n = alpha_.rows();
  if (!this->report_.centered) return Vector<double>::Zero(n);
  if (!low_rank_) return Vector<double>::Constant(n, 1 / double(n));
  Vector<double> weights = low_rank_->moments.mean;  // φ̄ = Σ_s (L⁻ᵀφ̄)_s φ(x_s)
  linalg::solve_lower<double>(linalg::Transpose::yes, n, 1, low_rank_->factor.data(), n, weights.data(), n);
  return weights;
}

template <class T>
Matrix<T> KernelPca<T>::scores() const {  // √θ v = θ α
  if (low_rank_ && scores_.rows() != this->report_.n)
    throw Error(ErrorCode::usage, "this model was fitted in passes, updated or merged, and keeps no scores",
                "transform the points");
  if (low_rank_) return scores_;
  Matrix<T> out(alpha_.rows(), alpha_.cols());  // in double: θ may be beyond float where the scores are not
  for (Index c = 0; c < alpha_.cols(); ++c)
    out.col(c) =
        (alpha_.col(c).template cast<double>() * this->report_.gram_eigenvalues[c]).template cast<T>();
  return out;
}

template <class T>
std::optional<Matrix<T>> KernelPca<T>::training_points() const {
  if (kernel_.is_precomputed() || low_rank_) return std::nullopt;
  return scaling_.undo(points_.to_dense());
}

template <class T>
Matrix<T> KernelPca<T>::do_transform(const Samples<T>& points, const Run& run) const {
  return kernel_expansion(kernel_, points, scaling_, points_, alpha_, offset_, run);
}

template <class T>
Matrix<T> KernelPca<T>::do_inverse(const MatrixView<T>& scores, const Run& run) const {
  return Preimage<T>(*this, {}, run).find(scores, {}, run).points;
}

template <class T>
void KernelPca<T>::write(ModelWriter& writer) const {
  writer.set("kernel", kernel_.to_string());
  if (!kernel_.is_precomputed()) writer.samples("points", points_);
  writer.block("alpha", alpha_);
  writer.vector("offset", offset_);
  writer.scaling(scaling_);
  if (low_rank_) LowRankFit<T>::write(*this, writer);
}

template <class T>
std::unique_ptr<Model<T>> KernelPca<T>::read(ModelReader<T>& reader) {
  auto model = std::make_unique<KernelPca<T>>(KernelPca<T>());
  reader.restore(*model, {.eigenvalues = ReportParts::always, .bounds = ReportParts::maybe});
  model->kernel_ = reader.kernel();
  model->scaling_ = reader.scaling();
  const bool low_rank = reader.has("landmarks");
  const Index n = low_rank ? reader.length("landmarks.rows") : model->report_.n;
  const Index k = model->report_.components;
  reader.require(k <= n, "it has more components than points to span them");
  reader.require_shape("alpha", {n, k});
  reader.require_shape("offset", {k});
  if (model->kernel_.is_precomputed()) {
    reader.require(!low_rank && n == model->report_.d && model->scaling_.kind == Scale::none,
                   "its kernel matrix is not one of all samples as they were given");
  } else {
    model->points_ = reader.points(n, model->scaling_);
    (void)reader.made("its points", [&] { return model->kernel_.check_data(model->points_), true; });
  }
  model->alpha_ = reader.block("alpha");
  model->offset_ = reader.vector("offset");
  if (low_rank) LowRankFit<T>::read(*model, reader);
  return model;
}

template class KernelPca<float>;
template class KernelPca<double>;

}  // namespace mercer
