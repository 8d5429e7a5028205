// Expected seconds of a map, for its plan.
#pragma once

#include <mercer/neighbors.hpp>
#include <mercer/plan.hpp>

#include "plan/machine_rates.hpp"

namespace mercer {

/// Of all distances between points, as plans count them.
template <class T>
[[nodiscard]] double distance_flops(const Samples<T>& samples) {
  return 2 * double(samples.rows()) * double(samples.stored());
}

/// Those of the search for neighbours, and of what else is in plan.flops at `share` of the rate of matrix
/// products, as it was measured for each method at 1,000 to 20,000 points.
template <class T>
[[nodiscard]] double map_seconds(const Plan& plan, const Samples<T>& samples, NeighborSearch search,
                                 double share, const MachineRates& rates, const Run& run);

/// plan.seconds, with the machine's rates, which are measured where they are not known yet.
template <class T>
void estimate_map_seconds(Plan& plan, const Samples<T>& samples, NeighborSearch search, double share,
                          const Run& run);

}  // namespace mercer
