// CP as a model: the starts, the best of them in its normal form, what the report says of it, and transform.
#include <mercer/cp.hpp>

#include "base/at.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/stopwatch.hpp"
#include "model/model_file.hpp"
#include "tensor/core_consistency.hpp"
#include "tensor/cp_als.hpp"
#include "tensor/cp_plan.hpp"
#include "tensor/cp_scores.hpp"
#include "tensor/cp_start.hpp"
#include "tensor/degeneracy.hpp"
#include "tensor/model_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

constexpr Index more_starts = 3;       ///< random ones, where HOSVD's did not do
constexpr Index cheap_starts = 9;      ///< where they cost next to nothing: a local minimum shows only so
constexpr double cheap_flops = 5e9;    ///< of a start
constexpr double exact_enough = 1e-6;  ///< relative error that no other start need beat

/// Entries of an array as a count; the largest there is where it cannot be counted.
Index as_count(double entries) {
  return entries < 9e18 ? static_cast<Index>(entries) : std::numeric_limits<Index>::max();
}

template <class T>
struct Starts {
  CpFit<T> best;
  Index tried = 0;
};

/// The smaller error; of two that are nearly the same the one that has converged.
template <class T>
bool better(const CpFit<T>& a, const CpFit<T>& b) {
  const double first = a.errors.back(), second = b.errors.back();
  if (a.converged != b.converged && std::abs(first - second) <= 1e-3 * std::max(first, second))
    return a.converged;
  return first < second;
}

template <class T>
Starts<T> fit_from_starts(CpData<T>& data, const CpOptions& options, double sweep_flops, const Run& run) {
  Starts<T> out;
  const auto use = [&](Kruskal<T> start) {
    CpFit<T> fit = alternate(data, std::move(start), options, run);
    if (out.tried++ == 0 || better(fit, out.best)) out.best = std::move(fit);
  };
  if (options.start != CpStart::random) use(hosvd_start(data, options.rank, options.nonnegative, run));
  const bool choose = options.start == CpStart::automatic && options.starts == 0;
  const auto doubtful = [&] {
    const CpFit<T>& best = out.best;
    return !best.converged || 2 * best.slow_sweeps > static_cast<Index>(best.errors.size()) ||
           !cancelling_pairs(best.model, run).empty();
  };
  Index wanted = std::max<Index>(1, options.starts);
  bool cheap = false;
  if (choose && out.best.errors.back() > exact_enough) {
    cheap = sweep_flops * double(out.best.errors.size()) < cheap_flops;
    wanted += cheap ? cheap_starts : doubtful() ? more_starts : 0;
  }
  for (Index number = 1; out.tried < wanted; ++number) {
    use(random_start<T>(data.shape(), options.rank, options.nonnegative, number, run));
    if (choose && !cheap && !doubtful()) break;
  }
  return out;
}

template <class T>
std::vector<std::string> unknown_indices(CpData<T>& data, const Run& run) {
  std::vector<std::string> notes;
  if (!data.weights) return notes;
  std::vector<Matrix<T>> ones;
  for (const Index size : data.shape()) ones.push_back(Matrix<T>::Ones(size, padded(1)));
  Matrix<T> sums;
  for (Index mode = 0; mode < data.order(); ++mode) {
    data.weights->product(mode, ones, sums, run);
    const Index none = (sums.col(0).array() == 0).count();
    if (none == 0) continue;
    Index first = 0;
    while (sums(first, 0) != 0) ++first;
    notes.push_back(
        fmt::format("no entry is known at {} of the {} indices of mode {} (the first: {}): their rows "
                    "of the factor are zero",
                    none, data.size(mode), mode, first));
  }
  data.all_changed();
  return notes;
}

[[noreturn]] void refuse_unfinished(const std::vector<double>& errors, double fall, Index starts,
                                    const std::vector<std::string>& warnings) {
  std::string message = fmt::format(
      "after {} sweeps{} the relative error {:.4g} still changes by {:.2g} a sweep", errors.size(),
      starts > 1 ? fmt::format(" of each of {} starts", starts) : "", errors.back(), std::abs(fall));
  for (const std::string& warning : warnings) message += "; " + warning;
  throw Error(ErrorCode::not_converged, message,
              "more sweeps, a larger tolerance or a smaller rank; or take what there is: --partial");
}

}  // namespace

