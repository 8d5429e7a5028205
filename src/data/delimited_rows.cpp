// Parsing rows. The text is cut at line ends into chunks; a first pass counts lines and rows, so
// that each chunk knows its place in the matrix and its line numbers; a second parses them all.
#include "data/delimited_rows.hpp"

#include "base/parallel.hpp"
#include "data/number.hpp"
#include "data/text_lines.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <deque>
#include <limits>
#include <optional>

namespace mercer {

namespace {

struct Chunk {
  std::string_view text;
  Index lines = 0, rows = 0;            ///< in it
  Index first_line = 1, first_row = 0;  ///< before it
  bool has_missing = false;
  std::optional<Error> error;
  std::deque<std::string> unescaped;  ///< label texts that had "" in them
};

/// "5,1" between other separators.
bool has_decimal_comma(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) return false;
  std::string with_point(text);
  with_point[comma] = '.';
  double value = 0;
  return parse_number(with_point, value) == NumberKind::finite;
}

/// As an argument to be pasted.
std::string for_a_shell(const std::string& name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c >= 0x80;
  });
  return plain || name.find('\'') != std::string::npos ? name : fmt::format("'{}'", name);
}

std::vector<Chunk> cut(std::string_view text, std::size_t size) {
  std::vector<Chunk> out;
  for (const std::string_view piece : cut_lines(text, size)) out.emplace_back().text = piece;
  return out;
}

void count(Chunk& chunk, char delimiter) {
  std::string_view rest = chunk.text;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    ++chunk.lines;
    if (!line.empty() && (line[0] > ' ' || !is_blank_line(line, delimiter))) ++chunk.rows;
  }
}

/// Parses the rows of one chunk.
template <class T>
class RowParser {
 public:
  RowParser(const DelimitedLayout& layout, Missing missing, const std::string& where, Chunk& chunk)
      : layout_(layout), missing_(missing), where_(where), chunk_(chunk) {}

  /// One row a line that is not blank; `stride` 0 checks without keeping.
  void parse(T* out, Index stride, std::string_view* labels) {
    std::string_view rest = chunk_.text;
    line_number_ = chunk_.first_line - 1;
    while (!rest.empty()) {
      line_ = take_line(rest);
      ++line_number_;
      if (is_blank_line(line_, layout_.delimiter)) continue;
      parse_line(out, labels);
      out += stride;
      if (labels != nullptr && stride > 0) ++labels;
    }
  }

 private:
  void parse_line(T* out, std::string_view* label) {
    const char delimiter = layout_.delimiter;
    const char* p = line_.data();
    const char* const end = p + line_.size();
    for (Index field = 0; field < layout_.fields; ++field) {
      if (field > 0) {
        if (p == end) fail_ragged();
        ++p;  // the delimiter, or the first of the blanks
      }
      if (delimiter == blanks) {
        while (p < end && is_blank(*p)) ++p;
        if (p == end) fail_ragged();
      }
      if (field == layout_.label) {
        *label = parse_label(p, field);
        continue;
      }
      T value;
      const auto fast = fast_float::from_chars(p, end, value);
      const bool ends =
          fast.ptr == end || *fast.ptr == delimiter || (delimiter == blanks && is_blank(*fast.ptr));
      if (fast.ec == std::errc{} && ends && std::isfinite(value))
        p = fast.ptr;
      else
        value = parse_slowly(p, field);
      *out++ = value;
    }
    if (delimiter == blanks)
      while (p < end && is_blank(*p)) ++p;
    if (p != end) fail_ragged();
  }

  /// Spaces, quotes, a plus sign, a missing value, or an error.
  T parse_slowly(const char*& p, Index field) {
    const Field f = take_field(p, field);
    T value = 0;
    const NumberKind kind = parse_number(f.text, value);
    if (kind == NumberKind::finite) return value;
    const std::string place = fmt::format("{}:{}:{}", where_, line_number_, field + 1);
    const std::string name = layout_.shown_name(field);
    const std::string text = shortened(f);
    if (kind == NumberKind::infinite)
      fail(fmt::format("{}: '{}' is not a finite number in column {}", place, text, name),
           "correct or remove it");
    if (!is_missing_token(f.text))
      fail(fmt::format("{}: '{}' is not a number in column {}", place, text, name),
           has_decimal_comma(f.text)
               ? "write it with a decimal point"
               : fmt::format("if the column holds classes, say --label {}",
                             layout_.names.empty()
                                 ? name
                                 : for_a_shell(layout_.names[static_cast<std::size_t>(field)])));
    if (missing_ == Missing::error)
      fail(fmt::format("{}: '{}' is not a number in column {}", place, text, name),
           "drop such rows with --missing drop");
    chunk_.has_missing = true;
    return std::numeric_limits<T>::quiet_NaN();
  }

