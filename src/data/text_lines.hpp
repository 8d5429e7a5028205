// Lines and fields of delimited text: views into the file, nothing copied. A quoted field may hold
// the delimiter and "" for a quote, but ends on its line.
#pragma once

#include <mercer/matrix.hpp>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// A run of blanks between fields, instead of one delimiter character.
inline constexpr char blanks = ' ';

[[nodiscard]] inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// Takes the next line off `rest`, without its "\n" or "\r\n".
[[nodiscard]] inline std::string_view take_line(std::string_view& rest) {
  const void* found = rest.empty() ? nullptr : std::memchr(rest.data(), '\n', rest.size());
  const std::size_t size = found == nullptr
                               ? rest.size()
                               : static_cast<std::size_t>(static_cast<const char*>(found) - rest.data());
  std::string_view line = rest.substr(0, size);
  rest.remove_prefix(found == nullptr ? size : size + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

/// The text in pieces of about `size` bytes, cut after line ends; up to twice that stays whole.
[[nodiscard]] std::vector<std::string_view> cut_lines(std::string_view text, std::size_t size);

/// Nothing but spaces (a tab that delimits is not nothing).
[[nodiscard]] inline bool is_blank_line(std::string_view line, char delimiter) {
  for (const char c : line)
    if (c != ' ' && (c != '\t' || delimiter == '\t')) return false;
  return true;
}

[[nodiscard]] inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

struct Field {
  std::string_view text;  ///< trimmed, without its quotes
  bool quoted = false;
  bool escaped = false;    ///< holds "" that stands for one quote
  bool malformed = false;  ///< the quote never closes, or something follows it

  [[nodiscard]] std::string value() const;  ///< with the escapes undone
};

/// Goes through the fields of one line.
class FieldCursor {
 public:
  FieldCursor(std::string_view line, char delimiter, const char* from = nullptr);

  /// False at the end of the line.
  bool next(Field& field);
  /// Where the last field ended: at its delimiter or at the end of the line.
  [[nodiscard]] const char* position() const { return at_; }

 private:
  void read_quoted(Field& field);

  const char* at_;
  const char* end_;
  char delimiter_;
  bool first_ = true;
};

[[nodiscard]] Index count_fields(std::string_view line, char delimiter);

}  // namespace mercer
