// Memory: how much there is, how much was used, and sizes in words (powers of 1000; parse_bytes is in
// mercer/run.hpp).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mercer {

[[nodiscard]] std::size_t machine_memory();
/// Largest resident size of this process so far.
[[nodiscard]] std::size_t peak_memory();

[[nodiscard]] std::string format_bytes(double bytes);

}  // namespace mercer