  std::string_view parse_label(const char*& p, Index field) {
    const Field f = take_field(p, field);
    if (is_missing_token(f.text)) {
      if (missing_ != Missing::drop)
        fail(fmt::format("{}:{}:{}: '{}' is not a class in column {}", where_, line_number_, field + 1,
                         shortened(f), layout_.shown_name(field)),
             "drop such rows with --missing drop");
      chunk_.has_missing = true;
      return {};
    }
    return f.escaped ? chunk_.unescaped.emplace_back(f.value()) : f.text;
  }

  Field take_field(const char*& p, Index field) {
    FieldCursor cursor(line_, layout_.delimiter, p);
    Field f;
    if (!cursor.next(f)) fail_ragged();
    if (f.malformed)
      fail(fmt::format("{}:{}:{}: a quote that does not close with its field", where_, line_number_,
                       field + 1),
           "quoted fields end on their line, and a quote inside one is written twice");
    p = cursor.position();
    return f;
  }

  static std::string shortened(const Field& f) {
    std::string text = f.value();
    if (text.size() > 60) text = text.substr(0, 57) + "...";
    return text;
  }

  /// A row of the wrong width says so first: a wrong value in it is only a consequence.
  [[noreturn]] void fail(const std::string& message, const std::string& hint) {
    if (count_fields(line_, layout_.delimiter) != layout_.fields) fail_ragged();
    throw Error(ErrorCode::bad_data, message, hint);
  }

  [[noreturn]] void fail_ragged() {
    const Index found = count_fields(line_, layout_.delimiter);
    throw Error(ErrorCode::bad_data,
                fmt::format("{}:{}: {} field{}, expected {}", where_, line_number_, found,
                            found == 1 ? "" : "s", layout_.fields),
                "every row must have as many fields as the first");
  }

  const DelimitedLayout& layout_;
  Missing missing_;
  const std::string& where_;
  Chunk& chunk_;
  std::string_view line_;
  Index line_number_ = 0;
};

/// A first row far wider than the others would ask for more memory than the text can fill. Such a
/// text has a ragged row: find it, keeping one row at a time.
template <class T>
void fail_if_too_wide(const DelimitedLayout& layout, Missing missing, const std::string& where, Index rows) {
  if (rows == 0 || layout.fields - 1 <= static_cast<Index>(layout.body.size()) / rows) return;
  Chunk whole;
  whole.text = layout.body;
  whole.first_line = layout.body_line;
  std::vector<T> row(static_cast<std::size_t>(layout.fields));
  std::string_view label;
  RowParser<T>(layout, missing, where, whole).parse(row.data(), 0, &label);
}

}  // namespace

template <class T>
DelimitedRows<T> parse_rows(const DelimitedLayout& layout, Missing missing, const std::string& where,
                            const Run& run, std::size_t chunk_size) {
  auto chunks = std::make_shared<std::vector<Chunk>>(cut(layout.body, chunk_size));
  const auto chunk_count = static_cast<Index>(chunks->size());
  const auto chunk = [&](Index i) -> Chunk& { return (*chunks)[static_cast<std::size_t>(i)]; };
  parallel_for(chunk_count, run, [&](Index i) { count(chunk(i), layout.delimiter); });
  Index line = layout.body_line, rows = 0;
  for (Chunk& c : *chunks) {
    c.first_line = line;
    c.first_row = rows;
    line += c.lines;
    rows += c.rows;
  }
  fail_if_too_wide<T>(layout, missing, where, rows);

  DelimitedRows<T> out;
  const Index width = layout.features();
  out.values.resize(rows, width);
  if (layout.label >= 0) out.labels.resize(static_cast<std::size_t>(rows));
  std::atomic<Index> first_error{chunk_count};
  std::atomic<Index> done{0};
  parallel_for(chunk_count, run, [&](Index i) {
    if (i > first_error.load(std::memory_order_relaxed)) return;  // an earlier chunk's error wins
    Chunk& c = chunk(i);
    try {
      RowParser<T>(layout, missing, where, c)
          .parse(out.values.data() + c.first_row * width, width,
                 out.labels.data() + (out.labels.empty() ? 0 : c.first_row));
    } catch (const Error& e) {
      c.error = e;
      Index seen = first_error.load();
      while (i < seen && !first_error.compare_exchange_weak(seen, i)) {
      }
    }
    const Index finished = ++done;
    if (omp_get_thread_num() == 0)
      run.report("read", static_cast<double>(finished) / static_cast<double>(chunk_count));
  });
  if (first_error < chunk_count) throw *chunk(first_error).error;
  for (const Chunk& c : *chunks) out.has_missing |= c.has_missing;
  out.owner = chunks;
  return out;
}

template DelimitedRows<float> parse_rows(const DelimitedLayout&, Missing, const std::string&, const Run&,
                                         std::size_t);
template DelimitedRows<double> parse_rows(const DelimitedLayout&, Missing, const std::string&, const Run&,
                                          std::size_t);

}  // namespace mercer
