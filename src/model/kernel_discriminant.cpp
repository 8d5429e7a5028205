// Kernel discriminant analysis (mission row M9; Mika et al. 1999, Baudat and Anouar 2000): M α = λ(N + μI)α.
// Dense, or in the coordinates of a low-rank factor: with K = ΦΦᵀ the same problem for w = Φᵀα is
// S_B w = λ(S_W + μ(ΦᵀΦ)⁻¹)w, and with ΦᵀΦ = CCᵀ, w = Cu, it is B̂B̂ᵀu = λ(CᵀS_WC + μI)u, B̂ = CᵀB.
#include <mercer/discriminant.hpp>

#include "base/linalg.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/stopwatch.hpp"
#include "kernel/profile.hpp"
#include "model/class_rule.hpp"
#include "model/class_scatter.hpp"
#include "model/discriminant_report.hpp"
#include "model/kernel_expansion.hpp"
#include "model/model_file.hpp"
#include "model/number_range.hpp"
#include "model/spectral_fit.hpp"
#include "operator/feature_pass.hpp"
#include "operator/gram_rounding.hpp"
#include "operator/scatter_operator.hpp"
#include "plan/discriminant_plan.hpp"
#include "spectral/orthonormal.hpp"

#include <fmt/format.h>

#include <cmath>

