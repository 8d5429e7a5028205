// mercer pca: principal components of the data itself (mission rows M1, M2).
#include "fit.hpp"

#include <mercer/pca.hpp>

#include <memory>

namespace mercer::app {

Command add_pca(CLI::App& program) {
  struct Flags : FitFlags {
    bool unbiased = false;
  };
  auto flags = std::make_shared<Flags>();
  auto* parser = program.add_subcommand("pca", "principal components of the data");
  flags->add_to(*parser, [&](CLI::App& app, const std::string& group) {
    app.add_flag("--unbiased", flags->unbiased, "variances over n - 1 instead of n")->group(group);
  });
  parser->footer("Example: mercer pca wine.csv --label class --scale standardize -k 0.95 --out scores.csv");

  return {parser, [flags](const Session& session) {
            const PcaOptions options{.components = Components::parse(flags->components),
                                     .center = flags->centered(),
                                     .scale = parse_scale(flags->scale),
                                     .unbiased = flags->unbiased,
                                     .residual = flags->residual,
                                     .route = parse_route(flags->route)};
            fit_and_write<Pca>("pca", *flags, options, session);
          }};
}

}  // namespace mercer::app
