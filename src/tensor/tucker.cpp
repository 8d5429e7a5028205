// Tucker's decomposition as a model (mission row M14). The mode-s unfolding of X̂ is U_s G₍ₛ₎ Wᵀ, W the
// Kronecker product of the other factors, and G₍ₛ₎ = P S Qᵀ: W Q is an orthonormal basis of the samples that
// the model can represent, and z = x W Q are a sample's scores.
#include <mercer/tucker.hpp>

#include "base/at.hpp"
#include "base/linalg.hpp"
#include "base/parallel.hpp"
#include "base/stopwatch.hpp"
#include "spectral/orthonormal.hpp"
#include "tensor/array_check.hpp"
#include "tensor/hooi.hpp"
#include "tensor/mode_product.hpp"
#include "tensor/model_parts.hpp"
#include "tensor/sample_rows.hpp"
#include "tensor/sparse_rows.hpp"
#include "tensor/sparse_tucker.hpp"
#include "tensor/tucker_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

/// Elements of samples taken at a time.
constexpr Index core_elements = Index{1} << 24;
/// Rounding may push a promised error over the edge: so often the ranks are sought again for a smaller one.
constexpr int most_attempts = 5;

/// Which modes had their bases from what, for the notes.
std::string in_words(const std::vector<TuckerStep>& steps) {
  std::vector<std::string> turns;
  for (const TuckerStep& step : steps)
    turns.push_back(fmt::format("{} ({})", step.mode, name_of(step.route)));
  return fmt::format("{}", fmt::join(turns, ", "));
}

double relative_error(double squared_error, double total) {
  return total > 0 ? std::sqrt(std::max(0.0, squared_error) / total) : 0;
}

/// Q of G₍ₛ₎ = P S Qᵀ, as columns.
template <class T>
Block<double> right_vectors(const Tensor<T>& core, Index mode) {
  Block<double> q = unfold<T>(core, mode).template cast<double>().transpose();
  Block<double> r = linalg::qr<double>(q);
  Vector<double> values;
  linalg::svd(r, values);
  return q * r;
}

}  // namespace

TuckerMethod parse_tucker_method(std::string_view name) {
  if (name == "st-hosvd") return TuckerMethod::st_hosvd;
  if (name == "hosvd") return TuckerMethod::hosvd;
  throw Error(ErrorCode::usage, fmt::format("'{}' is no method of Tucker's decomposition", name),
              "st-hosvd or hosvd");
}

/// A fit under way: what dense and sparse arrays share.
template <class T>
struct Tucker<T>::Fit {
  const TuckerOptions& options;
  const Run& run;
  TuckerProblem problem;
  double total = 0;  ///< ‖X‖²
  Stopwatch watch = {};
  Tucker model = {};
  HooiSweeps sweeps = {.errors = {}, .converged = true};

  Fit(const Shape& shape, const TuckerOptions& given, const Run& by)
      : options(given), run(by), problem(tucker_problem(shape, given, least_error<T>, sizeof(T))) {}

  /// The promised error holds for what was measured.
  TuckerParts<T> truncated(const TensorView<T>& x, const std::vector<TuckerStep>& steps,
                           const std::function<double(TuckerParts<T>&)>& measured) {
    const double asked = std::max(options.error, least_error<T>);
    double budget = asked * asked * total;
    for (int attempt = 1;; ++attempt) {
      TuckerParts<T> parts = problem.sequential ? sequential_hosvd(x, problem, steps, budget, run)
                                                : plain_hosvd(x, problem, steps, budget, total, run);
      watch.lap("bases");
      const double error = measured(parts);
      watch.lap("error");
      if (!problem.ranks.empty() || options.error == 0 || error <= options.error) return parts;
      if (attempt == most_attempts) {
        problem.notes.push_back("rounding keeps the error above the one that was asked for");
        return parts;
      }
      budget *= 0.9 * (asked / error) * (asked / error);
    }
  }

