// The Isomap model: paths in the neighbour graph, classical scaling, new points by paths that begin at their
// neighbours.
#include <mercer/isomap.hpp>

#include "base/parallel.hpp"
#include "base/stopwatch.hpp"
#include "kernel/landmarks.hpp"
#include "manifold/geodesic_map.hpp"
#include "manifold/isomap_plan.hpp"
#include "manifold/link_file.hpp"
#include "manifold/manifold_data.hpp"
#include "manifold/map_seconds.hpp"
#include "manifold/new_points.hpp"
#include "model/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace mercer {
namespace {

/// Of the rate of matrix products, that paths, passes and the quality's measures reach together.
constexpr double isomap_share = 0.12;

template <class T>
GeodesicRequest request_of(const IsomapOptions& options, Route route) {
  GeodesicRequest out;
  out.components = options.components;
  out.residual = options.residual;
  out.route = route;
  if (options.residual == 0 && std::is_same_v<T, float>) {
    out.residual = 1e-5;
    out.strict = false;
  }
  return out;
}

/// Path lengths are no distances in any Euclidean space: negative eigenvalues are the rule.
void note_negative(const GeodesicMap& map, Report& report) {
  if (!map.solved.min_eigenvalue || *map.solved.min_eigenvalue >= 0 || map.solved.spectrum.values.size() == 0)
    return;
  const double part = -*map.solved.min_eigenvalue / map.solved.spectrum.values[0];
  if (part < 1e-9) return;
  report.notes.push_back(fmt::format(
      "the lengths of paths are not quite distances in a flat space: the most negative eigenvalue is {:.2g} "
      "of the largest; the positive part is kept, as is usual",
      part));
}

}  // namespace

template <class T>
Plan Isomap<T>::plan(const Samples<T>& samples, const IsomapOptions& options, const Run& run) {
  Plan plan = plan_isomap(samples.rows(), double(samples.stored()), options, run).plan;
  estimate_map_seconds(plan, samples, options.neighbors.search, isomap_share, run);
  return plan;
}

template <class T>
Isomap<T> Isomap<T>::fit(const Dataset<T>& data, const IsomapOptions& options, const Run& run) {
  Isomap model = fit(data.samples, options, run);
  model.name_after(data);
  return model;
}

template <class T>
Isomap<T> Isomap<T>::fit(const Samples<T>& samples, const IsomapOptions& options, const Run& run) {
  require_samples(samples);
  (void)plan_isomap(samples.rows(), double(samples.stored()), options,
                    run);  // what cannot be done is said before the neighbours are searched
  const SteadyRun steady(run);
  Stopwatch watch;
  const auto data = manifold_data<T>(samples, options.scale, options.neighbors, steady);
  watch.lap("neighbors");
  return fit(data, options, steady, std::move(watch));
}

template <class T>
Isomap<T> Isomap<T>::fit(const Dataset<T>& data, const NeighborGraph& graph, const IsomapOptions& options,
                         const Run& run) {
  Isomap model = fit(data.samples, graph, options, run);
  model.name_after(data);
  return model;
}

template <class T>
Isomap<T> Isomap<T>::fit(const Samples<T>& samples, const NeighborGraph& graph, const IsomapOptions& options,
                         const Run& run) {
  const SteadyRun steady(run);
  return fit(manifold_data<T>(samples, options.scale, graph, steady), options, steady, Stopwatch());
}

template <class T>
Isomap<T> Isomap<T>::fit(const ManifoldData<T>& data, const IsomapOptions& options, const Run& run,
                         Stopwatch watch) {
  const Index n = data.points.rows();
  IsomapOptions known = options;
  known.neighbors = data.as_found();
  const IsomapPlan plan = plan_isomap(n, double(data.points.stored()), known, run);
  Isomap model;
  model.begin("isomap", data, options.components);
  model.neighbors_ = data.graph.options();
  model.links_ = data.graph.symmetric();
  Report& report = model.report_;
  report.plan = plan.plan;
  report.kernel = "geodesic";

  const PathFinder paths(model.links_);
  const auto lap = [&watch](std::string stage) { watch.lap(std::move(stage)); };
  const GeodesicRequest request = request_of<T>(options, plan.plan.route);
  GeodesicMap map;
  if (plan.landmarks > 0) {
    model.landmarks_ = uniform_rows(n, plan.landmarks, run.seed, 0x69736fULL);
    map = landmark_map(paths, model.landmarks_, request, report, lap, run);
    report.embedding->landmarks = plan.landmarks;
    if (plan.reduced)
      report.notes.push_back(fmt::format(
          "paths between all {} points do not fit the memory budget: {} of them, drawn at random, "
          "serve as landmarks by which the others are placed",
          n, plan.landmarks));
  } else {
    map = geodesic_map(paths, request, report, lap, run);
  }
  model.row_means_ = map.row_means;
  model.embedding_ = map.points.template cast<T>();
  fill_report(report, map.solved, double(map.row_means.size()));
  report.precision = precision_of<T>;
  if (map.positive > 0) report.explained_variance_ratio = report.gram_eigenvalues / map.positive;
  report.embedding->residual_variance = map.residual_variance;
  note_negative(map, report);
  model.finish(model.neighbors_.count, watch, run);
  return model;
}

