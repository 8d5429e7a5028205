// Guessing the layout of a text table. The delimiter is the one that cuts the first lines into
// equally many fields, most of them numbers; the first row is a header when it has words where the
// next row has numbers.
#include "data/delimited_layout.hpp"

#include "data/label.hpp"
#include "data/number.hpp"
#include "data/text_lines.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <tuple>

namespace mercer {

namespace {

/// The first few lines that hold something, after the byte order mark and comments.
struct Beginning {
  std::vector<std::string_view> lines;
  std::vector<std::string_view> after;  ///< the text behind each of them
  std::vector<Index> numbers;           ///< 1-based
  std::string_view rest;                ///< the text from the first of them on
};

Beginning read_beginning(std::string_view text) {
  Beginning out;
  Index number = 0;
  bool comments = true;
  while (!text.empty() && static_cast<Index>(out.lines.size()) < layout_lines) {
    const std::string_view before = text;
    const std::string_view line = take_line(text);
    ++number;
    if (is_blank_line(line, '\t')) continue;
    if (comments && trimmed(line).substr(0, 1) == "#") continue;
    if (comments) out.rest = before;
    comments = false;
    out.lines.push_back(line);
    out.after.push_back(text);
    out.numbers.push_back(number);
  }
  return out;
}

std::vector<Field> split(std::string_view line, char delimiter) {
  std::vector<Field> out;
  FieldCursor cursor(line, delimiter);
  for (Field f; cursor.next(f);) out.push_back(f);
  return out;
}

bool looks_numeric(const Field& field) {
  double value = 0;
  return is_missing_token(field.text) || parse_number(field.text, value) != NumberKind::not_a_number;
}

char find_delimiter(const std::vector<std::string_view>& lines) {
  using Score = std::tuple<bool, double, Index>;  // equally many fields; share of numbers; fields
  Score best{false, -1, 0};
  char delimiter = ',';
  for (const char candidate : {',', ';', '\t', '|', blanks}) {
    const auto width = static_cast<Index>(split(lines[0], candidate).size());
    if (width < 2) continue;
    bool even = true;
    double fields = 0, numbers = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto row = split(lines[i], candidate);
      even = even && static_cast<Index>(row.size()) == width;
      if (i == 0 && lines.size() > 1) continue;  // may be the header
      fields += static_cast<double>(row.size());
      numbers += static_cast<double>(std::count_if(row.begin(), row.end(), looks_numeric));
    }
    const Score score{even, fields > 0 ? numbers / fields : 0, candidate == blanks ? 0 : width};
    if (score <= best) continue;
    // Words with spaces are not a table: blanks need numbers to be believed.
    if (candidate == blanks && (!even || std::get<1>(score) < 0.5)) continue;
    best = score;
    delimiter = candidate;
  }
  return delimiter;
}

std::optional<Index> as_index(const std::string& label, Index count) {
  Index index = 0;
  const char* end = label.data() + label.size();
  const auto parsed = std::from_chars(label.data(), end, index);
  if (parsed.ec != std::errc{} || parsed.ptr != end || index < -count || index >= count) return std::nullopt;
  return index < 0 ? index + count : index;
}

/// Words in a feature column of the first row, and not words again below all of them: then the file
/// simply has a text column, and the error belongs to that column. A field equal to the label's
/// name settles it.
bool has_header(const std::vector<Field>& first, const std::vector<Field>& second, const std::string& label) {
  const auto count = static_cast<Index>(first.size());
  if (!label.empty() && std::any_of(first.begin(), first.end(),
                                    [&](const Field& f) { return !looks_numeric(f) && f.value() == label; }))
    return true;
  const auto label_field = as_index(label, count);
  Index words = 0, words_again = 0, numbers = 0;
  for (Index i = 0; i < count; ++i) {
    if (label_field == i) continue;
    const auto k = static_cast<std::size_t>(i);
    if (looks_numeric(first[k])) {
      ++numbers;
      continue;
    }
    ++words;
    if (k >= second.size() || !looks_numeric(second[k])) ++words_again;
  }
  return words > words_again || (words > 0 && numbers == 0);
}

}  // namespace

std::string DelimitedLayout::shown_name(Index field) const {
  if (names.empty()) return std::to_string(field);
  return '"' + names[static_cast<std::size_t>(field)] + '"';
}

DelimitedLayout find_layout(std::string_view text, const std::string& ending, const std::string& label,
                            const std::string& where) {
  if (text.empty()) throw Error(ErrorCode::bad_data, fmt::format("{}: the file is empty", where));
  if (text.substr(0, 2) == "\xff\xfe" || text.substr(0, 2) == "\xfe\xff")
    throw Error(ErrorCode::bad_data, fmt::format("{}: the text is UTF-16", where), "save it as UTF-8");
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);

  const Beginning beginning = read_beginning(text);
  if (beginning.lines.empty())
    throw Error(ErrorCode::bad_data, fmt::format("{}: the file has no rows", where));

  DelimitedLayout out;
  out.delimiter = ending == "tsv" ? '\t' : find_delimiter(beginning.lines);
  const auto first = split(beginning.lines[0], out.delimiter);
  const auto second =
      beginning.lines.size() > 1 ? split(beginning.lines[1], out.delimiter) : std::vector<Field>{};
  out.fields = static_cast<Index>(first.size());
  out.body = beginning.rest;
  out.body_line = beginning.numbers[0];
  if (has_header(first, second, label)) {
    if (second.empty()) throw Error(ErrorCode::bad_data, fmt::format("{}: a header but no rows", where));
    for (const Field& f : first) out.names.push_back(f.value());
    out.body = beginning.after[0];
    out.body_line = beginning.numbers[0] + 1;
  }
  if (!label.empty()) out.label = find_label(label, out.names, out.fields, where);
  if (out.features() == 0)
    throw Error(ErrorCode::bad_data, fmt::format("{}: no column but the label", where),
                "there must be a feature");
  return out;
}

}  // namespace mercer