  template <class U>
  Tucker finish(TuckerParts<U>& parts, Index known) {
    const Index s = problem.sample_mode;
    require_budget(finishing_bytes(double(parts.core.count()), double(parts.samples.count()), false), run,
                   fmt::format("a core of {} and its scores", to_string(parts.core.shape())));
    Block<double> basis = right_vectors(parts.core, s);
    const Block<double> samples = unfold<U>(parts.samples, s).template cast<double>();
    Block<double> scores = samples * basis;
    Block<double> turned = scores;  // the largest score of a component is positive
    fix_signs<double>(turned);
    for (Index c = 0; c < scores.cols(); ++c)
      if (scores.col(c).dot(turned.col(c)) < 0) basis.col(c) = -basis.col(c);
    model.score_basis_ = basis.template cast<T>();
    model.scores_ = turned.template cast<T>();
    model.core_ = Tensor<T>(parts.core.shape(), parts.core.values().template cast<T>());
    model.shape_ = problem.shape;
    model.sample_mode_ = s;
    Decomposition d;
    d.shape = problem.shape;
    d.sample_mode = s;
    d.ranks = parts.ranks();
    d.known = known;
    d.kept = parts.core.count();
    for (const Block<U>& factor : parts.factors) {
      d.kept += factor.size();
      model.factors_.push_back(factor.template cast<T>());
    }
    d.relative_error = relative_error(parts.squared_error, total);
    d.explained = 1 - d.relative_error * d.relative_error;
    d.mode_values = std::move(parts.values);
    d.errors = std::move(sweeps.errors);

    Report& report = model.report_;
    report.method = "tucker";
    report.n = problem.shape[at(s)];
    report.d = model.features();
    report.components = d.ranks[at(s)];
    report.components_requested = options.ranks.empty() ? report.components : options.ranks[at(s)];
    report.precision = precision_of<T>;
    report.centered = false;
    report.converged = sweeps.converged;
    if (!sweeps.converged)
      problem.notes.push_back(
          fmt::format("HOOI was stopped after {} sweeps: its error still falls", d.errors.size()));
    report.notes = problem.notes;
    report.decomposition = std::move(d);
    watch.lap("scores");
    report.seconds = watch.laps_and_total();
    report.peak_bytes = peak_memory();
    return std::move(model);
  }
};

template <class T>
Plan Tucker<T>::plan(const Shape& shape, Index stored, const TuckerOptions& options, const Run& run) {
  TuckerProblem problem = tucker_problem(shape, options, least_error<T>, sizeof(T));
  if (stored >= element_count(shape)) return plan_tucker(problem, tucker_steps(problem), run);
  if (problem.sweeps == 0) problem.sweeps = sweeps_for_large_modes(shape);
  return plan_sparse_tucker(problem, stored, run);
}

template <class T>
Tucker<T> Tucker<T>::fit(const TensorView<T>& x, const TuckerOptions& options, const Run& caller) {
  const SteadyRun steady(caller);
  const Run& run = steady;
  Fit fit(x.shape(), options, run);
  const std::vector<TuckerStep> steps = tucker_steps(fit.problem);
  fit.model.report_.plan = plan_tucker(fit.problem, steps, run);
  const TensorView<T> data = packed_copy_if_needed(x, run);
  const double length = checked_norm(data, run);
  const double total = fit.total = length * length;
  fit.watch.lap("prepare");

  const auto measured = [&](TuckerParts<T>& parts) {
    if (lost_in_rounding<T>(parts.squared_error, total))
      parts.squared_error = squared_residual(data, parts.core, parts.factors, run);
    return relative_error(parts.squared_error, total);
  };
  TuckerParts<T> parts = fit.truncated(data, steps, measured);
  fit.problem.notes.push_back(fmt::format(
      "{}, bases of modes {}", fit.problem.sequential ? "ST-HOSVD" : "HOSVD", in_words(parts.steps)));
  if (options.hooi > 0) {
    require_budget(finishing_bytes(double(parts.core.count()), double(parts.samples.count()), true), run,
                   fmt::format("HOOI with a core of {}", to_string(parts.core.shape())));
    const auto after_sweep = [&](TuckerParts<T>& now) {
      const double kept = norm<T>(now.core);
      now.squared_error = std::max(0.0, total - kept * kept);
      return measured(now);
    };
    fit.sweeps =
        hooi<T>(parts, options.sample_mode, dense_sweep(data, parts.factors, options.sample_mode, run),
                after_sweep, relative_error(parts.squared_error, total),
                {.sweeps = options.hooi, .tolerance = options.tolerance}, run);
    fit.watch.lap("HOOI");
  }
  return fit.finish(parts, x.count());
}

template <class T>
Tucker<T> Tucker<T>::fit(const SparseTensor<T>& x, const TuckerOptions& options, const Run& caller) {
  const SteadyRun steady(caller);
  const Run& run = steady;
  Fit fit(x.shape(), options, run);
  if (fit.problem.sweeps == 0) fit.problem.sweeps = sweeps_for_large_modes(x.shape());
  fit.model.report_.plan = plan_sparse_tucker(fit.problem, x.stored(), run);
  const double length = checked_norm(x);
  fit.total = length * length;
  fit.watch.lap("prepare");
  TuckerParts<double> parts = sparse_bases(x, fit.problem, run);
  fit.watch.lap("bases");
  if (fit.problem.sweeps == 0) {
    project_sparse(x, parts, options.sample_mode, fit.total, run);
    fit.problem.notes.push_back("HOSVD: a sparse array is not truncated mode after mode");
  } else {
    fit.sweeps = sparse_hooi(x, parts, options.sample_mode, fit.total,
                             {.sweeps = fit.problem.sweeps, .tolerance = options.tolerance}, run);
    fit.problem.notes.push_back(options.hooi > 0
                                    ? "HOSVD, polished by HOOI"
                                    : "a mode too large for a Gram matrix: HOOI from a random basis of it");
  }
  constexpr Index written_out = Index(1) << 24;
  if (lost_in_rounding<double>(parts.squared_error, fit.total)) {  // of the difference of the norms
    if (element_count(x.shape()) <= written_out) {
      const Tensor<T> dense = x.to_dense();
      Tensor<double> wide(dense.shape());
      wide.values() = dense.values().template cast<double>();
      parts.squared_error = squared_residual<double>(wide.view(), parts.core, parts.factors, run);
    } else if (parts.squared_error < 1e-9 * fit.total) {
      fit.problem.notes.push_back(
          "the error is known to about 1e-7 of the norm: so much the norms of a sparse "
          "array tell");
    }
  }
  fit.watch.lap(fit.problem.sweeps > 0 ? "HOOI" : "core");
  return fit.finish(parts, element_count(x.shape()));  // those not stored are zeros
}

