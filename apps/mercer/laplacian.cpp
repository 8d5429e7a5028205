// mercer laplacian: Laplacian eigenmaps and diffusion maps (mission row M11).
#include "manifold_fit.hpp"

#include <mercer/laplacian.hpp>

#include <cmath>
#include <cstdlib>
#include <memory>

namespace mercer::app {
namespace {

struct LaplacianFlags : MapFlags {
  GraphFlags graph;
  std::string laplacian = "symmetric", weights = "ones", diffusion;
  LaplacianOptions map;
};

/// The time after --diffusion, which may be left out.
double parse_time(const std::string& text) {
  if (text.empty()) return 1;
  if (const std::string complaint = positive_number(true)(text); !complaint.empty())
    throw Error(ErrorCode::usage, "--diffusion: " + complaint, "the time, or nothing at all");
  return std::strtod(text.c_str(), nullptr);
}

LaplacianOptions options_of(const LaplacianFlags& flags, const CLI::App& parser) {
  const auto given = [&](const char* name) { return parser.count(name) > 0; };
  LaplacianOptions options = flags.map;
  options.laplacian = parse_laplacian(flags.laplacian);
  options.weights = given("--heat") ? GraphWeights::heat : parse_graph_weights(flags.weights);
  options.residual = flags.residual;
  options.diffusion = given("--diffusion");
  if (given("--heat") && given("--weights") && flags.weights == "ones")
    throw Error(ErrorCode::usage, "--heat is the width of heat weights", "leave out --weights ones");
  if (!options.diffusion && given("--alpha"))
    throw Error(ErrorCode::usage, "--alpha is for diffusion maps", "add --diffusion");
  if (!options.diffusion) return options;
  for (const char* fixed : {"--laplacian", "--weights"})
    if (given(fixed))
      throw Error(ErrorCode::usage,
                  fmt::format("a diffusion map has heat weights and the random walk: {} has no say", fixed),
                  "leave it out");
  options.diffusion_time = parse_time(flags.diffusion);
  options.weights = GraphWeights::heat;
  options.laplacian = Laplacian::random_walk;
  return options;
}

}  // namespace

Command add_laplacian(CLI::App& program) {
  auto flags = std::make_shared<LaplacianFlags>();
  auto* parser = program.add_subcommand("laplacian", "Laplacian eigenmaps and diffusion maps");
  flags->add_to(*parser, [&](CLI::App& app, const std::string& group) {
    flags->graph.add_to(app, group, LaplacianOptions{}.neighbors.count);
    app.add_option("--laplacian", flags->laplacian, "symmetric (default), unnormalized, random-walk")
        ->type_name("KIND")
        ->check(CLI::IsMember({"symmetric", "unnormalized", "random-walk"}).description(""))
        ->group(group);
    app.add_option("--weights", flags->weights, "of the links (default ones)")
        ->type_name("ones|heat")
        ->check(CLI::IsMember({"ones", "heat"}).description(""))
        ->group(group);
    app.add_option("--heat", flags->map.heat, "t in exp(-|x-y|^2/t) (default: mean squared link)")
        ->type_name("T")
        ->check(positive_number())
        ->group(group);
    app.add_option("--diffusion", flags->diffusion, "a diffusion map, after this time (1 is usual)")
        ->type_name("TIME")
        ->check(positive_number())
        ->group(group);
    app.add_option("--alpha", flags->map.density_power, "diffusion: power of the density divided out (1)")
        ->type_name("A")
        ->check(positive_number(true))
        ->group(group);
  });
  flags->add_residual_to(*parser);
  parser->footer("Example: mercer laplacian roll.csv --label t --neighbors 12 --out map.csv");

  return {parser, [flags, parser](const Session& session) {
            fit_on_graph<LaplacianEigenmaps>("laplacian", *flags, flags->graph, options_of(*flags, *parser),
                                             *parser, session);
          }};
}

}  // namespace mercer::app
