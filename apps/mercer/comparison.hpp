// Maps of several methods as a picture: what compare and the demo draw.
#pragma once

#include <mercer/compare.hpp>
#include <mercer/plot.hpp>

#include <vector>

namespace mercer::app {

/// The data itself first, where it is flat or has three dimensions.
[[nodiscard]] std::vector<plot::PointMap> compared_maps(const Dataset<double>& data,
                                                        const std::vector<MethodMap<double>>& maps);

}  // namespace mercer::app
