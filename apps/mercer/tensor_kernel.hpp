// kpca --tensor: kernel PCA of a stack, the kernel taken on the samples' cores.
#pragma once

#include "fit_options.hpp"

#include <string>

namespace mercer::app {

struct CoreFlags {
  bool tensor = false;
  std::string ranks;

  void add_to(CLI::App& parser, const std::string& group);
  /// Throws Error{usage} for options that only tables have, and for ranks or a tensor- kernel without a
  /// stack.
  [[nodiscard]] bool chosen(const CLI::App& parser, const std::string& kernel) const;
};

void fit_tensor_kernel(const FitFlags& flags, const CoreFlags& cores, const std::string& kernel,
                       const Session& session);

}  // namespace mercer::app
