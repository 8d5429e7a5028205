// Samples checked, scaled and joined into a graph.
#include "manifold/manifold_data.hpp"

#include "model/spectral_fit.hpp"

#include <fmt/format.h>

namespace mercer {
namespace {

template <class T>
ManifoldData<T> of_graph(Scaling<T> scaling, const Samples<T>& scaled, NeighborGraph graph) {
  ManifoldData<T> out;
  out.scaling = std::move(scaling);
  out.given = scaled.rows();
  const bool whole = static_cast<Index>(graph.rows().size()) == scaled.rows();
  out.points = whole ? scaled : scaled.select_rows(graph.rows());
  out.graph = std::move(graph);
  return out;
}

}  // namespace

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
  auto scaling = Scaling<T>::fit(scale, samples);
  const Samples<T> scaled = scaling.apply(samples);
  return of_graph(std::move(scaling), scaled, std::move(graph));
}

template void require_different(const Samples<float>&);
template void require_different(const Samples<double>&);
template ManifoldData<float> manifold_data(const Samples<float>&, Scale, const NeighborOptions&, const Run&);
template ManifoldData<double> manifold_data(const Samples<double>&, Scale, const NeighborOptions&,
                                            const Run&);
template ManifoldData<float> manifold_data(const Samples<float>&, Scale, NeighborGraph, const Run&);
template ManifoldData<double> manifold_data(const Samples<double>&, Scale, NeighborGraph, const Run&);

}  // namespace mercer
