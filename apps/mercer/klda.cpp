// mercer klda: kernel discriminants (mission row M9); with --cv the kernel width and the ridge are chosen.
#include "discriminant.hpp"
#include "fit.hpp"
#include "kernels.hpp"
#include "low_rank.hpp"

#include <mercer/discriminant.hpp>

#include <algorithm>
#include <memory>

namespace mercer::app {
namespace {

struct SearchOptions {
  KernelDiscriminantOptions fit;
  DiscriminantSearch search;
  bool quiet = false;
};

/// A row a kernel and a column a ridge would be wide; a line a trial, the best one marked.
void say_trials(const Discrimination& found) {
  std::size_t width = 6;
  for (const auto& trial : found.trials) width = std::max(width, trial.kernel.size());
  say(fmt::format("{:<{}}  {:>9}  {:>8}  {:>6}", "kernel", width, "ridge", "error", "±"));
  for (std::size_t i = 0; i < found.trials.size(); ++i) {
    const auto& trial = found.trials[i];
    say(fmt::format("{:<{}}  {:>9.3g}  {:>6.2f} %  {:>6.2f}{}", trial.kernel, width, trial.ridge,
                    100 * trial.error, 100 * trial.deviation,
                    static_cast<Index>(i) == found.chosen ? "  <- chosen" : ""));
  }
}

/// Stands in for KernelDiscriminant where cross-validation comes before the fit.
template <class T>
struct Searched {
  static KernelDiscriminant<T> fit(const Dataset<T>& data, const SearchOptions& options, const Run& run) {
    auto model = KernelDiscriminant<T>::search(data, options.fit, options.search, run);
    if (!options.quiet) say_trials(*model.report().discrimination);
    return model;
  }
  static Plan plan(const Samples<T>& samples, const SearchOptions& options, const Run& run) {
    return KernelDiscriminant<T>::plan(samples, options.fit, run);
  }
};

}  // namespace

Command add_klda(CLI::App& program) {
  struct Flags : DiscriminantFlags {
    double ridge = 1e-3;
    Index folds = 0;
    std::string decision = "auto";
    LowRankFlags low_rank;
  };
  auto flags = std::make_shared<Flags>();
  auto* parser = program.add_subcommand("klda", "kernel discriminants: curved boundaries between classes");
  flags->add_to(*parser, [&](CLI::App& app, const std::string& group) {
    app.add_option("--kernel", flags->kernel, "default rbf(gamma=median); as for kpca")
        ->type_name("SPEC")
        ->group(group);
    app.add_option("--ridge", flags->ridge, "mu, added to the scatter within classes (default 1e-3)")
        ->type_name("MU")
        ->check(positive_number())
        ->group(group);
    app.add_option("--cv", flags->folds, "choose ridge and width (gamma=median, auto) by so many folds")
        ->type_name("FOLDS")
        ->check(CLI::Range(Index(2), Index(1000)).description(""))
        ->group(group);
    add_decision(app, flags->decision, group);
    flags->low_rank.add_to(app, group);
  });
  parser->add_option("--route", flags->route, "auto (default), dense, lowrank")
      ->type_name("ROUTE")
      ->group("Running");
  parser->footer(
      "--decide is what --cv counts errors by; predict has it too.\n"
      "Example: mercer klda moons.csv --label class --cv 5 --model moons.mercer");

  return {parser, [flags, parser](const Session& session) {
            require_label(*flags, "klda");
            const Decision decision = parse_decision(flags->decision);
            if (parser->count("--decide") > 0 && flags->folds == 0)
              throw Error(ErrorCode::usage, "--decide is what --cv counts errors by, and there is no --cv",
                          "leave it out, and give it to predict");
            if (flags->low_rank.from_model())
              throw Error(ErrorCode::usage, "klda takes no landmarks from a model",
                          "pivoted, uniform, kmeans, or a file of row numbers");
            const KernelDiscriminantOptions options{.components = flags->directions,
                                                    .kernel = parse_kernel(flags->kernel),
                                                    .ridge = flags->ridge,
                                                    .scale = parse_scale(flags->scale),
                                                    .route = flags->low_rank.route(flags->route),
                                                    .lowrank = flags->low_rank.parsed()};
            if (flags->folds == 0) {
              fit_and_write<KernelDiscriminant>("klda", *flags, options, session);
              return;
            }
            SearchOptions search{options, {.folds = flags->folds, .decision = decision}, flags->run.quiet};
            if (parser->count("--ridge") > 0) search.search.ridges = {flags->ridge};
            fit_and_write<Searched>("klda", *flags, search, session);
          }};
}

}  // namespace mercer::app
