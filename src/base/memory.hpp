// Memory: how much there is, how much was used, and sizes in words (powers of 1000).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mercer {

[[nodiscard]] std::size_t machine_memory();
/// Largest resident size of this process so far.
[[nodiscard]] std::size_t peak_memory();

/// "400M", "4G", "1.5GB", "123456" -> bytes; throws Error{usage}.
[[nodiscard]] std::size_t parse_bytes(std::string_view text);
[[nodiscard]] std::string format_bytes(double bytes);

}  // namespace mercer
