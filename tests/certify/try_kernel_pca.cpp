// Kernel PCA on trial: every route, in memory and in passes, and what becomes of low-rank models afterwards.
#include "trial.hpp"

#include <mercer/kernel_pca.hpp>

namespace certify {
namespace {

using mercer::Index;
using mercer::KernelPca;
using mercer::Matrix;
using mercer::Samples;
using Options = mercer::KernelPcaOptions;

Options options_of(const FitCase& c) {
  Options o;
  o.components = c.components;
  o.kernel = mercer::Kernel::parse(c.kernel.to_string());
  o.center = c.center;
  o.scale = c.scale;
  o.indefinite = c.indefinite;
  o.residual = c.residual;
  o.route = c.route;
  o.delta = c.delta;
  o.lowrank = c.lowrank;
  return o;
}

template <class T>
Samples<T> middle(const FitCase& c, Index first, Index count) {
  return samples_of<T>(c, c.x.middleRows(first, count));
}

/// The model of the case, and which rows of the data it is a model of.
template <class T>
struct Fitted {
  KernelPca<T> model;
  Index first = 0, count = 0;
  bool in_one = true;  ///< fitted at once: exact trace, scores kept
};

template <class T>
Fitted<T> fit(const FitCase& c, int threads) {
  const mercer::Run run = run_of(c, threads);
  const Options options = options_of(c);
  const Index n = c.x.rows(), first = c.chain == Chain::none ? n : c.first_rows;
  const Samples<T> begin = middle<T>(c, 0, first);
  const auto fitted = [&] {
    if (!c.streamed) return KernelPca<T>::fit(begin, options, run);
    const auto rows = mercer::rows_of<T>(begin, std::max<Index>(1, first / 3));
    return KernelPca<T>::fit(*rows, options, run);
  };
  KernelPca<T> model = fitted();
  if (c.chain == Chain::none) return {std::move(model), 0, n, !c.streamed};
  const Samples<T> rest = middle<T>(c, first, n - first);
  if (c.chain == Chain::refit) return {model.refit(rest, c.components, run), first, n - first, false};
  if (c.chain == Chain::merge) {
    const auto shard = model.refit(rest, c.components, run);
    return {KernelPca<T>::merge(model, shard, run), 0, n, false};
  }
  const Index rank = c.chain == Chain::grow ? Index(model.landmarks().size()) + std::max<Index>(2, n / 8) : 0;
  return {model.update(rest, {.max_rank = rank}, run), 0, n, false};
}

template <class T>
const mercer::Scaling<T>* remembered(const KernelPca<T>& model) {
  return model.scaling().kind == mercer::Scale::none ? nullptr : &model.scaling();
}

template <class T>
bool moves_unasked(const FitCase& c, const KernelPca<T>& model) {
  return c.scale == mercer::Scale::none && model.scaling().kind != mercer::Scale::none;
}

/// Rows as the model sees them.
template <class T>
RealMatrix rows_of_model(const FitCase& c, Outcome& out, const KernelPca<T>& model,
                         const Matrix<double>& rows, const Matrix<double>& begin) {
  Outcome unused;  // no mean is promised of a move
  return scaled_rows<T>(moves_unasked(c, model) ? unused : out, rows, begin, model.scaling().kind,
                        remembered(model));
}

/// What rounding makes of Σ_j α_j k(x_j, x): of each kernel value, relative to its arguments, times ‖α‖.
template <class T>
RealVector rounding_of_scores(const KernelPca<T>& model, const KernelTree& kernel, const RealMatrix& rows) {
  const RealMatrix centres = widened<T>(model.points().to_dense());
  const Real reach = sensitivity(kernel, rows, centres).maxCoeff(), unit = std::numeric_limits<T>::epsilon();
  const RealVector lengths = model.alpha().template cast<Real>().colwise().norm().transpose();
  return (8 * Real(centres.rows()) * unit * reach * lengths).array() + std::numeric_limits<T>::min();
}

/// M4 in long double: Σ_j α_j k̃(x_j, x), from the model's α and points and from the rows it was fitted on.
template <class T>
void check_new_points(const FitCase& c, Outcome& out, const KernelPca<T>& model, const KernelTree& kernel,
                      const RealMatrix& rows, const Matrix<double>& begin, bool low_rank) {
  const Matrix<double> raw = new_points(c);
  const RealMatrix points = rows_of_model<T>(c, out, model, raw, begin);
  const RealMatrix centres = widened<T>(model.points().to_dense());
  const RealMatrix k = evaluate(kernel, points, centres);
  const RealMatrix own = evaluate(kernel, rows, centres);
  const RealMatrix alpha = model.alpha().template cast<Real>();
  RealMatrix expected = k * alpha;
  if (c.center) {
    const Eigen::Matrix<Real, 1, Eigen::Dynamic> means = own.colwise().mean();
    expected.rowwise() -= means * alpha;
    if (!low_rank) {
      const RealVector of_point = evaluate(kernel, points, rows).rowwise().mean();
      const Real whole = means.mean();
      const Eigen::Matrix<Real, 1, Eigen::Dynamic> sums = alpha.colwise().sum();
      for (Index i = 0; i < expected.rows(); ++i) expected.row(i) += (whole - of_point[i]) * sums;
    }
  }
  const RealMatrix found = widened<T>(model.transform(samples_of<T>(c, raw), {.threads = 1}));
  RealMatrix all(points.rows() + rows.rows(), points.cols());
  all << points, rows;
  const RealVector rounding = rounding_of_scores<T>(model, kernel, all);
  const Real quarter = std::pow(Real(std::numeric_limits<T>::epsilon()), 0.25L);
  for (Index j = 0; j < found.cols(); ++j) {
    out.within("new points are where the formula puts them",
               (found.col(j) - expected.col(j)).cwiseAbs().maxCoeff(),
               low_rank ? std::max(4 * rounding[j], quarter * expected.col(j).norm()) : rounding[j],
               "component " + std::to_string(j + 1));
  }
}

/// Of a size whose squares and products stay within the numbers' range.
bool is_moderate(Real size, bool single) {
  const Real most = single ? 1e15L : 1e35L;  // stored tiles are planes of float
  return size == 0 || (size < most && size > 1 / most);
}

/// Every row is: one far point does not make the others moderate.
bool are_moderate(const RealMatrix& rows, bool single) {
  for (Index i = 0; i < rows.rows(); ++i)
    if (!is_moderate(rows.row(i).cwiseAbs().maxCoeff(), single)) return false;
  return true;
}

template <class T>
void check_refusal(const FitCase& c, Outcome& out, const mercer::Error& error) {
  Outcome unused;
  // Later rows are scaled by the moments of the first.
  const Matrix<double> begin = c.x.topRows(c.chain == Chain::none ? c.x.rows() : c.first_rows);
  const RealMatrix rows = scaled_rows<T>(unused, c.x, begin, c.scale, nullptr);
  const RealMatrix raw = evaluate(c.kernel, rows.topRows(std::min<Index>(rows.rows(), 200)), rows);
  const Real most = raw.cwiseAbs().maxCoeff();
  const bool single = c.precision == mercer::Precision::float32;
  if (error.code() == mercer::ErrorCode::bad_data ||
      (error.code() == mercer::ErrorCode::not_converged && c.residual == 0))
    out.holds("data of moderate size are not refused",
              !(is_moderate(most, single) && are_moderate(rows, single) && are_moderate(raw, single) &&
                are_moderate(c.x.cast<Real>(), single)),
              error.what());
  if (error.code() == mercer::ErrorCode::not_psd && c.route != mercer::Route::lowrank &&
      !c.kernel.has_width_of_data()) {
    const Truth truth = truth_of_kernel(c.kernel, rows, c.center);
    const Real lowest = truth.size() ? truth.values[truth.size() - 1] : 0;
    out.holds("kernels are called indefinite where they are", lowest < 0, error.what());
  }
}

template <class T>
void check_threads(const FitCase& c, Outcome& out, const KernelPca<T>& model, const Samples<T>& points) {
  const Fitted<T> other = fit<T>(c, c.threads == 1 ? 2 : 1);
  check_same<T>(out, "threads change nothing", model, other.model, points);
}

template <class T>
void check_low_end(const FitCase& c, Outcome& out, const mercer::Report& report, const Truth& truth) {
  if (!report.min_eigenvalue || truth.size() == 0) return;
  if (truth.raw_largest < 1e-290L) return;  // 0 in double, where the reference has more exponents
  // Rounding of the kernel's values is in the residuals.
  const Real of_values = report.components > 0 ? report.residuals.maxCoeff() : 0;
  const Real lowest = truth.values[truth.size() - 1],
             slack = rounding_of(truth) + 16 * 0x1p-52L * truth.mean_part + of_values;
  out.within("the smallest eigenvalue is no less than the true one", lowest - *report.min_eigenvalue, slack);
  if (report.plan.route == mercer::Route::dense)
    out.within("the smallest eigenvalue is right", *report.min_eigenvalue - lowest, slack);
  // The lower end is found to a looser tolerance, relative to what centring subtracts from.
  const Real found_to = std::is_same_v<T, float> ? 2e-5L : 2e-8L;
  if (c.indefinite == mercer::Indefinite::error)
    out.holds(
        "clearly indefinite kernels are refused",
        !(lowest < -1e-4L * truth.at(0) - found_to * truth.mean_part),
        "smallest " + std::to_string(double(lowest)) + ", largest " + std::to_string(double(truth.at(0))));
}

/// Σ_j α_j k̃(x_j, x_i) = √θ v_i, up to the residual and to rounding of the kernel's values.
template <class T>
void check_training_scores(Outcome& out, const mercer::Report& report, const Truth& truth,
                           const Matrix<T>& scores, const Matrix<T>& transformed, Real reach) {
  const Real root = std::sqrt(Real(scores.rows()));
  const Real rounding = 4 * root * Real(std::numeric_limits<T>::epsilon()) *
                        std::max({truth.largest(), truth.mean_part, root * reach});
  for (Index j = 0; j < scores.cols(); ++j)
    out.within("training points transformed are their scores",
               (widened<T>(transformed).col(j) - widened<T>(scores).col(j)).norm(),
               (report.residuals[j] + rounding) / std::sqrt(Real(report.gram_eigenvalues[j])),
               "component " + std::to_string(j + 1));
}

/// Components that stand out from rounding are not left out; low rank: by a tolerance not all of them.
void check_clear_components(const FitCase& c, Outcome& out, const mercer::Report& report, const Truth& truth,
                            bool low_rank, Real unit, Real found_to) {
  if (c.components.share > 0 || (low_rank && (c.lowrank.tolerance == 0 || c.chain != Chain::none))) return;
  const Real floor = std::max(
      {1e-300L, 1e-3L * truth.at(0), found_to * truth.largest(),
       (low_rank ? 1e6L : 64) * std::sqrt(Real(truth.size())) * unit * (truth.mean_part + truth.largest())});
  const Index clear = (truth.values.array() > floor).count();
  out.holds("components that are clearly there are found",
            low_rank ? clear == 0 || report.components > 0
                     : report.components >= std::min(clear, c.components.count),
            std::to_string(report.components) + " found, " + std::to_string(clear) + " clear");
}

template <class T>
void try_in(const FitCase& c, Outcome& out) {
  std::optional<Fitted<T>> fitted;
  try {
    fitted.emplace(fit<T>(c, c.threads));
  } catch (const mercer::Error& error) {
    check_refusal<T>(c, out, error);
    throw;
  }
  const KernelPca<T>& model = fitted->model;
  const mercer::Report& report = model.report();
  const bool low_rank = report.plan.route == mercer::Route::lowrank;
  const double unit = low_rank ? std::numeric_limits<T>::epsilon() : std::numeric_limits<double>::epsilon();

  const Matrix<double> begin = c.x.topRows(c.chain == Chain::none ? c.x.rows() : c.first_rows);
  const Matrix<double> given = c.x.middleRows(fitted->first, fitted->count);
  const RealMatrix rows = rows_of_model<T>(c, out, model, given, begin);
  const KernelTree kernel = c.kernel.resolved_as(report.kernel);
  // Rows that were moved to the origin unasked are compared with those that were not.
  const Truth truth = truth_of_kernel(
      kernel, moves_unasked(c, model) ? RealMatrix(widened<T>(given.cast<T>())) : rows, c.center);

  if (!out.holds("values beyond the numbers' range are refused", truth.raw_largest < 1e308L)) return;

  out.scale = std::max(truth.largest(), Real(1e-300L));
  SpectrumClaims claims;
  claims.delta = c.delta;
  claims.unit = unit;
  claims.moved = c.center && c.scale == mercer::Scale::none && c.kernel.has("linear");
  claims.trace = low_rank && c.center &&
                         (!fitted->in_one || std::any_of(report.notes.begin(), report.notes.end(),
                                                         [](const auto& note) {
                                                           return note.find("upper end") != std::string::npos;
                                                         }))
                     ? TraceClaim::upper
                     : TraceClaim::exact;
  claims.clipped =
      report.min_eigenvalue && *report.min_eigenvalue < 0 && c.indefinite != mercer::Indefinite::error;
  check_spectrum(out, report, truth, claims);
  check_low_end<T>(c, out, report, truth);
  // In float the iterations end at residuals of 1e-5 of the largest eigenvalue.
  const bool rough = std::is_same_v<T, float> && !low_rank && report.plan.route != mercer::Route::dense;
  // Differences of nearly equal rows at the lower end of the range have no digits.
  if (are_moderate(c.x.cast<Real>(), false))
    check_clear_components(c, out, report, truth, low_rank, unit, rough ? 1e-4 : 0);
  if (report.components == 0) return;

  const Samples<T> whole = middle<T>(c, fitted->first, fitted->count);
  const Matrix<T> transformed = model.transform(whole, {.threads = c.threads});
  Matrix<T> scores = transformed;
  if (fitted->in_one) scores = model.scores();
  // Of a model fitted in passes the scores are those of new points, with the rounding of these.
  RealVector rounding = RealVector::Zero(report.components);
  if (!fitted->in_one) rounding = rounding_of_scores<T>(model, kernel, rows) * std::sqrt(Real(rows.rows()));
  // Where the basis grew, points that were there before have no coordinates on the new functions, and new
  // points have.
  const bool grown = c.chain == Chain::grow;
  if (!grown)
    check_scores(out, report, truth, widened<T>(scores), std::numeric_limits<T>::epsilon(), rounding);
  if (fitted->in_one && low_rank) {
    const RealVector allowed = rounding_of_scores<T>(model, kernel, rows) * std::sqrt(Real(rows.rows()));
    const Real quarter =
        std::pow(Real(std::numeric_limits<T>::epsilon()), 0.25L);  // of the digits: what is promised
    for (Index j = 0; j < scores.cols(); ++j)
      out.within("training points transformed are their scores",
                 (widened<T>(transformed).col(j) - widened<T>(scores).col(j)).norm(),
                 std::max(4 * allowed[j], quarter * std::sqrt(Real(report.gram_eigenvalues[j]))),
                 "component " + std::to_string(j + 1));
  }
  if (fitted->in_one && !low_rank)
    check_training_scores<T>(out, report, truth, scores, transformed,
                             sensitivity(kernel, rows, rows).maxCoeff());
  if (!grown) check_new_points<T>(c, out, model, kernel, rows, begin, low_rank);
  const Samples<T> points = samples_of<T>(c, new_points(c));
  if (c.saved) check_saved<T>(out, model, points);
  // LAPACK's own threads share out a large dense problem by their number; so is that of very many components.
  const bool lapack = report.plan.route == mercer::Route::dense || c.components.count >= 250;
  if (c.other_threads && !lapack) check_threads<T>(c, out, model, points);
}

}  // namespace

void try_kernel_pca(const FitCase& c, Outcome& out) {
  mercer::with_precision(c.precision, [&]<class T>() { try_in<T>(c, out); });
}

}  // namespace certify
