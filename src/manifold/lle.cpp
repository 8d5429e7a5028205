// The LLE model: local factors, their sum M, its bottom; new points by their neighbours.
#include <mercer/lle.hpp>

#include "base/parallel.hpp"
#include "base/stopwatch.hpp"
#include "manifold/lle_alignment.hpp"
#include "manifold/lle_place.hpp"
#include "manifold/lle_plan.hpp"
#include "manifold/manifold_data.hpp"
#include "manifold/map_seconds.hpp"
#include "manifold/new_points.hpp"
#include "model/model_file.hpp"
#include "operator/sparse_operator.hpp"
#include "spectral/certificate.hpp"
#include "spectral/sparse_bottom.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

/// Of the rate of matrix products, that small systems, the sparse factor and its solves reach together.
constexpr double lle_share = 0.022;

/// The bottom is small beside ‖M‖ (10⁻⁶ and less): residuals far below tell its values apart.
constexpr double default_residual = 1e-12;

template <class T>
LocalFactors factors_of(const Samples<T>& points, const NeighborLists& lists, const LleOptions& o,
                        const Run& run) {
  switch (o.variant) {
    case LleVariant::modified:
      return modified_lle_weights(points, lists, o.components, o.regularization, o.modified_tolerance, run);
    case LleVariant::hessian:
      return hessian_weights(points, lists, o.components, o.hessian_tolerance, o.hessian_remainder, run);
    default:
      return lle_weights(points, lists, o.regularization, run);
  }
}

}  // namespace

std::string_view name_of(LleVariant variant) {
  switch (variant) {
    case LleVariant::modified:
      return "modified";
    case LleVariant::hessian:
      return "hessian";
    default:
      return "standard";
  }
}

LleVariant parse_lle_variant(std::string_view name) {
  for (const auto v : {LleVariant::standard, LleVariant::modified, LleVariant::hessian})
    if (name == name_of(v)) return v;
  throw Error(ErrorCode::usage, fmt::format("'{}' is no variant of LLE", name),
              "standard, modified or hessian");
}

template <class T>
struct Lle<T>::Fit {
  const LleOptions& options;
  const Run& run;
  Stopwatch watch = {};

  Lle of(const ManifoldData<T>& data, Plan plan) {
    watch.lap("neighbors");
    const NeighborLists& lists = data.graph.lists();
    require_neighborhoods(lists, options);
    if (options.neighbors.radius > 0) {  // known only now
      LleOptions known = options;
      known.neighbors = data.as_found();
      plan.bytes = plan_lle(data.points, known, run).bytes;
    }
    Lle model;
    model.variant_ = options.variant;
    model.regularization_ = options.regularization;
    model.neighbors_ = std::max<Index>(1, std::llround(double(lists.index.size()) / double(lists.size())));
    model.begin(options.variant == LleVariant::hessian ? "hlle" : "lle", data, options.components);
    run.report("weights", 0);
    SparseMatrix<double> m = [&] {
      const LocalFactors factors = factors_of(data.points, lists, options, run);
      watch.lap("weights");
      return aligned(factors, run);
    }();
    watch.lap("matrix");
    solve(model, m, std::move(plan));
    watch.lap("solve");
    const double links = double(m.nonZeros());
    m = SparseMatrix<double>();
    model.report_.plan.problem += fmt::format(", {:.0f} entries a row", links / double(lists.size()));
    model.finish(model.neighbors_, watch, run);
    return model;
  }

