// UTF-8 made safe to draw: cairo refuses a text with one wrong byte, and class names come from files.
#pragma once

#include <string>
#include <string_view>

namespace mercer::plot {

/// Wrong bytes become U+FFFD, control characters (tabs, newlines) become spaces.
[[nodiscard]] std::string printable(std::string_view text);

/// Where the last character of a valid, non-empty text begins.
[[nodiscard]] std::size_t last_character(std::string_view text);

}  // namespace mercer::plot
