// mercer lle and hlle: maps that keep what is linear in each neighbourhood (mission row M11).
#include "manifold_fit.hpp"

#include <mercer/lle.hpp>

#include <memory>

namespace mercer::app {
namespace {

struct LleFlags : MapFlags {
  GraphFlags graph;
  std::string variant = "standard";
  LleOptions lle;
  bool derivatives_only = false;
};

Command command(CLI::App* parser, const std::shared_ptr<LleFlags>& flags, std::string name) {
  return {parser, [flags, parser, name = std::move(name)](const Session& session) {
            LleOptions options = flags->lle;
            if (options.variant != LleVariant::hessian) options.variant = parse_lle_variant(flags->variant);
            options.hessian_remainder = !flags->derivatives_only;
            options.residual = flags->residual;
            fit_on_graph<Lle>(name, *flags, flags->graph, options, *parser, session);
          }};
}

}  // namespace

Command add_lle(CLI::App& program) {
  auto flags = std::make_shared<LleFlags>();
  auto* parser = program.add_subcommand("lle", "a map that keeps each point's weights on its neighbours");
  flags->add_to(*parser, [&](CLI::App& app, const std::string& group) {
    flags->graph.add_to(app, group, LleOptions{}.neighbors.count);
    app.add_option("--variant", flags->variant, "modified: several weights a point (default standard)")
        ->type_name("standard|modified")
        ->check(CLI::IsMember({"standard", "modified"}).description(""))
        ->group(group);
    app.add_option("--regularization", flags->lle.regularization,
                   "of the local problems, times their trace (default 1e-3)")
        ->type_name("R")
        ->check(positive_number())
        ->group(group);
  });
  flags->add_residual_to(*parser);
  parser->footer(
      "Locally linear embedding (Roweis and Saul 2000) and modified LLE (Zhang and Wang 2007).\n"
      "Example: mercer lle roll.csv --label t --neighbors 12 --variant modified --out map.csv");
  return command(parser, flags, "lle");
}

Command add_hlle(CLI::App& program) {
  auto flags = std::make_shared<LleFlags>();
  flags->lle.variant = LleVariant::hessian;
  auto* parser = program.add_subcommand("hlle", "Hessian LLE: a map that is flat on tangent spaces");
  flags->add_to(*parser, [&](CLI::App& app, const std::string& group) {
    flags->graph.add_to(app, group, LleOptions{}.neighbors.count);
    app.add_flag("--derivatives-only", flags->derivatives_only,
                 "second derivatives alone, as the paper has it; less sturdy")
        ->group(group);
  });
  flags->add_residual_to(*parser);
  parser->footer(
      "Donoho and Grimes (2003); k coordinates need more than k(k+3)/2 neighbours.\n"
      "Example: mercer hlle roll.csv --label t --neighbors 12 --out map.csv --model roll.mercer");
  return command(parser, flags, "hlle");
}

}  // namespace mercer::app
