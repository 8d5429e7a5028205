// The t-SNE model: affinities, a start, the descent; new points are placed one by one.
#include <mercer/tsne.hpp>

#include "base/parallel.hpp"
#include "base/stopwatch.hpp"
#include "manifold/manifold_data.hpp"
#include "manifold/map_seconds.hpp"
#include "manifold/new_points.hpp"
#include "manifold/tsne_descent.hpp"
#include "manifold/tsne_place.hpp"
#include "manifold/tsne_plan.hpp"
#include "manifold/tsne_start.hpp"
#include "model/model_file.hpp"
#include "model/spectral_fit.hpp"

#include <fmt/format.h>

#include <optional>

namespace mercer {
namespace {

/// Of the rate of matrix products, that the forces reach, whichever way they are summed.
constexpr double tsne_share = 0.5;

constexpr Index quality_neighbors = 12;

/// Points at distance 0 of another.
Index twins(const NeighborLists& lists) {
  Index count = 0;
  for (Index i = 0; i < lists.size(); ++i) count += lists.distances(i)[0] == 0;
  return count;
}

/// P over neighbours, in float: the forces along its links go with approximate ones, which are off by more.
template <class T>
SparseAffinities<float> linked_affinities(const Samples<T>& points, const TsneOptions& options,
                                          NeighborReport& report, Stopwatch& watch, const Run& run) {
  run.report("neighbours", 0);
  const NeighborIndex<T> index(points, options.search, run);
  const NeighborLists lists = index.nearest(neighbors_for(options.perplexity, points.rows()), run);
  watch.lap("neighbors");
  auto p = sparse_affinities<float>(lists, options.perplexity, run);
  report = {.search = index.search(),
            .recall = lists.recall,
            .links = p.links / 2,
            .components = p.pieces(),
            .duplicates = twins(lists)};
  watch.lap("affinities");
  return p;
}

/// Moves a map of T by forces in F.
template <class F, class T>
TsneCourse move(TsneForces<F>& forces, const TsneOptions& options, double rate, Matrix<T>& map,
                const Run& run) {
  TsneMap<F> moving(Matrix<F>(map.template cast<F>()));
  const TsneCourse course = descend(forces, options, rate, moving, run);
  map = moving.rows().template cast<T>();
  return course;
}

}  // namespace

std::string_view name_of(TsneGradient gradient) {
  switch (gradient) {
    case TsneGradient::exact:
      return "exact";
    case TsneGradient::barnes_hut:
      return "barnes-hut";
    case TsneGradient::interpolation:
      return "interpolation";
    default:
      return "automatic";
  }
}

std::string_view name_of(TsneStart start) {
  switch (start) {
    case TsneStart::laplacian:
      return "laplacian";
    case TsneStart::random:
      return "random";
    default:
      return "pca";
  }
}

TsneGradient parse_tsne_gradient(std::string_view name) {
  for (const auto g :
       {TsneGradient::automatic, TsneGradient::exact, TsneGradient::barnes_hut, TsneGradient::interpolation})
    if (name == name_of(g)) return g;
  throw Error(ErrorCode::usage, fmt::format("'{}' is no gradient of t-SNE", name),
              "automatic, exact, barnes-hut or interpolation");
}

TsneStart parse_tsne_start(std::string_view name) {
  for (const auto s : {TsneStart::pca, TsneStart::laplacian, TsneStart::random})
    if (name == name_of(s)) return s;
  throw Error(ErrorCode::usage, fmt::format("'{}' is no start of t-SNE", name), "pca, laplacian or random");
}

template <class T>
Plan Tsne<T>::plan(const Samples<T>& samples, const TsneOptions& options, const Run& run) {
  Plan plan = plan_tsne(samples, options, run).plan;
  estimate_map_seconds(plan, samples, options.search, tsne_share, run);
  return plan;
}

template <class T>
Tsne<T> Tsne<T>::fit(const Dataset<T>& data, const TsneOptions& options, const Run& run) {
  Tsne model = fit(data.samples, options, run);
  model.name_after(data);
  return model;
}

template <class T>
Tsne<T> Tsne<T>::fit(const Samples<T>& samples, const TsneOptions& options, const Run& run) {
  require_samples(samples);
  const TsnePlan plan = plan_tsne(samples, options, run);
  require_different(samples);
  const SteadyRun steady(run);
  Stopwatch watch;
  Tsne model;
  auto scaling = Scaling<T>::fit(options.scale, samples);
  Samples<T> scaled = scaling.apply(samples);
  model.begin("tsne", std::move(scaling), std::move(scaled), options.components);
  model.perplexity_ = options.perplexity;
  const Samples<T>& points = model.points_;
  Report& report = model.report_;
  report.plan = plan.plan;

  std::optional<SparseAffinities<float>> p;
  const bool exact = plan.gradient == TsneGradient::exact;
  if (!exact || (options.start == TsneStart::laplacian && options.initial.size() == 0))
    p = linked_affinities(points, options, report.embedding->graph.emplace(), watch, steady);
  model.embedding_ = tsne_start(points, options, p, steady);
  watch.lap("start");

  TsneCourse course;
  if (exact) {
    const auto forces = exact_forces(dense_affinities(points, options.perplexity, steady), steady);
    watch.lap("affinities");
    course = move(*forces, options, plan.learning_rate, model.embedding_, steady);
  } else {
    const auto forces =
        plan.gradient == TsneGradient::barnes_hut
            ? barnes_hut_forces(std::move(*p), options.components, options.angle, steady)
            : interpolation_forces(std::move(*p), options.components, plan.most_nodes, steady);
    course = move(*forces, options, plan.learning_rate, model.embedding_, steady);
    if (const std::string note = forces->note(); !note.empty()) report.notes.push_back(note);
  }
  if (!course.fell)
    report.notes.emplace_back(
        "the divergence no longer fell after the exaggeration: try a lower learning rate");
  report.embedding->kl_divergence = course.divergence;
  report.embedding->kl_history = std::move(course.history);
  watch.lap("descent");
  model.finish(quality_neighbors, watch, steady);
  return model;
}

template <class T>
Matrix<T> Tsne<T>::do_transform(const Samples<T>& points, const Run& run) const {
  const SteadyRun steady(run);
  const Index count = neighbors_for(perplexity_, this->points_.rows());
  const TsneMap<T> map(this->embedding_);
  return placed(this->points_, map.components(), this->scaling_.apply(points), steady,
                [&](const NeighborIndex<T>& index, const Samples<T>& some, auto out) {
                  out = place_points(index.nearest(some, count, steady), map, perplexity_, steady);
                });
}

template <class T>
void Tsne<T>::write(ModelWriter& writer) const {
  this->write_map(writer);
  writer.set("perplexity", perplexity_);
}

template <class T>
std::unique_ptr<Model<T>> Tsne<T>::read(ModelReader<T>& reader) {
  auto model = std::make_unique<Tsne<T>>(Tsne<T>());
  model->read_map(reader, {.embedding = ReportParts::always});
  model->perplexity_ = reader.number("perplexity");
  const Index n = model->report_.n, k = model->report_.components;
  if (k < 1 || k > 3) reader.damaged(fmt::format("a t-SNE map of {} components", k));
  if (!perplexity_suits(model->perplexity_, n))
    reader.damaged(fmt::format("a perplexity of {} with {} points", model->perplexity_, n));
  return model;
}

template class Tsne<float>;
template class Tsne<double>;

}  // namespace mercer
