// Text to number, and the words that stand for a missing one. fast_float does the work; this adds
// a leading '+' and tells apart what is not a number from what is too large to be one.
#pragma once

#include <fast_float/fast_float.h>

#include <cmath>
#include <string_view>

namespace mercer {

enum class NumberKind { finite, infinite, not_a_number };

/// Parses all of `text` (already trimmed). Too small becomes 0, too large is infinite.
template <class T>
NumberKind parse_number(std::string_view text, T& value) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+') text.remove_prefix(1);
  const char* end = text.data() + text.size();
  const auto result = fast_float::from_chars(text.data(), end, value);
  if (result.ec == std::errc::invalid_argument || result.ptr != end || text.empty())
    return NumberKind::not_a_number;
  if (std::isnan(value)) return NumberKind::not_a_number;
  return std::isfinite(value) ? NumberKind::finite : NumberKind::infinite;
}

/// Empty, NA, N/A, nan, null or ?, in any case.
[[nodiscard]] bool is_missing_token(std::string_view text);

}  // namespace mercer
