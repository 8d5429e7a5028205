// mercer pca: principal components of the data itself (mission rows M1, M2).
#include "fit.hpp"

#include <mercer/missing_pca.hpp>
#include <mercer/pca.hpp>

#include <memory>
#include <optional>

namespace mercer::app {
namespace {

struct PcaFlags : FitFlags {
  bool unbiased = false;
  std::optional<double> ridge;

  [[nodiscard]] bool estimates_gaps() const { return read.missing == "fit"; }
};

void fit_whole(const PcaFlags& flags, const Session& session) {
  if (flags.ridge)
    throw Error(ErrorCode::usage, "--ridge is for a table with gaps", "add --missing fit, or leave it out");
  const PcaOptions options{.components = Components::parse(flags.components),
                           .center = flags.centered(),
                           .scale = parse_scale(flags.scale),
                           .unbiased = flags.unbiased,
                           .residual = flags.residual,
                           .route = parse_route(flags.route)};
  fit_and_write<Pca>("pca", flags, options, session);
}

void fit_with_gaps(const PcaFlags& flags, const Session& session) {
  if (flags.unbiased || flags.residual > 0 || parse_route(flags.route) != Route::automatic)
    throw Error(ErrorCode::usage, "--missing fit knows no --unbiased, --residual or --route",
                "alternating least squares takes the place of the eigenproblem");
  const MissingPcaOptions options{.components = Components::parse(flags.components),
                                  .center = flags.centered(),
                                  .scale = parse_scale(flags.scale),
                                  .ridge = flags.ridge};
  fit_and_write<MissingPca>("pca", flags, options, session);
}

}  // namespace

Command add_pca(CLI::App& program) {
  auto flags = std::make_shared<PcaFlags>();
  flags->read.may_fit = true;
  auto* parser = program.add_subcommand("pca", "principal components of the data");
  flags->add_to(*parser, [&](CLI::App& app, const std::string& group) {
    app.add_option("--ridge", flags->ridge, "with --missing fit (default: the best on held-out entries)")
        ->type_name("R")
        ->group(group);
    app.add_flag("--unbiased", flags->unbiased, "variances over n - 1 instead of n")->group(group);
  });
  parser->footer("Example: mercer pca wine.csv --label class --scale standardize -k 0.95 --out scores.csv");

  return {parser, [flags](const Session& session) {
            flags->estimates_gaps() ? fit_with_gaps(*flags, session) : fit_whole(*flags, session);
          }};
}

}  // namespace mercer::app