CpStart parse_cp_start(std::string_view name) {
  if (name == "auto") return CpStart::automatic;
  if (name == "random") return CpStart::random;
  if (name == "hosvd") return CpStart::hosvd;
  throw Error(ErrorCode::usage, fmt::format("'{}' is no start of CP", name), "auto, random or hosvd");
}

template <class T>
Plan Cp<T>::plan(const Shape& shape, Index stored, const CpOptions& options, const Run& run) {
  require_sensible(shape, options);
  double entries = 1;
  for (const Index size : shape) entries *= double(size);
  const bool sparse = stored > 0 && double(stored) < entries;
  return plan_cp({.shape = shape,
                  .sparse = sparse,
                  .stored = sparse ? double(stored) : entries,
                  .weighted = options.missing,
                  .element = sizeof(T)},
                 options, run);
}

template <class T>
Cp<T> Cp<T>::fit(const TensorView<T>& x, const CpOptions& options, const Run& run) {
  require_sensible(x.shape(), options);
  Plan plan = plan_cp(
      {.shape = x.shape(), .stored = double(x.count()), .weighted = options.missing, .element = sizeof(T)},
      options, run);
  const SteadyRun steady(run);
  return fit_to(*dense_cp_data<T>(x, nullptr, options.missing, steady), std::move(plan), options, steady);
}

template <class T>
Cp<T> Cp<T>::fit(const SparseTensor<T>& x, const CpOptions& options, const Run& run) {
  (void)element_count(x.shape());  // models number the entries of a sample
  require_sensible(x.shape(), options);
  Plan plan = plan_cp({.shape = x.shape(),
                       .sparse = true,
                       .stored = double(x.stored()),
                       .weighted = options.missing,
                       .element = sizeof(T)},
                      options, run);
  const SteadyRun steady(run);
  return fit_to(*sparse_cp_data<T>(x, options.missing, steady), std::move(plan), options, steady);
}

template <class T>
Cp<T> Cp<T>::fit(const TensorView<T>& x, const TensorView<T>& weights, const CpOptions& options,
                 const Run& run) {
  require_sensible(x.shape(), options);
  Plan plan =
      plan_cp({.shape = x.shape(), .stored = double(x.count()), .weighted = true, .element = sizeof(T)},
              options, run);
  const SteadyRun steady(run);
  return fit_to(*dense_cp_data<T>(x, &weights, options.missing, steady), std::move(plan), options, steady);
}

template <class T>
Cp<T> Cp<T>::fit_to(CpData<T>& data, Plan plan, const CpOptions& options, const Run& run) {
  Stopwatch watch;
  Cp model;
  model.shape_ = data.shape();
  model.sample_mode_ = options.sample_mode;
  model.nonnegative_ = options.nonnegative;
  model.gaps_ = options.missing || (data.weights && data.known < element_count(data.shape()));
  Report& report = model.report_;
  report.plan = std::move(plan);
  report.notes = unknown_indices(data, run);
  watch.lap("prepare");

  Starts<T> starts = fit_from_starts(data, options, report.plan.flops / usual_cp_sweeps, run);
  CpFit<T>& best = starts.best;
  bring_into_normal_form(best.model, options.sample_mode);
  watch.lap("sweeps");

  Decomposition d;
  d.warnings = degeneracy_warnings(best, std::sqrt(data.squared_norm), run);
  if (!best.converged && !options.allow_partial)
    refuse_unfinished(best.errors, best.last_fall, starts.tried, d.warnings);
  if (!best.converged)
    report.notes.push_back(
        fmt::format("not converged: the last of {} sweeps still changed the relative error by "
                    "{:.2g}",
                    best.errors.size(), std::abs(best.last_fall)));
  if (data.order() == 2)
    report.notes.push_back(
        "the factors of a 2-way array are not unique: any invertible mix of them fits as well");
  if (data.squared_norm == 0) report.notes.push_back("all known entries are zero");

  model.weights_ = best.model.weights;
  for (const Matrix<T>& f : best.model.factors) model.factors_.push_back(f.leftCols(options.rank));
  d.shape = data.shape();
  d.sample_mode = options.sample_mode;
  d.ranks = {options.rank};
  d.known = data.known;
  d.kept = options.rank;
  for (const Index size : d.shape) d.kept += size * options.rank;
  d.relative_error = best.errors.back();
  d.explained = 1 - d.relative_error * d.relative_error;
  d.weights = model.weights_;
  d.errors = best.errors;
  d.starts = starts.tried;
  if (options.core_consistency) {
    d.core_consistency = core_consistency(data, best.model, run);
    if (d.core_consistency && data.weights)
      report.notes.push_back("the core consistency is that of the array with its gaps filled from the model");
    if (data.order() > 2 && core_is_too_large(options.rank, data.order()))
      report.notes.push_back(
          fmt::format("no core consistency: the core of {} components in {} modes has too many "
                      "numbers",
                      options.rank, data.order()));
  }
  report.method = "cp";
  report.n = data.size(options.sample_mode);
  double features = 1;
  for (Index m = 0; m < data.order(); ++m)
    if (m != options.sample_mode) features *= double(data.size(m));
  report.d = as_count(features);
  report.components = report.components_requested = options.rank;
  report.precision = precision_of<T>;
  report.centered = false;
  report.converged = best.converged;
  report.decomposition = std::move(d);
  watch.lap("diagnose");
  report.seconds = watch.laps_and_total();
  report.peak_bytes = peak_memory();
  return model;
}

