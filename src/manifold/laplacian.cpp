// Laplacian eigenmaps and diffusion maps: the bottom of a sparse Laplacian, and new points by the equation
// that the map fulfils.
#include <mercer/laplacian.hpp>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/stopwatch.hpp"
#include "manifold/graph_laplacian.hpp"
#include "manifold/link_file.hpp"
#include "manifold/manifold_data.hpp"
#include "manifold/map_seconds.hpp"
#include "manifold/new_points.hpp"
#include "model/model_file.hpp"
#include "model/spectral_fit.hpp"
#include "spectral/sparse_bottom.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace mercer {
namespace {

/// Of the rate of matrix products, that the sparse factor and its solves reach.
constexpr double laplacian_share = 0.06;

/// A new point's equation has its own degree in it: (d(x) − λ) y = Σ w y, and d(x) may be near λ or below.
/// Then y is at most so many times the weighted mean.
constexpr double least_held = 0.25;

constexpr std::array laplacians{Laplacian::unnormalized, Laplacian::symmetric, Laplacian::random_walk};
constexpr std::array weight_kinds{GraphWeights::heat, GraphWeights::ones};

/// What diffusion fixes, and what the graph does.
LaplacianOptions resolved(LaplacianOptions options) {
  if (options.diffusion) {
    options.weights = GraphWeights::heat;
    options.laplacian = Laplacian::random_walk;
  } else {
    options.density_power = 0;
  }
  return options;
}

void require_sensible(const LaplacianOptions& o, Index n) {
  require_solvable(Components(o.components), o.residual);
  if (n > 0 && o.components >= n)
    throw Error(ErrorCode::usage, fmt::format("{} points have no map of {} dimensions", n, o.components),
                fmt::format("at most {}", n - 1));
  if (!(o.heat >= 0) || !std::isfinite(o.heat))
    throw Error(ErrorCode::usage, fmt::format("a heat of {} makes no sense", o.heat),
                "above 0, or 0 for the mean squared length of the links");
  if (!(o.diffusion_time >= 0) || !std::isfinite(o.diffusion_time))
    throw Error(ErrorCode::usage, fmt::format("a diffusion time of {} makes no sense", o.diffusion_time),
                "0 or more");
  if (!(o.density_power >= 0) || !std::isfinite(o.density_power))
    throw Error(ErrorCode::usage, fmt::format("a density power of {} makes no sense", o.density_power),
                "from 0, the density counts, to 1, it does not");
}

std::string in_words(const LaplacianOptions& o) {
  if (o.diffusion)
    return fmt::format("diffusion t={} alpha={} heat={:.6g}", o.diffusion_time, o.density_power, o.heat);
  return o.weights == GraphWeights::ones
             ? fmt::format("{} graph Laplacian", name_of(o.laplacian))
             : fmt::format("{} graph Laplacian heat={:.6g}", name_of(o.laplacian), o.heat);
}

/// How far the neighbours of each point reach, bridges apart.
Vector<double> reach_of(const NeighborGraph& graph) {
  if (graph.options().radius > 0) return Vector<double>::Constant(graph.size(), graph.options().radius);
  Vector<double> out = Vector<double>::Zero(graph.size());
  for (Index i = 0; i < graph.size(); ++i) {
    const auto distances = graph.lists().distances(i);
    if (distances.empty()) continue;
    out[i] = distances[std::min(distances.size(), static_cast<std::size_t>(graph.options().count)) - 1];
  }
  return out;
}

double power_of(double value, double power) { return std::copysign(std::pow(std::abs(value), power), value); }

/// The map from eigenvectors u of length 1.
Matrix<double> map_of(const Spectrum<double>& s, const Vector<double>& d, const LaplacianOptions& o) {
  Matrix<double> out = s.vectors;
  if (o.laplacian == Laplacian::unnormalized) return out;
  const double scale = o.laplacian == Laplacian::symmetric ? 1 : std::sqrt(d.sum());
  out.array().colwise() *= scale * d.array().rsqrt();
  if (o.diffusion)
    for (Index c = 0; c < out.cols(); ++c) out.col(c) *= power_of(1 - s.values[c], o.diffusion_time);
  return out;
}

void describe(Report& report, const BottomPairs& found, const SparseMatrix<double>& laplacian,
              const LaplacianOptions& options) {
  Solved<double> solved;
  solved.spectrum.values = found.spectrum.values;
  solved.spectrum.residuals = found.spectrum.residuals;
  solved.spectrum.missed = found.spectrum.missed;
  solved.spectrum.passes = found.spectrum.passes;
  solved.spectrum.converged = found.spectrum.converged;
  solved.trace = laplacian.diagonal().sum();
  report.end = End::smallest;
  if (options.diffusion) {  // of the walk: λ = 1 − μ
    report.end = End::largest;
    solved.spectrum.values = 1 - found.spectrum.values.array();
    solved.spectrum.missed.rigorous = 1 - found.spectrum.missed.rigorous;
    solved.spectrum.missed.probable = 1 - found.spectrum.missed.probable;
    solved.trace = double(laplacian.rows()) - solved.trace;
  }
  fill_report(report, solved, double(laplacian.rows()));
  if (options.diffusion) report.explained_variance_ratio.resize(0);  // of a walk they say nothing
  report.kernel = in_words(options);
  if (found.spectrum.values[0] < 1e-9 * found.norm)
    report.notes.push_back(
        "the graph all but falls into pieces: some links weigh next to nothing, and the map shows the "
        "pieces");
}

template <class T>
Plan costs_of(const Samples<T>& samples, const LaplacianOptions& options, const Run& run) {
  require_sensible(options, samples.rows());
  const double n = double(samples.rows());
  const double count = options.neighbors.radius > 0 ? 32 : double(options.neighbors.count);
  const double links = 1.6 * n * count,
               basis = n * sizeof(double) * 2 * (4 * double(options.components) + 300);
  Plan out;
  out.budget = run.memory_budget();
  out.route = Route::stored;
  out.problem =
      fmt::format("graph Laplacian {}x{}, about {:.2g} links", samples.rows(), samples.rows(), links);
  out.reason = "a sparse matrix, by its inverse or by products with it";
  out.bytes = n * count * 12 + 4 * links * 16 + basis;
  out.flops = distance_flops(samples) + 500 * links * 16;
  if (out.bytes > double(out.budget))
    throw Error(ErrorCode::no_memory,
                fmt::format("the graph of {} points needs {} but the memory budget is {}", samples.rows(),
                            format_bytes(out.bytes), format_bytes(double(out.budget))),
                "raise --memory, or fewer neighbours");
  return out;
}

}  // namespace

