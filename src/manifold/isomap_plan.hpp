// How Isomap will be computed, and whether it fits.
#pragma once

#include <mercer/isomap.hpp>

namespace mercer {

struct IsomapPlan {
  Plan plan;
  Index landmarks = 0;   ///< 0: all points
  bool reduced = false;  ///< landmarks were not asked for: all points do not fit
};

/// Throws Error{usage} for options that make no sense, Error{no_memory} where not even landmarks fit.
[[nodiscard]] IsomapPlan plan_isomap(Index n, double entries, const IsomapOptions& options, const Run& run);

}  // namespace mercer
