// Walks the bytes once; the rules are those of RFC 3629 (no overlong forms, no surrogates).
#include "plot/utf8.hpp"

namespace mercer::plot {
namespace {

bool continues(std::string_view text, std::size_t i) {
  return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80;
}

/// Length of the valid character at i; 0 when there is none.
std::size_t character_length(std::string_view text, std::size_t i) {
  const auto first = static_cast<unsigned char>(text[i]);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xc2 && first <= 0xdf   ? 2
                             : (first & 0xf0) == 0xe0         ? 3
                             : first >= 0xf0 && first <= 0xf4 ? 4
                                                              : 0;
  for (std::size_t j = 1; j < length; ++j)
    if (!continues(text, i + j)) return 0;
  if (length < 3) return length;
  const auto second = static_cast<unsigned char>(text[i + 1]);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool beyond = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  return overlong || beyond ? 0 : length;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text, i);
    if (length == 0) {
      out += "\uFFFD";
      ++i;
      continue;
    }
    const auto first = static_cast<unsigned char>(text[i]);
    if (length == 1 && (first < 0x20 || first == 0x7f))
      out += ' ';
    else
      out += text.substr(i, length);
    i += length;
  }
  return out;
}

std::size_t last_character(std::string_view text) {
  std::size_t i = text.size() - 1;
  while (i > 0 && continues(text, i)) --i;
  return i;
}

}  // namespace mercer::plot
