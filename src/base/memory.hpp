// Memory: how much there is, how much was used, and sizes in words (powers of 1000; parse_bytes and
// peak_memory are in mercer/run.hpp).
#pragma once

#include <mercer/run.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace mercer {

[[nodiscard]] std::size_t machine_memory();
[[nodiscard]] std::string format_bytes(double bytes);

}  // namespace mercer
