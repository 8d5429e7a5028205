// mercer kpca: kernel PCA (mission rows M3 to M5).
#include "fit.hpp"
#include "kernels.hpp"
#include "low_rank.hpp"
#include "random_features.hpp"
#include "tensor_kernel.hpp"

#include <mercer/kernel_pca.hpp>

#include <memory>

namespace mercer::app {

Command add_kpca(CLI::App& program) {
  struct Flags : FitFlags {
    std::string kernel = "rbf(gamma=median)", indefinite = "error";
    LowRankFlags low_rank;
    FeatureFlags random;
    CoreFlags cores;
  };
  auto flags = std::make_shared<Flags>();
  auto* parser = program.add_subcommand("kpca", "kernel principal components");
  flags->add_to(*parser, [&](CLI::App& app, const std::string& group) {
    app.add_option("--kernel", flags->kernel, "default rbf(gamma=median); see below")
        ->type_name("SPEC")
        ->group(group);
    app.add_option("--indefinite", flags->indefinite, "when the kernel matrix is not PSD (default error)")
        ->type_name("error|clip|asked")
        ->group(group);
    flags->low_rank.add_to(app, group);
    flags->random.add_to(app, group);
    flags->cores.add_to(app, group);
  });
  parser->footer(
      "Kernels: linear, poly(degree=3, gamma=1, coef0=1), rbf(gamma=0.5), rbf(sigma=1), laplacian, sigmoid,\n"
      "  cosine, matern32, matern52, rq, chi2, additive_chi2, expr('exp(-sqdist)*(1+dot)^2'), precomputed\n"
      "  (DATA is K); sums, products, multiples. gamma: a number, auto (1/d), median. See mercer kernels.\n"
      "Example: mercer kpca digits.csv.gz --label 64 --kernel 'rbf(gamma=0.001)' --out scores.csv");

  return {parser, [flags, parser](const Session& session) {
            if (flags->cores.chosen(*parser, flags->kernel)) {
              fit_tensor_kernel(*flags, flags->cores, flags->kernel, session);
              return;
            }
            if (flags->random.chosen(*parser)) {
              fit_random_features(*flags, flags->random, flags->kernel, session);
              return;
            }
            const Components components = Components::parse(flags->components);
            const Route route = flags->low_rank.route(flags->route);
            if (flags->low_rank.from_model()) {
              for (const char* fixed : {"--kernel", "--scale", "--center", "--rank", "--tolerance"})
                if (parser->count(fixed) > 0)
                  throw Error(ErrorCode::usage,
                              fmt::format("{} is taken over from the model that --landmarks names", fixed),
                              "leave it out");
              flags->precision = name_of(model_precision(flags->low_rank.landmarks));
              fit_and_write<OnBasis>("kpca", *flags, BasisOptions{flags->low_rank.landmarks, components},
                                     session);
              return;
            }
            const KernelPcaOptions options{.components = components,
                                           .kernel = parse_kernel(flags->kernel),
                                           .center = flags->centered(),
                                           .scale = parse_scale(flags->scale),
                                           .indefinite = parse_indefinite(flags->indefinite),
                                           .residual = flags->residual,
                                           .route = route,
                                           .lowrank = flags->low_rank.parsed()};
            if (route == Route::lowrank && must_stream(*flags, {.memory = flags->run.bytes()}))
              fit_in_passes(*flags, options, session);
            else
              fit_and_write<KernelPca>("kpca", *flags, options, session);
          }};
}

}  // namespace mercer::app
