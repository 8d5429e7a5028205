// What lda and klda share on the command line.
#pragma once

#include "fit_options.hpp"

#include <string>

namespace mercer::app {

struct DiscriminantFlags : FitFlags {
  Index directions = 0;  ///< 0: all
  std::string kernel = "rbf(gamma=median)";

  /// `problem`: what the command adds to the group of the same name.
  void add_to(CLI::App& parser, const std::function<void(CLI::App&, const std::string& group)>& problem);
};

void add_decision(CLI::App& parser, std::string& decision, const std::string& group);
/// Throws Error{usage} when no label column was named.
void require_label(const FitFlags& flags, const std::string& method);

}  // namespace mercer::app
