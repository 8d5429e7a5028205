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

/// What can be made: circles, moons, swiss-roll, three-modes, two-classes, gaussians, ...
[[nodiscard]] const std::vector<Generator>& generators();
/// Same name, n and seed: same data, on every machine. n = 0: the default size.
[[nodiscard]] Dataset<double> generate(std::string_view name, Index n = 0, std::uint64_t seed = 0);

}  // namespace mercer
