// The model of maximum variance unfolding: links, the program that suits, K's leading components, new points.
#include <mercer/mvu.hpp>

#include "base/parallel.hpp"
#include "base/stopwatch.hpp"
#include "manifold/manifold_data.hpp"
#include "manifold/map_seconds.hpp"
#include "manifold/mvu_place.hpp"
#include "manifold/mvu_plan.hpp"
#include "manifold/mvu_program.hpp"
#include "manifold/mvu_refine.hpp"
#include "manifold/new_points.hpp"
#include "model/model_file.hpp"
#include "model/spectral_fit.hpp"

#include <fmt/format.h>

#include <cmath>

namespace mercer {
namespace {

/// Of the rate of matrix products, that the whole program and the moves of the reduced one reach.
constexpr double whole_share = 0.5, reduced_share = 0.025;

/// Eigenvalues of K below this share of the first are what the solvers' accuracy leaves.
constexpr double stands_out = 1e-6;
/// Of the variance, that a map of what could be unfolded has.
constexpr double unfolded_share = 0.95;

/// K as it was found, before it becomes a map: its eigenpairs on the nodes, K weighted by C^½ on both sides.
struct Unfolded {
  Solved<double> solved;
  Isometry gram;  ///< of K itself, all its dimensions
  std::vector<std::string> notes;
};

/// Dense problems of some hundred rows: their bits must not depend on the threads.
Run one_thread(const Run& run) {
  Run out = run;
  out.threads = 1;
  return out;
}

Unfolded unfold_whole(const MvuLinks& links, Index components, Stopwatch& watch, const Run& run) {
  Unfolded out;
  MvuSolution solution = unfold(links, run);
  watch.lap("semidefinite program");
  out.gram = isometry(links, solution.gram);
  out.notes.push_back(
      fmt::format("the semidefinite program took {} steps; the trace is {:.5g} of the bound on what exact "
                  "distances allow",
                  solution.iterations, 1 + solution.excess));
  const Vector<double> root = links.weight.cwiseSqrt();
  Block<double> weighted = root.asDiagonal() * solution.gram * root.asDiagonal();
  SolveRequest request;
  request.components = components;
  request.known_psd = true;
  out.solved = solve_dense<double>(std::move(weighted), request, one_thread(run));
  out.solved.spectrum.converged = solution.converged;
  watch.lap("eigenvectors");
  return out;
}

/// The eigenpairs of Z Zᵀ, all that are not 0, from those of ZᵀZ.
Solved<double> of_factor(const Matrix<double>& z, Index components, const Run& run) {
  const Block<double> small = z.transpose() * z;
  const Spectrum<double> s = dense_eigenpairs<double>(small, small.rows(), End::largest, one_thread(run));
  const Index count = std::min(components, small.rows());
  Solved<double> out;
  out.trace = small.trace();
  Spectrum<double>& top = out.spectrum;
  top.values = s.values.head(count);
  top.vectors = z * s.vectors.leftCols(count);
  top.residuals.resize(count);
  for (Index k = 0; k < count; ++k) {
    auto v = top.vectors.col(k);
    const double length = v.norm();
    if (length > 0) v /= length;
    Index largest = 0;
    v.cwiseAbs().maxCoeff(&largest);
    if (v[largest] < 0) v = -v;
    top.residuals[k] = (z * (z.transpose() * v) - top.values[k] * v).norm();
  }
  top.missed.rigorous = top.missed.probable =
      (count < small.rows() ? std::max(0.0, s.values[count]) : 0.0) + top.residuals.norm();
  top.passes = 1;
  return out;
}

Unfolded unfold_reduced(const MvuLinks& links, const MvuPlan& plan, Index components, Stopwatch& watch,
                        const Run& run) {
  Unfolded out;
  const Index basis_size = std::min(plan.basis, links.size() - 1);
  run.report("laplacian", 0);
  const MvuBasis basis = mvu_basis(links, basis_size, run);
  watch.lap("laplacian");
  const ReducedSolution reduced = solve_reduced(links, basis, run);
  Matrix<double> map = coordinates(basis, reduced.y, std::min(plan.rank, basis_size));
  watch.lap("reduced program");
  const RefinedMap refined = refine(links, basis, map, run);
  watch.lap("refinement");
  map *= std::sqrt(links.unit);
  out.gram = isometry(links, map);
  out.notes.push_back(
      fmt::format("K has rank {}: {} vectors of the Laplacian, then {} steps in {} rounds that moved the "
                  "points themselves",
                  map.cols(), basis_size, refined.steps, refined.rounds));
  const Vector<double> root = links.weight.cwiseSqrt();
  const Matrix<double> weighted = root.asDiagonal() * map;
  out.solved = of_factor(weighted, components, run);
  if (!refined.converged)
    out.notes.push_back(fmt::format(
        "the refinement ended at its last step: neighbours' squared distances are off by {:.2g} in the "
        "mean square",
        refined.change));
  watch.lap("eigenvectors");
  return out;
}

/// Eigenvectors on the nodes -> on the points: a node's entry is shared by the points it stands for.
Block<double> on_points(const Block<double>& on_nodes, const MvuLinks& links) {
  Block<double> out(static_cast<Index>(links.node.size()), on_nodes.cols());
  for (Index i = 0; i < out.rows(); ++i) {
    const Index node = links.node[static_cast<std::size_t>(i)];
    out.row(i) = on_nodes.row(node) / std::sqrt(links.weight[node]);
  }
  return out;
}

/// Links that a graph can have at most, before it is there; of a radius they must be counted.
template <class T>
double most_links(const Samples<T>& samples, const MvuOptions& options, const Run& run) {
  const NeighborOptions& neighbors = options.neighbors;
  if (!(neighbors.radius > 0)) return double(samples.rows()) * double(neighbors.count);
  const Samples<T> scaled = Scaling<T>::fit(options.scale, samples).apply(samples);
  return double(NeighborIndex<T>(scaled, neighbors.search, run).within(neighbors.radius, run).index.size()) /
         2;
}

}  // namespace

template <class T>
Plan Mvu<T>::plan(const Samples<T>& samples, const MvuOptions& options, const Run& run) {
  MvuPlan out = plan_mvu(samples.rows(), most_links(samples, options, run), options, run);
  out.plan.flops += distance_flops(samples);
  estimate_map_seconds(out.plan, samples, options.neighbors.search, out.whole ? whole_share : reduced_share,
                       run);
  return out.plan;
}

template <class T>
Mvu<T> Mvu<T>::fit(const Dataset<T>& data, const MvuOptions& options, const Run& run) {
  Mvu model = fit(data.samples, options, run);
  model.name_after(data);
  return model;
}

template <class T>
Mvu<T> Mvu<T>::fit(const Samples<T>& samples, const MvuOptions& options, const Run& run) {
  require_sensible(options);
  const SteadyRun steady(run);
  return unfolded(manifold_data<T>(samples, options.scale, options.neighbors, steady), options, steady);
}

template <class T>
Mvu<T> Mvu<T>::fit(const Dataset<T>& data, const NeighborGraph& graph, const MvuOptions& options,
                   const Run& run) {
  Mvu model = fit(data.samples, graph, options, run);
  model.name_after(data);
  return model;
}

template <class T>
Mvu<T> Mvu<T>::fit(const Samples<T>& samples, const NeighborGraph& graph, const MvuOptions& options,
                   const Run& run) {
  require_sensible(options);
  const SteadyRun steady(run);
  return unfolded(manifold_data<T>(samples, options.scale, graph, steady), options, steady);
}

template <class T>
Mvu<T> Mvu<T>::unfolded(const ManifoldData<T>& data, const MvuOptions& options, const Run& run) {
  Stopwatch watch;
  Mvu model;
  model.begin("mvu", data, options.components);
  Report& report = model.report_;
  const MvuLinks links = mvu_links(data.graph);
  if (links.size() < 2)
    throw Error(ErrorCode::bad_data, "all points of the graph's largest piece are equal",
                "more neighbours, or bridge the pieces");
  const NeighborOptions& neighbors = data.graph.options();
  const double named = neighbors.radius > 0 ? double(links.count()) : double(data.graph.lists().index.size());
  const MvuPlan plan = plan_mvu(links.size(), named, options, run);
  report.plan = plan.plan;
  watch.lap("links");

  Unfolded found = plan.whole ? unfold_whole(links, options.components, watch, run)
                              : unfold_reduced(links, plan, options.components, watch, run);
  for (std::string& note : found.notes) report.notes.push_back(std::move(note));
  Solved<double>& exact = found.solved;
  keep_components(exact, options.components, stands_out * exact.spectrum.values[0], report);
  const Vector<double> lengths = exact.spectrum.values.cwiseSqrt();
  const Vector<double> inverse_root = links.weight.cwiseSqrt().cwiseInverse();
  const Isometry map = isometry(
      links, Matrix<double>(inverse_root.asDiagonal() * exact.spectrum.vectors * lengths.asDiagonal()));
  report.embedding->isometry_error = map.largest;
  report.embedding->isometry_mean = map.mean;
  report.notes.push_back(fmt::format(
      "squared distances of neighbours change by {:.2g} at most and {:.2g} in the mean in the map of {} "
      "component{}, by {:.2g} and {:.2g} in all of K",
      map.largest, map.mean, lengths.size(), lengths.size() == 1 ? "" : "s", found.gram.largest,
      found.gram.mean));

  if (exact.spectrum.values.sum() < unfolded_share * exact.trace)
    report.notes.push_back(
        "the links hold the points in more dimensions than the map has: with fewer neighbours, or more "
        "points, "
        "they unfold further");
  exact.spectrum.vectors = on_points(exact.spectrum.vectors, links);
  const Solved<T> solved = rounded<T>(std::move(exact));
  const Index requested = report.components_requested;
  fill_report(report, solved, double(report.n));
  report.components_requested = requested;
  model.embedding_ =
      (solved.spectrum.vectors.template cast<double>() * lengths.asDiagonal()).template cast<T>();
  const double degree = 2 * double(data.graph.report().links) / double(report.n);
  model.neighbors_ = std::clamp<Index>(
      neighbors.radius > 0 ? static_cast<Index>(std::lround(degree)) : neighbors.count, 1, report.n);
  model.finish(model.neighbors_, watch, run);
  return model;
}

template <class T>
Matrix<T> Mvu<T>::do_transform(const Samples<T>& points, const Run& run) const {
  const SteadyRun steady(run);
  return placed(this->points_, this->embedding_.cols(), this->scaling_.apply(points), steady,
                [&](const NeighborIndex<T>& index, const Samples<T>& some, auto out) {
                  const NeighborLists lists = index.nearest(some, neighbors_, steady);
                  out = place_by_neighbors<T>(some, this->points_, this->embedding_, lists, steady);
                });
}

template <class T>
void Mvu<T>::write(ModelWriter& writer) const {
  this->write_map(writer);
  writer.set("neighbors", neighbors_);
}

template <class T>
std::unique_ptr<Model<T>> Mvu<T>::read(ModelReader<T>& reader) {
  auto model = std::make_unique<Mvu<T>>(Mvu<T>());
  model->read_map(reader, {.eigenvalues = ReportParts::always, .embedding = ReportParts::always});
  model->neighbors_ = reader.count("neighbors");
  if (model->neighbors_ < 1 || model->neighbors_ > model->report_.n)
    reader.damaged(fmt::format("{} neighbours of {} points", model->neighbors_, model->report_.n));
  return model;
}

template class Mvu<float>;
template class Mvu<double>;

}  // namespace mercer