template <class T>
Tensor<T> Tucker<T>::reconstruction(const Run& run) const {
  return mode_products<T>(core_, factors_without(factors_, -1), false, run);
}

template <class T>
Matrix<T> Tucker<T>::do_transform(const Samples<T>& points, const Run& caller) const {
  const SteadyRun steady(caller);
  const Run& run = steady;
  const Index s = this->sample_mode_;
  const std::vector<ModeFactor<T>> others = factors_without(factors_, s);
  if (points.is_sparse()) {
    std::vector<Block<T>> bases;
    for (const ModeFactor<T>& factor : others) bases.push_back(factor.matrix);
    return (project_sparse_rows(points, bases, run) * score_basis_.template cast<double>())
        .template cast<T>();
  }
  const Index step = std::max<Index>(1, core_elements / points.cols());
  const auto rows = points.dense();
  Matrix<T> out(points.rows(), score_basis_.cols());
  for (Index first = 0; first < points.rows(); first += step) {
    const Index count = std::min(step, points.rows() - first);
    const TensorView<T> samples =
        array_of_rows(rows.data() + first * rows.outerStride(), count, rows.outerStride(), this->shape_, s);
    const Tensor<T> projected = mode_products<T>(samples, others, true, run);
    out.middleRows(first, count) = unfold<T>(projected, s) * score_basis_;
    run.report("transform", double(first + count) / double(points.rows()));
  }
  return out;
}

template <class T>
Matrix<T> Tucker<T>::do_inverse(const MatrixView<T>& scores, const Run& caller) const {  // z Qᵀ Wᵀ
  const SteadyRun steady(caller);
  const Run& run = steady;
  const Index s = this->sample_mode_;
  Matrix<T> out(scores.rows(), this->features());
  const Index step = std::max<Index>(1, core_elements / out.cols());
  for (Index first = 0; first < scores.rows(); first += step) {
    const Index count = std::min(step, scores.rows() - first);
    const Block<T> flat = scores.middleRows(first, count) * score_basis_.transpose();
    const Tensor<T> cores = fold<T>(flat, s, with_samples(core_.shape(), s, count));
    const Tensor<T> samples = mode_products<T>(cores, factors_without(factors_, s), false, run);
    out.middleRows(first, count) = rows_of_array<T>(samples.view(), s, run);
  }
  return out;
}

template <class T>
void Tucker<T>::write(ModelWriter& writer) const {
  write_shape(writer, "shape", this->shape_);
  writer.set("sample_mode", this->sample_mode_);
  write_shape(writer, "ranks", core_.shape());
  write_array(writer, "core", core_);
  for (std::size_t m = 0; m < factors_.size(); ++m) writer.block(fmt::format("factor.{}", m), factors_[m]);
  writer.block("score_basis", score_basis_);
  writer.matrix("scores", scores_);
}

template <class T>
std::unique_ptr<Model<T>> Tucker<T>::read(ModelReader<T>& reader) {
  auto model = std::make_unique<Tucker<T>>(Tucker<T>());
  reader.restore(*model, {.decomposition = ReportParts::always});
  model->shape_ = read_shape(reader, "shape");
  model->sample_mode_ = read_mode(reader, "sample_mode", model->shape_);
  const Shape ranks = read_shape(reader, "ranks");
  const Index s = model->sample_mode_;
  const Report& report = model->report_;
  require_decomposition(reader, report, model->shape_, s, ranks);
  if (ranks.size() != model->shape_.size() || report.components != ranks[at(s)])
    reader.damaged(fmt::format("a {} array of rank {} does not fit the rest of it", to_string(model->shape_),
                               to_string(ranks)));
  model->core_ = read_array(reader, "core", ranks);
  for (std::size_t m = 0; m < ranks.size(); ++m) {
    const std::string name = fmt::format("factor.{}", m);
    reader.require_shape(name, {model->shape_[m], ranks[m]});
    model->factors_.push_back(reader.block(name));
  }
  reader.require_shape("score_basis", {model->core_.count() / ranks[at(s)], ranks[at(s)]});
  reader.require_shape("scores", {report.n, report.components});
  model->score_basis_ = reader.block("score_basis");
  model->scores_ = reader.matrix("scores");
  return model;
}

template class Tucker<float>;
template class Tucker<double>;

}  // namespace mercer
