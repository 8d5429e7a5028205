// Splitting a line into fields; the slow and complete way. Number columns take the short cut in
// delimited_rows.cpp and come here only for what is not plainly a number.
#include "data/text_lines.hpp"

#include <algorithm>

namespace mercer {

std::vector<std::string_view> cut_lines(std::string_view text, std::size_t size) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    std::size_t end = text.size();
    if (text.size() > 2 * size) {
      const auto newline = text.find('\n', size);
      if (newline != std::string_view::npos) end = newline + 1;
    }
    out.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

std::string Field::value() const {
  if (!escaped) return std::string(text);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] == '"') ++i;  // the second of a pair
  }
  return out;
}

FieldCursor::FieldCursor(std::string_view line, char delimiter, const char* from)
    : at_(from != nullptr ? from : line.data()), end_(line.data() + line.size()), delimiter_(delimiter) {}

bool FieldCursor::next(Field& field) {
  field = {};
  if (delimiter_ == blanks) {
    while (at_ < end_ && is_blank(*at_)) ++at_;
    if (at_ == end_) return false;
  } else {
    if (!first_) {
      if (at_ == end_) return false;
      ++at_;  // the delimiter
    }
    first_ = false;
    while (at_ < end_ && is_blank(*at_) && *at_ != delimiter_) ++at_;
  }
  if (at_ < end_ && *at_ == '"') {
    read_quoted(field);
    return true;
  }
  const char* stop =
      delimiter_ == blanks ? std::find_if(at_, end_, is_blank) : std::find(at_, end_, delimiter_);
  field.text = trimmed(std::string_view(at_, static_cast<std::size_t>(stop - at_)));
  at_ = stop;
  return true;
}

void FieldCursor::read_quoted(Field& field) {
  field.quoted = true;
  const char* begin = at_ + 1;
  const char* p = begin;
  for (;;) {
    p = std::find(p, end_, '"');
    if (p == end_) {
      field.malformed = true;
      break;
    }
    if (p + 1 == end_ || p[1] != '"') break;
    field.escaped = true;
    p += 2;
  }
  field.text = std::string_view(begin, static_cast<std::size_t>(p - begin));
  at_ = p == end_ ? p : p + 1;
  if (delimiter_ == blanks) {
    if (at_ < end_ && !is_blank(*at_)) field.malformed = true;
  } else {
    while (at_ < end_ && is_blank(*at_) && *at_ != delimiter_) ++at_;
    if (at_ < end_ && *at_ != delimiter_) field.malformed = true;
  }
  if (field.malformed)
    at_ = delimiter_ == blanks ? std::find_if(at_, end_, is_blank) : std::find(at_, end_, delimiter_);
}

Index count_fields(std::string_view line, char delimiter) {
  FieldCursor cursor(line, delimiter);
  Field field;
  Index count = 0;
  while (cursor.next(field)) ++count;
  return count;
}

}  // namespace mercer
