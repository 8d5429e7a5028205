// kpca on random features: an explicit choice, never made for the user, since nothing bounds its error.
#include "random_features.hpp"

#include "fit.hpp"
#include "kernels.hpp"

#include <mercer/random_feature_pca.hpp>

namespace mercer::app {

void FeatureFlags::add_to(CLI::App& parser, const std::string& group) {
  parser.add_option("--features", features, "approximate by so many random features; not certified")
      ->type_name("D")
      ->check(CLI::Range(2LL, 1000000LL).description(""))
      ->group(group);
  parser.add_option("--feature-kind", kind, "how they are drawn: orthogonal (default) or fourier")
      ->type_name("KIND")
      ->check(CLI::IsMember({"orthogonal", "fourier"}).description(""))
      ->group(group);
}

bool FeatureFlags::chosen(const CLI::App& parser) const {
  if (features == 0) {
    if (parser.count("--feature-kind") > 0)
      throw Error(ErrorCode::usage, "--feature-kind belongs to random features",
                  "say how many with --features");
    return false;
  }
  for (const char* other : {"--route", "--rank", "--tolerance", "--landmarks"}) {
    const CLI::Option* option = parser.get_option_no_throw(other);
    if (option != nullptr && option->count() > 0)
      throw Error(ErrorCode::usage, fmt::format("--features and {} exclude each other", other),
                  "random features are a way of their own, without a certificate: leave out one of the two");
  }
  return true;
}

void fit_random_features(const FitFlags& flags, const FeatureFlags& features, const std::string& kernel,
                         const Session& session) {
  const RandomFeaturePcaOptions options{.components = Components::parse(flags.components),
                                        .kernel = parse_kernel(kernel),
                                        .features = static_cast<Index>(features.features),
                                        .orthogonal = features.kind == "orthogonal",
                                        .center = flags.centered(),
                                        .scale = parse_scale(flags.scale),
                                        .residual = flags.residual};
  fit_and_write<RandomFeaturePca>("kpca", flags, options, session);
}

}  // namespace mercer::app