  void solve(Lle& model, const SparseMatrix<double>& m, Plan plan) {
    const Index n = m.rows();
    BottomRequest request;
    request.count = options.components;
    request.tolerance = options.residual > 0 ? options.residual : default_residual;
    const BottomPairs bottom = bottom_eigenpairs(m, Vector<double>::Ones(n), request, run);
    model.embedding_ = bottom.spectrum.vectors.template cast<T>();
    Report& report = model.report_;
    report.end = End::smallest;
    report.gram_eigenvalues = bottom.spectrum.values;
    report.trace = *SparseOperator(m).trace();
    report.variances = report.gram_eigenvalues / double(n);
    report.explained_variance_ratio = report.gram_eigenvalues / report.trace;
    report.residuals = bottom.spectrum.residuals;
    if (precision_of<T> != Precision::float64)  // of what the model keeps
      report.residuals =
          residual_norms<double>(SparseOperator(m), Block<double>(model.embedding_.template cast<double>()),
                                 report.gram_eigenvalues, run);
    report.missed = bottom.spectrum.missed;
    report.passes = bottom.spectrum.passes;
    report.converged = bottom.spectrum.converged;
    // What was planned without the graph is known now.
    plan.bytes = std::max(plan.bytes, double(m.nonZeros()) * 16 + bottom.factor_bytes);
    plan.reason = bottom.method == BottomMethod::shift_invert
                      ? "the sparse Cholesky factor is cheap, and its inverse has the bottom on top"
                  : bottom.method == BottomMethod::dense
                      ? "rounding hides the bottom from the inverse: all eigenvalues by LAPACK"
                      : "a Cholesky factor would be dearer than polynomials of the matrix";
    report.plan = std::move(plan);
    const double floor = 1e-14 * bottom.norm;
    if (report.gram_eigenvalues[0] < floor)
      report.notes.push_back(fmt::format(
          "{} of the eigenvalues {} zero to rounding: the map is not unique (points on a plane, too few "
          "neighbours, or many equal points)",
          (report.gram_eigenvalues.array() < floor).count(),
          (report.gram_eigenvalues.array() < floor).count() == 1 ? "is" : "are"));
  }
};

template <class T>
Plan Lle<T>::plan(const Samples<T>& samples, const LleOptions& options, const Run& run) {
  Plan plan = plan_lle(samples, options, run);
  estimate_map_seconds(plan, samples, options.neighbors.search, lle_share, run);
  return plan;
}

template <class T>
Lle<T> Lle<T>::fit(const Samples<T>& samples, const LleOptions& options, const Run& run) {
  Plan plan = plan_lle(samples, options, run);
  const SteadyRun steady(run);
  Fit fit{options, steady};
  return fit.of(manifold_data<T>(samples, options.scale, options.neighbors, steady), std::move(plan));
}

template <class T>
Lle<T> Lle<T>::fit(const Samples<T>& samples, const NeighborGraph& graph, const LleOptions& options,
                   const Run& run) {
  LleOptions own = options;
  own.neighbors = graph.options();
  Plan plan = plan_lle(samples, own, run);
  const SteadyRun steady(run);
  Fit fit{own, steady};
  return fit.of(manifold_data<T>(samples, own.scale, graph, steady), std::move(plan));
}

template <class T>
Lle<T> Lle<T>::fit(const Dataset<T>& data, const LleOptions& options, const Run& run) {
  Lle model = fit(data.samples, options, run);
  model.name_after(data);
  return model;
}

template <class T>
Lle<T> Lle<T>::fit(const Dataset<T>& data, const NeighborGraph& graph, const LleOptions& options,
                   const Run& run) {
  Lle model = fit(data.samples, graph, options, run);
  model.name_after(data);
  return model;
}

template <class T>
Matrix<T> Lle<T>::do_transform(const Samples<T>& points, const Run& run) const {
  const SteadyRun steady(run);
  const Samples<T> scaled = this->scaling_.apply(points).in_the_form_of(this->points_);
  return placed(this->points_, this->embedding_.cols(), scaled, steady,
                [&](const NeighborIndex<T>& index, const Samples<T>& some, auto out) {
                  const NeighborLists lists = index.nearest(some, neighbors_, steady);
                  out = variant_ == LleVariant::standard
                            ? place_by_weights<T>(this->points_, this->embedding_, some, lists,
                                                  regularization_, steady)
                            : place_on_tangent<T>(this->points_, this->embedding_, some, lists, steady);
                });
}

template <class T>
void Lle<T>::write(ModelWriter& writer) const {
  this->write_map(writer);
  writer.set("variant", std::string(name_of(variant_)));
  writer.set("neighbors", neighbors_);
  writer.set("regularization", regularization_);
}

template <class T>
std::unique_ptr<Model<T>> Lle<T>::read(ModelReader<T>& reader) {
  auto model = std::make_unique<Lle<T>>(Lle<T>());
  model->read_map(reader, {.eigenvalues = ReportParts::always, .embedding = ReportParts::always});
  model->report_.end = End::smallest;
  model->variant_ = reader.choice("variant", parse_lle_variant);
  model->neighbors_ = reader.count("neighbors");
  model->regularization_ = reader.positive("regularization");
  if (model->neighbors_ < 1 || model->neighbors_ > model->report_.n)
    reader.damaged(fmt::format("{} neighbours with {} points", model->neighbors_, model->report_.n));
  return model;
}

template class Lle<float>;
template class Lle<double>;

}  // namespace mercer
