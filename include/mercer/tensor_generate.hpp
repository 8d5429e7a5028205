// N-way arrays made by a formula and a seed, with what was planted in them.
//
//     auto mix = mercer::generate_tensor("fluorescence", 20, 1);
//     auto model = mercer::Cp<double>::fit(mix.values, {.rank = 3, .nonnegative = true});   // finds
//     mix.factors
#pragma once

#include <mercer/generate.hpp>
#include <mercer/tensor.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace mercer {

struct GeneratedTensor {
  Tensor<double> values;               ///< samples first
  std::vector<Block<double>> factors;  ///< planted: one a mode, a column a component; none for images
  std::vector<std::string> modes;      ///< what the modes are, in a word each
};

/// What can be made: fluorescence, spots.
[[nodiscard]] const std::vector<Generator>& tensor_generators();
[[nodiscard]] bool is_tensor_generator(std::string_view name);
/// Same name, n and seed: same array, on every machine. n: samples; 0: the default. Throws Error{usage}.
[[nodiscard]] GeneratedTensor generate_tensor(std::string_view name, Index n = 0, std::uint64_t seed = 0);

}  // namespace mercer
