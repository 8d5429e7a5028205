// mercer mvu: maximum variance unfolding (mission row M11).
#include "manifold_fit.hpp"

#include <mercer/mvu.hpp>

#include <memory>

namespace mercer::app {

Command add_mvu(CLI::App& program) {
  struct Flags : MapFlags {
    GraphFlags graph;
    Index basis = 0;
  };
  auto flags = std::make_shared<Flags>();
  auto* parser = program.add_subcommand("mvu", "maximum variance unfolding: neighbours keep distances");
  flags->add_to(*parser, [&](CLI::App& app, const std::string& group) {
    flags->graph.add_to(app, group, MvuOptions{}.neighbors.count);
    app.add_option("--basis", flags->basis, "eigenvectors of the graph's Laplacian (default: as suits n)")
        ->type_name("N")
        ->check(CLI::Range(Index{1}, Index{100000}).description(""))
        ->group(group);
  });
  parser->footer(
      "The semidefinite program of Weinberger and Saul (2004) for few points; for more, within the span\n"
      "of a few smooth functions on the graph (Weinberger et al. 2007).\n"
      "Example: mercer mvu roll.csv --label t --neighbors 6 --out map.csv --model roll.mercer");

  return {parser, [flags, parser](const Session& session) {
            MvuOptions options;
            options.basis = flags->basis;
            fit_on_graph<Mvu>("mvu", *flags, flags->graph, options, *parser, session);
          }};
}

}  // namespace mercer::app
