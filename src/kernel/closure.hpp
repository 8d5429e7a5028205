// Why a kernel is one: feature maps that are known, and the closure rules for sums, products and multiples
// (mission row M7), in words.
#pragma once

#include <mercer/kernel.hpp>

#include <string>
#include <vector>

namespace mercer {

/// A line for the kernel and, indented, one for each of its parts.
[[nodiscard]] std::vector<std::string> closure_in_words(const Kernel& kernel);

/// Parameters or forms to try instead, for the parts that are not known to be kernels.
[[nodiscard]] std::vector<std::string> other_parameters(const Kernel& kernel);

}  // namespace mercer