namespace {

/// The model as the products take it.
template <class T>
SampleFactors<T> sample_factors(const std::vector<Block<T>>& factors, Index sample_mode, Index rank) {
  SampleFactors<T> out;
  out.rank = rank;
  for (Index m = 0; m < static_cast<Index>(factors.size()); ++m)
    if (m != sample_mode) out.others.push_back(padded_rows<T>(factors[at(m)]));
  return out;
}

}  // namespace

template <class T>
Tensor<T> Cp<T>::reconstruction(const Run& run) const {
  const SteadyRun steady(run);
  Kruskal<T> model;
  model.rank = rank();
  model.weights = weights_;
  for (const Block<T>& f : factors_) model.factors.push_back(padded_rows<T>(f));
  return full_tensor(model, steady);
}

template <class T>
Matrix<T> Cp<T>::scores() const {
  return (factors_[at(this->sample_mode_)].template cast<double>() * weights_.asDiagonal())
      .template cast<T>();
}

template <class T>
Matrix<T> Cp<T>::do_transform(const Samples<T>& points, const Run& run) const {
  const SteadyRun steady(run);
  return scores_of(points, sample_factors(factors_, this->sample_mode_, rank()), nonnegative_, gaps_, steady);
}

template <class T>
Matrix<T> Cp<T>::do_inverse(const MatrixView<T>& scores, const Run& run) const {
  const SteadyRun steady(run);
  return samples_of<T>(scores, sample_factors(factors_, this->sample_mode_, rank()), steady);
}

template <class T>
void Cp<T>::write(ModelWriter& writer) const {
  write_shape(writer, "shape", this->shape_);
  writer.set("sample_mode", this->sample_mode_);
  writer.set("nonnegative", nonnegative_);
  writer.set("gaps", gaps_);
  writer.vector("weights", weights_);
  for (std::size_t m = 0; m < factors_.size(); ++m) writer.block(fmt::format("factor{}", m), factors_[m]);
}

template <class T>
std::unique_ptr<Model<T>> Cp<T>::read(ModelReader<T>& reader) {
  auto model = std::make_unique<Cp<T>>(Cp<T>());
  reader.restore(*model, {.decomposition = ReportParts::always});
  const Index rank = model->report_.components;
  model->shape_ = read_shape(reader, "shape");
  model->sample_mode_ = read_mode(reader, "sample_mode", model->shape_);
  model->nonnegative_ = reader.flag("nonnegative");
  model->gaps_ = reader.flag("gaps");
  reader.require_shape("weights", {rank});
  model->weights_ = reader.vector("weights");
  for (std::size_t m = 0; m < model->shape_.size(); ++m) {
    const std::string name = fmt::format("factor{}", m);
    reader.require_shape(name, {model->shape_[m], rank});
    model->factors_.push_back(reader.block(name));
  }
  if (rank < 1) reader.damaged("a CP model has at least one component");
  require_decomposition(reader, model->report_, model->shape_, model->sample_mode_, {rank});
  return model;
}

template class Cp<float>;
template class Cp<double>;

}  // namespace mercer
