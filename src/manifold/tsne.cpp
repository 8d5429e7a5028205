// The t-SNE model: affinities, a start, the descent; new points are placed one by one.
#include <mercer/tsne.hpp>

#include "base/parallel.hpp"
#include "base/stopwatch.hpp"
#include "manifold/manifold_data.hpp"
#include "manifold/tsne_descent.hpp"
#include "manifold/tsne_place.hpp"
#include "manifold/tsne_plan.hpp"
#include "manifold/tsne_start.hpp"
#include "model/model_file.hpp"
#include "model/spectral_fit.hpp"

#include <fmt/format.h>

#include <numeric>

namespace mercer {
namespace {

constexpr Index placed_at_once = 8192;  ///< new points, whose lists of neighbours are in memory together
constexpr Index exact_search_most = 50000;

/// Points at distance 0 of another.
Index twins(const NeighborLists& lists) {
  Index count = 0;
  for (Index i = 0; i < lists.size(); ++i) count += lists.distances(i)[0] == 0;
  return count;
}

template <class T>
std::unique_ptr<TsneForces<T>> make_forces(const Samples<T>& points, const TsneOptions& options,
                                           const TsnePlan& plan, EmbeddingReport& report, const Run& run) {
  if (plan.gradient == TsneGradient::exact)
    return exact_forces(dense_affinities(points, options.perplexity, run), run);
  run.report("neighbors", 0);
  const NeighborIndex<T> index(points, options.search, run);
  const NeighborLists lists = index.nearest(plan.neighbors, run);
  auto p = sparse_affinities<T>(lists, options.perplexity, run);
  report.graph = NeighborReport{.search = index.search(),
                                .recall = lists.recall,
                                .links = p.links / 2,
                                .components = p.pieces(),
                                .duplicates = twins(lists)};
  if (plan.gradient == TsneGradient::barnes_hut)
    return barnes_hut_forces(std::move(p), options.components, options.angle, run);
  return interpolation_forces(std::move(p), options.components, plan.most_nodes, run);
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
  return plan_tsne(samples, options, run).plan;
}

template <class T>
Tsne<T> Tsne<T>::fit(const Dataset<T>& data, const TsneOptions& options, const Run& run) {
  Tsne model = fit(data.samples, options, run);
  model.label_ = data.label;
  model.columns_ = data.columns;
  return model;
}

template <class T>
Tsne<T> Tsne<T>::fit(const Samples<T>& samples, const TsneOptions& options, const Run& run) {
  require_samples(samples);
  const TsnePlan plan = plan_tsne(samples, options, run);
  const SteadyRun steady(run);
  Stopwatch watch;
  Tsne model;
  model.scaling_ = Scaling<T>::fit(options.scale, samples);
  model.points_ = model.scaling_.apply(samples);
  model.perplexity_ = options.perplexity;
  model.rows_.resize(static_cast<std::size_t>(samples.rows()));
  std::iota(model.rows_.begin(), model.rows_.end(), Index{0});
  require_different(model.points_);
  TsneMap<T> map = tsne_start(model.points_, options, steady);
  watch.lap("start");

  EmbeddingReport embedding;
  const auto forces = make_forces(model.points_, options, plan, embedding, steady);
  watch.lap("affinities");
  const TsneCourse course = descend(*forces, options, plan.learning_rate, map, steady);
  model.embedding_ = map.rows();
  embedding.kl_divergence = course.divergence;
  embedding.kl_history = course.history;
  watch.lap("descent");

  Report& report = model.report_;
  report.method = "tsne";
  report.n = samples.rows();
  report.d = samples.cols();
  report.components = report.components_requested = options.components;
  report.precision = precision_of<T>;
  report.centered = true;
  report.plan = plan.plan;
  report.embedding = std::move(embedding);
  if (const std::string note = forces->note(); !note.empty()) report.notes.push_back(note);
  report.seconds = watch.laps_and_total();
  report.peak_bytes = peak_memory();
  return model;
}

template <class T>
Matrix<T> Tsne<T>::do_transform(const Samples<T>& points, const Run& run) const {
  const SteadyRun steady(run);
  const Samples<T> scaled = this->scaling_.apply(points);
  // Building an approximate index takes longer than an exact search for a few points.
  const bool exact = this->points_.rows() > exact_search_most && points.rows() < this->points_.rows();
  const NeighborIndex<T> index(this->points_, exact ? NeighborSearch::brute : NeighborSearch::automatic,
                               steady);
  const Index count = neighbors_for(perplexity_, this->points_.rows());
  const TsneMap<T> map(this->embedding_);
  Matrix<T> out(points.rows(), map.components());
  for (Index first = 0; first < points.rows(); first += placed_at_once) {
    const Index rows = std::min(placed_at_once, points.rows() - first);
    const NeighborLists lists = index.nearest(scaled.middle_rows(first, rows), count, steady);
    out.middleRows(first, rows) = place_points(lists, map, perplexity_, steady);
    run.report("transform", double(first + rows) / double(points.rows()));
  }
  return out;
}

template <class T>
void Tsne<T>::write(ModelWriter& writer) const {
  writer.samples("points", this->points_);
  writer.matrix("embedding", this->embedding_);
  writer.scaling(this->scaling_);
  writer.set("perplexity", perplexity_);
}

template <class T>
std::unique_ptr<Model<T>> Tsne<T>::read(ModelReader<T>& reader) {
  auto model = std::make_unique<Tsne<T>>(Tsne<T>());
  reader.restore(*model);
  const Index n = model->report_.n, d = model->report_.d, k = model->report_.components;
  reader.require_shape("points", {n, d});
  reader.require_shape("embedding", {n, k});
  model->points_ = reader.samples("points");
  model->embedding_ = reader.matrix("embedding");
  model->scaling_ = reader.scaling();
  model->perplexity_ = reader.number("perplexity");
  if (k < 1 || k > 3) reader.damaged(fmt::format("a t-SNE map of {} components", k));
  if (!(model->perplexity_ > 1 && 3 * model->perplexity_ <= double(n - 1)))
    reader.damaged(fmt::format("a perplexity of {} with {} points", model->perplexity_, n));
  model->rows_.resize(static_cast<std::size_t>(n));
  std::iota(model->rows_.begin(), model->rows_.end(), Index{0});
  return model;
}

template class Tsne<float>;
template class Tsne<double>;

}  // namespace mercer
