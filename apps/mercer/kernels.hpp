// Kernels as people type them.
#pragma once

#include <mercer/kernel.hpp>

#include <string>

namespace mercer::app {

/// Kernel::parse, whose complaint says also what was probably meant.
[[nodiscard]] Kernel parse_kernel(const std::string& text);

}  // namespace mercer::app