namespace mercer {
namespace {

KernelPcaOptions landmark_options(const KernelDiscriminantOptions& options) {
  KernelPcaOptions out;
  out.components = 1;
  out.kernel = options.kernel;
  out.center = false;
  out.scale = options.scale;
  out.route = Route::lowrank;
  out.lowrank = options.lowrank;
  return out;
}

template <class T>
Plan make_kernel_plan(const Samples<T>& samples, const KernelDiscriminantOptions& options, const Run& run,
                      bool measure) {
  const auto n = double(samples.rows()), entries = double(samples.stored());
  const bool given = options.kernel.is_precomputed();
  return plan_discriminant({.matrix = "kernel",
                            .size = samples.rows(),
                            .matrices = 2,
                            .other_bytes = double(samples.bytes()) + 24 * entries,
                            .forming_flops = (given ? 0 : n * entries) + n * n * n,
                            .functions = given ? 0 : n * n / 2,
                            .cure = "raise --memory, or use --route lowrank --rank R"},
                           run, measure);
}

Plan low_rank_plan(Plan plan) {
  plan.problem = "scatter within classes in the coordinates of the landmarks; " + plan.problem;
  return plan;
}

/// Means and scatter within classes of φ over the landmarks, and Σ k(x, x).
struct FeatureScatter {
  Block<double> within, means;
  double diagonal_sum = 0;
};

template <class T>
FeatureScatter scatter_of(const LandmarkBasis<T>& basis, const Samples<T>& points, const Label& label,
                          const Run& run) {
  const auto rows = rows_by_class(label);
  const Index r = basis.rank();
  FeatureScatter out{Block<double>::Zero(r, r), Block<double>(r, static_cast<Index>(rows.size()))};
  for (std::size_t j = 0; j < rows.size(); ++j) {
    FeaturePass<T> pass(basis, true);
    pass.add(points.select_rows(rows[j]), run);
    const FeatureMoments moments = pass.moments(run);
    out.within += moments.scatter;
    out.means.col(static_cast<Index>(j)) = moments.mean;
    out.diagonal_sum += pass.diagonal().sum();
    run.report("classes", double(j + 1) / double(rows.size()));
  }
  out.within = Block<double>(out.within.template selfadjointView<Eigen::Lower>());
  return out;
}

/// C with CCᵀ = the symmetric positive semidefinite matrix, whatever its rank.
Block<double> square_root(Block<double> matrix) {
  Block<double> factor = matrix;
  if (linalg::cholesky(factor) == matrix.rows()) return factor;
  Vector<double> values;
  linalg::syevd(matrix, values);
  return matrix * values.cwiseMax(0).cwiseSqrt().asDiagonal();
}

/// What rounding δK does to an eigenvalue λ of BBᵀα = λ(GGᵀ + μI)α = λLLᵀα: B and G change by ‖δK‖ at most,
/// ‖L⁻¹‖ ≤ 1/√μ, ‖L⁻¹G‖ ≤ 1 and ‖L⁻¹B‖ = √λ₁. With e = ‖δK‖/√μ the numerator is off by 2√λ₁e + e², the
/// denominator by a share of s = 2e + e² at most, so λ by (2√λ₁e + e² + λs)/(1 − s). And whatever rounding
/// does, no eigenvalue is less than 0 or more than ‖B + δB‖²/μ. N = GGᵀ and its factor, of trace tr N, are
/// off by 16ε tr N themselves, which is λ‖α‖/√μ times that.
Vector<double> moved_by(double rounding, const DiscriminantDirections& found, double ridge, double between,
                        double trace) {
  const Vector<double>& values = found.values;
  if (values.size() == 0) return values;
  const double e = rounding / std::sqrt(ridge), root = std::sqrt(std::max(0.0, values[0]));
  const double share = 2 * e + e * e, most = (between + rounding) * (between + rounding) / ridge;
  if (!(share < 1)) return Vector<double>::Constant(values.size(), most);
  const double of_n = 16 * std::numeric_limits<double>::epsilon() * trace / std::sqrt(ridge);
  const Vector<double> lengths = found.vectors.colwise().norm().transpose();
  return ((2 * root * e + e * e + values.array() * share) / (1 - share) +
          of_n * values.array() * lengths.array())
      .cwiseMin(most)
      .matrix();
}

}  // namespace

template <class T>
Plan KernelDiscriminant<T>::plan(const Samples<T>& samples, const KernelDiscriminantOptions& options,
                                 const Run& run) {
  require_options(options);
  if (options.route == Route::lowrank)
    return low_rank_plan(KernelPca<T>::plan(samples, landmark_options(options), run));
  return make_kernel_plan(samples, options, run, true);
}

template <class T>
KernelDiscriminant<T> KernelDiscriminant<T>::fit(const Dataset<T>& data,
                                                 const KernelDiscriminantOptions& options, const Run& run) {
  KernelDiscriminant model = fit(data.samples, classes_of(data), options, run);
  model.columns_ = data.columns;
  return model;
}

template <class T>
KernelDiscriminant<T> KernelDiscriminant<T>::fit(const Samples<T>& samples, const Label& label,
                                                 const KernelDiscriminantOptions& options,
                                                 const Run& caller) {
  require_options(options);
  require_samples(samples);
  const std::vector<Index> sizes = require_classes(label, samples.rows());
  (void)wanted_directions(options.components, sizes.size());
  const SteadyRun steady(caller);
  KernelDiscriminant model;
  Report& report = model.report_;
  report.method = "klda";
  report.n = samples.rows();
  report.d = samples.cols();
  report.centered = false;
  report.precision = precision_of<T>;
  model.scaling_ = Scaling<T>::fit(options.scale, samples);
  if (options.route == Route::lowrank)
    model.fit_low_rank(samples, label, options, steady);
  else
    model.fit_dense(samples, label, options, steady);
  report.kernel = model.kernel_.to_string();
  report.peak_bytes = peak_memory();
  return model;
}

template <class T>
void KernelDiscriminant<T>::fit_dense(const Samples<T>& samples, const Label& label,
                                      const KernelDiscriminantOptions& options, const Run& run) {
  Stopwatch watch;
  Report& report = this->report_;
  report.plan = make_kernel_plan(samples, options, run, false);
  points_ = scaling_.apply(samples);
  options.kernel.check_data(points_);
  if (const auto profile = KernelProfile::of(options.kernel); profile && profile->is_linear())
    require_squares_in_range<double>(points_, Vector<double>::Zero(points_.cols()));
  kernel_ = options.kernel.resolved(points_, run.seed);
  std::vector<Index> sizes = require_classes(label, samples.rows());
  watch.lap("prepare");

  run.report("kernel matrix", 0);
  Matrix<double> k = gram<double>(kernel_, points_.template cast<double>(), run);
  if (!k.allFinite())
    throw Error(ErrorCode::bad_data, fmt::format("kernel {} overflows on this data", kernel_.to_string()),
                "scale the inputs (--scale standardize) or choose smaller parameters");
  watch.lap("kernel");
  const Block<double> means = subtract_class_means(k, label.codes, static_cast<Index>(sizes.size()), run);
  const Block<double> between = between_factor(means, sizes);
  require_distinct_means(means, between, sizes, std::numeric_limits<double>::epsilon());
  Block<double> within = outer_gram(k, run);
  const double trace = within.trace();
  watch.lap("scatter");

  run.report("solve", 0);
  const RidgeCholesky cholesky(std::move(within), options.ridge);
  const DiscriminantDirections found =
      cholesky.solve(between, wanted_directions(options.components, sizes.size()));
  // Nα = G(Gᵀα); the row-major G is a column-major Gᵀ.
  const Eigen::Map<const Block<double>> transposed(k.data(), k.cols(), k.rows());
  Block<double> inner = Block<double>::Zero(found.vectors.rows(), found.vectors.cols());
  linalg::add_product<double>(1, transposed, found.vectors, inner);
  Vector<double> residuals =
      cholesky.residuals(found, between, linalg::transposed_times<double>(transposed, inner));
  residuals +=
      moved_by(2 * gram_rounding<double>(kernel_, points_).norm, found, options.ridge, between.norm(), trace);
  watch.lap("solve");
  k.resize(0, 0);

  alpha_ = (found.vectors * score_scale(samples.rows(), sizes.size())).template cast<T>();
  fix_signs<T>(alpha_);
  if (kernel_.is_precomputed()) points_ = Samples<T>();  // K itself is not part of the model
  if (options.ridge < std::numeric_limits<double>::epsilon() * trace)
    report.notes.push_back(fmt::format(
        "the ridge is beyond the digits of the scatter within classes, whose trace is {:.3g}: what "
        "it keeps apart is rounding",
        trace));
  fill_discriminant_report(report, found, std::move(residuals), options.components, std::move(sizes),
                           options.ridge);
  this->learn_classes(label, do_transform(samples, run));
  watch.lap("scores");
  report.seconds = watch.laps_and_total();
}

template <class T>
void KernelDiscriminant<T>::fit_low_rank(const Samples<T>& samples, const Label& label,
                                         const KernelDiscriminantOptions& options, const Run& run) {
  Stopwatch watch;
  Report& report = this->report_;
  std::vector<Index> sizes = require_classes(label, samples.rows());
  {  // Landmarks, however the memory lets them be found
    const KernelPca<T> basis = KernelPca<T>::fit(samples, landmark_options(options), run);
    kernel_ = basis.kernel();
    points_ = basis.points();
    report.plan = low_rank_plan(basis.report().plan);
    report.notes = basis.report().notes;
    report.notes.push_back(
        fmt::format("low rank: {} landmarks leave out a share of {:.2g} of the trace of the kernel matrix",
                    points_.rows(), basis.report().bounds->remaining_trace / basis.report().trace));
  }
  watch.lap("landmarks");
  IndependentLandmarks independent = independent_landmarks(kernel_, points_, {}, run);
  points_ = points_.select_rows(independent.kept);
  const LandmarkBasis<T> basis(kernel_, points_, std::move(independent.factor));
  const Index r = basis.rank();
  const Samples<T> scaled = scaling_.apply(samples);
  const FeatureScatter scatter = scatter_of(basis, scaled, label, run);
  watch.lap("classes");

  Vector<double> weights(static_cast<Index>(sizes.size()));
  for (std::size_t j = 0; j < sizes.size(); ++j) weights[static_cast<Index>(j)] = double(sizes[j]);
  const Block<double> all = scatter.within + scatter.means * weights.asDiagonal() * scatter.means.transpose();
  const Block<double> root = square_root(all);
  const Block<double> between = between_factor(scatter.means, sizes);
  require_distinct_means(scatter.means, between, sizes, std::numeric_limits<T>::epsilon());
  Block<double> within = linalg::transposed_times<double>(root, scatter.within * root);
  within = (within + within.transpose().eval()) / 2;
  const Block<double> own_between = root.transpose() * between;
  const RidgeCholesky cholesky(within, options.ridge);
  const DiscriminantDirections found =
      cholesky.solve(own_between, wanted_directions(options.components, sizes.size()));
  Vector<double> residuals = cholesky.residuals(found, own_between, within * found.vectors);
  const GramRounding of_values = gram_rounding<T>(kernel_, scaled);
  FeatureMoments moments(r, false);
  moments.scatter = all;
  const double of_features =
      feature_rounding(element_rounding<T>(of_values.relative, r), all.diagonal(), scatter.diagonal_sum,
                       basis.factor(), run) +
      factor_rounding(element_rounding<double>(gram_rounding<double>(kernel_, points_).relative, r), moments,
                      basis.factor()) +
      rounding_of_sums(double(samples.rows())) * all.trace();
  residuals += moved_by(16 * std::max(of_values.norm, of_features), found, options.ridge, own_between.norm(),
                        within.trace());
  // w = Cu, and w·φ(x) = w·L⁻¹k_S(x) = (L⁻ᵀw)·k_S(x).
  Block<double> weights_of_landmarks = root * found.vectors;
  linalg::solve_lower<double>(linalg::Transpose::yes, r, weights_of_landmarks.cols(), basis.factor().data(),
                              r, weights_of_landmarks.data(), r);
  watch.lap("solve");
  alpha_ = (weights_of_landmarks * score_scale(samples.rows(), sizes.size())).template cast<T>();
  fix_signs<T>(alpha_);
  fill_discriminant_report(report, found, std::move(residuals), options.components, std::move(sizes),
                           options.ridge);
  this->learn_classes(label, do_transform(samples, run));
  watch.lap("scores");
  report.seconds = watch.laps_and_total();
}

template <class T>
std::optional<Matrix<T>> KernelDiscriminant<T>::training_points() const {
  if (kernel_.is_precomputed() || points_.rows() != this->report_.n) return std::nullopt;
  return scaling_.undo(points_.to_dense());
}

template <class T>
Matrix<T> KernelDiscriminant<T>::do_transform(const Samples<T>& points, const Run& run) const {
  return kernel_expansion(kernel_, points, scaling_, points_, alpha_,
                          Vector<double>(Vector<double>::Zero(alpha_.cols())), run);
}

template <class T>
void KernelDiscriminant<T>::write(ModelWriter& writer) const {
  writer.set("kernel", kernel_.to_string());
  if (!kernel_.is_precomputed()) writer.samples("points", points_);
  writer.block("alpha", alpha_);
  writer.scaling(scaling_);
  this->write_classes(writer);
}

template <class T>
std::unique_ptr<Model<T>> KernelDiscriminant<T>::read(ModelReader<T>& reader) {
  auto model = std::make_unique<KernelDiscriminant<T>>(KernelDiscriminant<T>());
  reader.restore(*model, {.eigenvalues = ReportParts::always});
  model->kernel_ = reader.kernel();
  model->scaling_ = reader.scaling();
  const bool low_rank = model->report_.plan.route == Route::lowrank;
  const Index n = low_rank ? reader.length("alpha") : model->report_.n;
  reader.require(model->report_.components <= n, "it has more components than points to span them");
  reader.require_shape("alpha", {n, model->report_.components});
  if (model->kernel_.is_precomputed()) {
    reader.require(!low_rank && n == model->report_.d && model->scaling_.kind == Scale::none,
                   "its kernel matrix is not one of all samples as they were given");
  } else {
    model->points_ = reader.points(n, model->scaling_);
    (void)reader.made("its points", [&] { return model->kernel_.check_data(model->points_), true; });
  }
  model->alpha_ = reader.block("alpha");
  model->read_classes(reader);
  return model;
}

template class KernelDiscriminant<float>;
template class KernelDiscriminant<double>;

}  // namespace mercer