template <class T>
Matrix<T> Isomap<T>::do_transform(const Samples<T>& points, const Run& run) const {
  const SteadyRun steady(run);
  const Index k = this->embedding_.cols();
  if (k == 0 || points.rows() == 0) return Matrix<T>(points.rows(), k);
  const PathFinder paths(links_);
  // y = −½ Σ (√λ v)_l/λ (d²(x, l) − mean_l) over the landmarks l, in the order of the paths.
  const Index m = row_means_.size();
  std::vector<bool> chosen(static_cast<std::size_t>(paths.size()), landmarks_.empty());
  for (const Index l : landmarks_) chosen[static_cast<std::size_t>(l)] = true;
  std::vector<Index> rank(static_cast<std::size_t>(paths.size()));  // of a vertex among the landmarks
  for (std::size_t v = 0, next = 0; v < rank.size(); ++v) rank[v] = static_cast<Index>(next += chosen[v]) - 1;
  std::vector<Index> places;
  Block<double> weights(m, k);
  Vector<double> means(m);
  for (Index p = 0; p < paths.size(); ++p) {
    const Index v = paths.order()[static_cast<std::size_t>(p)];
    if (!chosen[static_cast<std::size_t>(v)]) continue;
    const auto at = static_cast<Index>(places.size());
    means[at] = row_means_[rank[static_cast<std::size_t>(v)]];
    weights.row(at) = -0.5 * this->embedding_.row(v).template cast<double>().cwiseQuotient(
                                 this->report_.gram_eigenvalues.transpose());
    places.push_back(p);
  }

  const auto place = [&](const NeighborIndex<T>& index, const Samples<T>& some, auto out) {
    const NeighborLists links = links_of_new(index, some, neighbors_, steady);
    paths.from_outside(
        links,
        [&](const PathBatch& batch) {
          Vector<double> beyond(m);  // d² − mean
          for (Index l = 0; l < batch.count(); ++l) {
            for (Index at = 0; at < m; ++at) {
              const double length = batch(l, places[static_cast<std::size_t>(at)]);
              beyond[at] = length * length - means[at];
            }
            beyond.array() -= beyond.mean();
            out.row(batch.sources[static_cast<std::size_t>(l)]) =
                (beyond.transpose() * weights).template cast<T>();
          }
        },
        steady);
  };
  return placed(this->points_, k, this->scaling_.apply(points), steady, place);
}

template <class T>
void Isomap<T>::write(ModelWriter& writer) const {
  this->write_map(writer);
  write_links(writer, links_);
  write_neighbors(writer, neighbors_);
  writer.vector("row_means", row_means_);
  writer.array("landmarks", std::vector<std::int64_t>(landmarks_.begin(), landmarks_.end()));
}

template <class T>
std::unique_ptr<Model<T>> Isomap<T>::read(ModelReader<T>& reader) {
  auto model = std::make_unique<Isomap<T>>(Isomap<T>());
  model->read_map(reader, {.eigenvalues = ReportParts::always, .embedding = ReportParts::always});
  const Index n = model->report_.n;
  model->links_ = read_links(reader, n);
  model->neighbors_ = read_neighbors(reader);
  const auto landmarks = reader.template array<std::int64_t>("landmarks");
  model->landmarks_.assign(landmarks.begin(), landmarks.end());
  const auto& l = model->landmarks_;
  if (!l.empty() && (l.front() < 0 || l.back() >= n ||
                     std::adjacent_find(l.begin(), l.end(), std::greater_equal<>()) != l.end()))
    reader.damaged("its landmarks are not in order");
  const Index count = l.empty() ? n : static_cast<Index>(l.size());
  reader.require_shape("row_means", {count});
  model->row_means_ = reader.vector("row_means");
  if (model->report_.gram_eigenvalues.size() != model->report_.components ||
      !(model->report_.gram_eigenvalues.array() > 0).all())
    reader.damaged("it lacks the eigenvalues of its components");
  return model;
}

template class Isomap<float>;
template class Isomap<double>;

}  // namespace mercer
