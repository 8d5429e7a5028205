// Samples checked, scaled and joined into a graph.
#include "manifold/manifold_data.hpp"

#include "graph/row_distance.hpp"
#include "model/number_range.hpp"
#include "model/spectral_fit.hpp"
#include "operator/scatter_operator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

template <class T>
ManifoldData<T> of_graph(Scaling<T> scaling, const Samples<T>& scaled, NeighborGraph graph) {
  ManifoldData<T> out;
  require_squares_in_range<double>(scaled, column_means(scaled));
  out.scaling = std::move(scaling);
  out.given = scaled.rows();
  const bool whole = static_cast<Index>(graph.rows().size()) == scaled.rows();
  out.points = whole ? scaled : scaled.select_rows(graph.rows());
  if (!whole) require_different(out.points);
  const auto& lengths = graph.lists().distance;
  if (std::none_of(lengths.begin(), lengths.end(), [](double d) { return d > 0; }))
    throw Error(ErrorCode::bad_data, "no point is at a distance above 0 from its neighbours",
                "take more neighbours, or scale the data: differences too small to be squared are none");
  out.graph = std::move(graph);
  return out;
}

/// Are the links as long as the distances of these points?
template <class T>
void require_graph_of(const Samples<T>& points, const NeighborGraph& graph) {
  constexpr Index looked_at = 1000;
  const RowDistance<T> squared(points, points);
  const Index n = graph.size();
  for (Index s = 0; s < std::min(n, looked_at); ++s) {
    const Index i = n <= looked_at ? s : s * (n / looked_at);
    if (graph.lists().neighbors(i).empty()) continue;
    const double said = graph.lists().distances(i).back(),
                 is = std::sqrt(squared(i, graph.lists().neighbors(i).back()));
    if (std::abs(said - is) > 1e-5 * std::max(said, is))
      throw Error(
          ErrorCode::bad_data,
          fmt::format("the graph is not one of these points: it has {:.6g} between rows {} and {}, and "
                      "they are {:.6g} apart",
                      said, graph.rows()[static_cast<std::size_t>(i)],
                      graph.rows()[static_cast<std::size_t>(graph.lists().neighbors(i).back())], is),
          "build the graph from this data, scaled in the same way");
  }
}

}  // namespace

template <class T>
NeighborOptions ManifoldData<T>::as_found() const {
  const auto& begin = graph.lists().begin;
  double squares = 0;
  for (std::size_t i = 1; i < begin.size(); ++i)
    squares += double(begin[i] - begin[i - 1]) * double(begin[i] - begin[i - 1]);
  NeighborOptions out = graph.options();
  out.radius = 0;
  out.count = std::max<Index>(1, static_cast<Index>(std::ceil(std::sqrt(squares / double(graph.size())))));
  return out;
}

template <class T>
void require_different(const Samples<T>& points) {
  const Matrix<T> first = points.dense_rows(0, 1);
  for (Index i = 1; i < points.rows(); ++i)
    if (points.dense_rows(i, 1) != first) return;
  throw Error(ErrorCode::bad_data,
              points.rows() == 1
                  ? std::string("one point alone makes no map")
                  : fmt::format("all {} points are equal: there is nothing to map", points.rows()));
}

template <class T>
ManifoldData<T> manifold_data(const Samples<T>& samples, Scale scale, const NeighborOptions& neighbors,
                              const Run& run) {
  require_samples(samples);
  require_different(samples);
  auto scaling = Scaling<T>::fit(scale, samples);
  const Samples<T> scaled = scaling.apply(samples);
  return of_graph(std::move(scaling), scaled, NeighborGraph::build<T>(scaled, neighbors, run));
}

template <class T>
ManifoldData<T> manifold_data(const Samples<T>& samples, Scale scale, NeighborGraph graph, const Run&) {
  require_samples(samples);
  require_different(samples);
  const Index of = graph.size() + graph.report().left_out;
  if (of != samples.rows())
    throw Error(ErrorCode::usage,
                fmt::format("the graph is one of {} points, and the data has {} rows", of, samples.rows()),
                "build the graph from this data");
  if (graph.report().components > 1 && graph.report().left_out == 0 && graph.report().bridges == 0)
    throw Error(ErrorCode::bad_data, fmt::format("the graph falls into {} pieces", graph.report().components),
                "build it with more neighbours, --pieces largest or --pieces bridge");
  if (!graph.rows().empty() && graph.rows().back() >= samples.rows())
    throw Error(
        ErrorCode::bad_data,
        fmt::format("the graph has a row {}, and the data has {} rows", graph.rows().back(), samples.rows()),
        "build the graph from this data");
  auto scaling = Scaling<T>::fit(scale, samples);
  const Samples<T> scaled = scaling.apply(samples);
  auto out = of_graph(std::move(scaling), scaled, std::move(graph));
  require_graph_of(out.points, out.graph);
  return out;
}

template struct ManifoldData<float>;
template struct ManifoldData<double>;
template void require_different(const Samples<float>&);
template void require_different(const Samples<double>&);
template ManifoldData<float> manifold_data(const Samples<float>&, Scale, const NeighborOptions&, const Run&);
template ManifoldData<double> manifold_data(const Samples<double>&, Scale, const NeighborOptions&,
                                            const Run&);
template ManifoldData<float> manifold_data(const Samples<float>&, Scale, NeighborGraph, const Run&);
template ManifoldData<double> manifold_data(const Samples<double>&, Scale, NeighborGraph, const Run&);

}  // namespace mercer
