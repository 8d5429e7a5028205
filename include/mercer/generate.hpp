// Data sets made by a formula and a seed: the seeds' examples and the usual test shapes.
#pragma once

#include <mercer/dataset.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace mercer {

struct Generator {
  std::string name;
  std::string description;
  Index default_n;
};

/// What some data sets let one choose; 0: as it is by default.
struct GeneratorShape {
  Index features = 0;
  Index clusters = 0;
};

/// What can be made: circles, moons, swiss-roll, three-modes, two-classes, gaussians, ...
[[nodiscard]] const std::vector<Generator>& generators();
/// Same name, n, seed and shape: same data, on every machine. n = 0: the default size. Throws Error{usage}
/// for a shape other than that of gaussians, the one data set that has a choice.
[[nodiscard]] Dataset<double> generate(std::string_view name, Index n = 0, std::uint64_t seed = 0,
                                       const GeneratorShape& shape = {});

}  // namespace mercer
