// What the methods on a neighbourhood graph share: the graph built, read from a file, or kept in one.
#pragma once

#include "fit.hpp"
#include "manifold_options.hpp"

#include <mercer/scaling.hpp>

namespace mercer::app {

template <class Options>
struct OnGraph {
  Options method;
  std::string graph, save;  ///< files, or nothing
};

/// Stands in for a method in fit_and_write.
template <template <class> class Method>
struct GraphMethod {
  template <class T>
  struct Of {
    template <class Options>
    static Plan plan(const Samples<T>& samples, const OnGraph<Options>& options, const Run& run) {
      return Method<T>::plan(samples, options.method, run);
    }
    template <class Options>
    static Method<T> fit(const Dataset<T>& data, const OnGraph<Options>& options, const Run& run) {
      if (options.graph.empty() && options.save.empty()) return Method<T>::fit(data, options.method, run);
      const NeighborGraph graph = options.graph.empty() ? build(data.samples, options.method, run)
                                                        : NeighborGraph::load(options.graph);
      auto model = Method<T>::fit(data, graph, options.method, run);
      if (!options.save.empty()) graph.save(options.save);
      return model;
    }

   private:
    template <class Options>
    static NeighborGraph build(const Samples<T>& samples, const Options& options, const Run& run) {
      const auto scaled = Scaling<T>::fit(options.scale, samples).apply(samples);
      return NeighborGraph::build<T>(scaled, options.neighbors, run);
    }
  };
};

template <template <class> class Method, class Options>
void fit_on_graph(std::string_view name, const MapFlags& flags, const GraphFlags& graph, Options options,
                  const CLI::App& parser, const Session& session) {
  graph.check(parser, flags);
  options.components = flags.coordinates;
  options.neighbors = graph.parsed(options.neighbors);
  options.scale = parse_scale(flags.scale);
  fit_and_write<GraphMethod<Method>::template Of>(
      name, flags, OnGraph<Options>{options, graph.graph, graph.save}, session, {{"graph", graph.save}});
}

}  // namespace mercer::app