std::string_view name_of(Laplacian laplacian) {
  switch (laplacian) {
    case Laplacian::unnormalized:
      return "unnormalized";
    case Laplacian::random_walk:
      return "random-walk";
    default:
      return "symmetric";
  }
}

std::string_view name_of(GraphWeights weights) { return weights == GraphWeights::heat ? "heat" : "ones"; }

Laplacian parse_laplacian(std::string_view name) {
  for (const Laplacian l : laplacians)
    if (name == name_of(l)) return l;
  throw Error(ErrorCode::usage, fmt::format("'{}' is no graph Laplacian", name),
              "unnormalized, symmetric or random-walk");
}

GraphWeights parse_graph_weights(std::string_view name) {
  for (const GraphWeights w : weight_kinds)
    if (name == name_of(w)) return w;
  throw Error(ErrorCode::usage, fmt::format("'{}' is no weight of a graph", name), "heat or ones");
}

template <class T>
Plan LaplacianEigenmaps<T>::plan(const Samples<T>& samples, const LaplacianOptions& options, const Run& run) {
  Plan plan = costs_of(samples, options, run);
  estimate_map_seconds(plan, samples, options.neighbors.search, laplacian_share, run);
  return plan;
}

template <class T>
LaplacianEigenmaps<T> LaplacianEigenmaps<T>::fit(const Dataset<T>& data, const LaplacianOptions& options,
                                                 const Run& run) {
  LaplacianEigenmaps model = fit(data.samples, options, run);
  model.name_after(data);
  return model;
}

template <class T>
LaplacianEigenmaps<T> LaplacianEigenmaps<T>::fit(const Samples<T>& samples, const LaplacianOptions& options,
                                                 const Run& run) {
  require_samples(samples);
  (void)costs_of(samples, options, run);  // what cannot be done is said before the neighbours are searched
  const SteadyRun steady(run);
  Stopwatch watch;
  const auto data = manifold_data<T>(samples, options.scale, options.neighbors, steady);
  watch.lap("neighbors");
  return fit(data, options, steady, std::move(watch));
}

template <class T>
LaplacianEigenmaps<T> LaplacianEigenmaps<T>::fit(const Dataset<T>& data, const NeighborGraph& graph,
                                                 const LaplacianOptions& options, const Run& run) {
  LaplacianEigenmaps model = fit(data.samples, graph, options, run);
  model.name_after(data);
  return model;
}

template <class T>
LaplacianEigenmaps<T> LaplacianEigenmaps<T>::fit(const Samples<T>& samples, const NeighborGraph& graph,
                                                 const LaplacianOptions& options, const Run& run) {
  const SteadyRun steady(run);
  return fit(manifold_data<T>(samples, options.scale, graph, steady), options, steady, Stopwatch());
}

