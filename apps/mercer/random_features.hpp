// kpca --features: the options that put random features in the kernel's place.
#pragma once

#include "fit_options.hpp"

namespace mercer::app {

struct FeatureFlags {
  long long features = 0;  ///< 0: the kernel itself
  std::string kind = "orthogonal";

  void add_to(CLI::App& parser, const std::string& group);
  /// Throws Error{usage} when options of the other routes are there as well.
  [[nodiscard]] bool chosen(const CLI::App& parser) const;
};

/// Fits, writes and reports as kpca does.
void fit_random_features(const FitFlags& flags, const FeatureFlags& features, const std::string& kernel,
                         const Session& session);

}  // namespace mercer::app
