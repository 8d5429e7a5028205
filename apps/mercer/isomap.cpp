// mercer isomap: a map that keeps the lengths of paths along the data (mission row M11).
#include "manifold_fit.hpp"

#include <mercer/isomap.hpp>

#include <memory>

namespace mercer::app {

Command add_isomap(CLI::App& program) {
  struct Flags : MapFlags {
    GraphFlags graph;
    Index landmarks = 0;
  };
  auto flags = std::make_shared<Flags>();
  auto* parser = program.add_subcommand("isomap", "a map that keeps path lengths along the data");
  flags->add_to(*parser, [&](CLI::App& app, const std::string& group) {
    flags->graph.add_to(app, group, IsomapOptions{}.neighbors.count);
    app.add_option("--landmarks", flags->landmarks, "paths from N points alone, for many points")
        ->type_name("N")
        ->check(CLI::Range(Index{1}, Index{1000000000}).description(""))
        ->group(group);
  });
  flags->add_residual_to(*parser);
  parser->footer(
      "Kernel PCA of -HD^2H/2, D the shortest paths in the neighbour graph (Tenenbaum et al. 2000).\n"
      "Example: mercer isomap roll.csv --label t --neighbors 12 --out map.csv --model roll.mercer");

  return {parser, [flags, parser](const Session& session) {
            IsomapOptions options;
            options.landmarks = flags->landmarks;
            options.residual = flags->residual;
            fit_on_graph<Isomap>("isomap", *flags, flags->graph, options, *parser, session);
          }};
}

}  // namespace mercer::app