template <class T>
LaplacianEigenmaps<T> LaplacianEigenmaps<T>::fit(const ManifoldData<T>& data, const LaplacianOptions& options,
                                                 const Run& run, Stopwatch watch) {
  LaplacianEigenmaps model;
  model.begin("laplacian", data, options.components);
  LaplacianOptions& o = model.options_ = resolved(options);
  require_sensible(o, data.points.rows());
  o.neighbors = data.graph.options();
  Report& report = model.report_;
  LaplacianOptions known = o;
  known.neighbors = data.as_found();
  report.plan = costs_of(data.points, known, run);
  model.radii_ = reach_of(data.graph);

  SparseMatrix<double> weights = data.graph.symmetric();
  if (o.heat == 0) o.heat = mean_squared_link(weights);
  weights = weighted(std::move(weights), {o.weights, o.heat});
  model.densities_ = row_sums(weights);
  if (o.density_power != 0) weights = without_density(std::move(weights), model.densities_, o.density_power);
  const Vector<double> d = o.density_power != 0 ? row_sums(weights) : model.densities_;
  const bool normalized = o.laplacian != Laplacian::unnormalized;
  const SparseMatrix<double> laplacian = laplacian_of(weights, d, normalized);
  weights = {};
  watch.lap("laplacian");

  const Vector<double> constant = normalized ? Vector<double>(d.cwiseSqrt()) : Vector<double>::Ones(d.size());
  BottomRequest request;
  request.count = o.components;
  request.tolerance = o.residual;
  const BottomPairs found = bottom_eigenpairs(laplacian, constant, request, run);
  watch.lap("solve");
  model.values_ = found.spectrum.values;
  model.embedding_ = map_of(found.spectrum, d, o).template cast<T>();
  describe(report, found, laplacian, o);
  report.precision = precision_of<T>;
  model.finish(o.neighbors.count, watch, run);
  return model;
}

template <class T>
Matrix<T> LaplacianEigenmaps<T>::do_transform(const Samples<T>& points, const Run& run) const {
  const SteadyRun steady(run);
  const Index k = this->embedding_.cols();
  const LinkWeight weight{options_.weights, options_.heat};
  const bool normalized = options_.laplacian != Laplacian::unnormalized;
  const Vector<double> share = densities_.array().pow(-options_.density_power);
  const auto place = [&](const NeighborIndex<T>& index, const Samples<T>& some, auto out) {
    const NeighborLists links = mutual_links_of_new(index, some, options_.neighbors, radii_, steady);
    parallel_for(some.rows(), steady, [&](Index i) {
      const auto neighbors = links.neighbors(i);
      const auto lengths = links.distances(i);
      if (lengths[0] == 0) {
        out.row(i) = this->embedding_.row(neighbors[0]);
        return;
      }
      Vector<double> sum = Vector<double>::Zero(k);
      double degree = 0;
      for (std::size_t p = 0; p < neighbors.size(); ++p) {
        const double w = weight(lengths[p]) * share[neighbors[p]];
        degree += w;
        sum += w * this->embedding_.row(neighbors[p]).transpose().template cast<double>();
      }
      for (Index c = 0; c < k; ++c) {
        // (d − λ) y = Σ w y, or (1 − λ) d y = Σ w y; kept away from 0, where the equation says nothing.
        double held = normalized ? (1 - values_[c]) * degree : degree - values_[c];
        if (!(std::abs(held) >= least_held * degree)) held = std::copysign(least_held * degree, held);
        out(i, c) = static_cast<T>(sum[c] / held);
      }
    });
  };
  return placed(this->points_, k, this->scaling_.apply(points), steady, place);
}

template <class T>
void LaplacianEigenmaps<T>::write(ModelWriter& writer) const {
  this->write_map(writer);
  write_neighbors(writer, options_.neighbors);
  writer.set("laplacian", std::string(name_of(options_.laplacian)));
  writer.set("weights", std::string(name_of(options_.weights)));
  writer.set("heat", options_.heat);
  writer.set("density_power", options_.density_power);
  writer.set("diffusion", options_.diffusion);
  writer.set("diffusion_time", options_.diffusion_time);
  writer.vector("densities", densities_);
  writer.vector("radii", radii_);
  writer.vector("values", values_);
}

template <class T>
std::unique_ptr<Model<T>> LaplacianEigenmaps<T>::read(ModelReader<T>& reader) {
  auto model = std::make_unique<LaplacianEigenmaps<T>>(LaplacianEigenmaps<T>());
  model->read_map(reader, {.eigenvalues = ReportParts::always, .embedding = ReportParts::always});
  const Index n = model->report_.n;
  LaplacianOptions& o = model->options_;
  o.components = model->report_.components;
  o.neighbors = read_neighbors(reader);
  o.laplacian = reader.choice("laplacian", parse_laplacian);
  o.weights = reader.choice("weights", parse_graph_weights);
  o.heat = reader.positive("heat");
  o.density_power = reader.number("density_power");
  o.diffusion = reader.flag("diffusion");
  o.diffusion_time = reader.number("diffusion_time");
  reader.require_shape("densities", {n});
  reader.require_shape("radii", {n});
  reader.require_shape("values", {o.components});
  model->densities_ = reader.vector("densities");
  model->radii_ = reader.vector("radii");
  model->values_ = reader.vector("values");
  reader.require(std::isfinite(o.density_power) && std::isfinite(o.diffusion_time),
                 "the power of its densities or its time is not a finite number");
  reader.require((model->densities_.array() > 0).all() && (model->radii_.array() >= 0).all(),
                 "its densities or radii are not positive");
  return model;
}

template class LaplacianEigenmaps<float>;
template class LaplacianEigenmaps<double>;

}  // namespace mercer
