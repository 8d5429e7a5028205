// The reader of .tns, FROSTT's text of sparse tensors: `i j k value` a line, indices from 1, '#' begins a
// comment. The text comes in pieces of whole lines; each is cut into chunks, whose entries are counted first,
// so that all of them can be parsed at once straight to where they belong.
#include "base/parallel.hpp"
#include "data/line_stream.hpp"
#include "data/number.hpp"
#include "tensor/tensor_formats.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <optional>

namespace mercer {

namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 24, chunk_bytes = std::size_t{1} << 18;
constexpr std::uint64_t largest_index = std::numeric_limits<std::uint32_t>::max();

/// Where the text of the line begins, past its blanks; null for an empty line or a comment.
const char* begin_of_entry(std::string_view line) {
  const char* p = line.data();
  const char* const end = p + line.size();
  while (p < end && is_blank(*p)) ++p;
  return p == end || *p == '#' ? nullptr : p;
}

std::string shortened(std::string_view text) {
  return text.size() > 60 ? fmt::format("{}...", text.substr(0, 57)) : std::string(text);
}

/// What all entries of a file have in common.
struct Layout {
  std::string where;
  std::size_t order = 0;  ///< 0: no entry has been seen
  Shape bound;            ///< largest index allowed for each mode
};

struct Chunk {
  std::string_view text;
  Index lines = 0, entries = 0;             ///< in it
  Index first_line = 1;                     ///< its first line's number in the file
  std::size_t first_entry = 0;              ///< where its entries go
  std::vector<std::uint32_t> largest = {};  ///< index of each mode, from 1
  std::optional<Error> error = {};
};

void count(Chunk& chunk) {
  for (std::string_view rest = chunk.text; !rest.empty();) {
    ++chunk.lines;
    if (begin_of_entry(take_line(rest)) != nullptr) ++chunk.entries;
  }
}

/// Parses the entries of one chunk.
template <class T>
class EntryParser {
 public:
  EntryParser(const Layout& layout, Chunk& chunk, Coordinates<T>& out) : layout_(layout), chunk_(chunk) {
    for (auto& mode : out.index) index_.push_back(mode.data() + chunk.first_entry);
    values_ = out.values.data() + chunk.first_entry;
  }

  void parse() {
    chunk_.largest.assign(layout_.order, 0);
    line_number_ = chunk_.first_line - 1;
    std::size_t entry = 0;
    for (std::string_view rest = chunk_.text; !rest.empty();) {
      line_ = take_line(rest);
      ++line_number_;
      if (const char* p = begin_of_entry(line_)) parse_line(p, entry++);
    }
  }

 private:
  void parse_line(const char* p, std::size_t entry) {
    const char* const end = line_.data() + line_.size();
    for (std::size_t mode = 0; mode < layout_.order; ++mode) {
      const char* const begin = p;
      std::uint64_t index = 0;
      for (; p < end && *p >= '0' && *p <= '9'; ++p)
        if (index <= largest_index) index = 10 * index + static_cast<std::uint64_t>(*p - '0');
      const bool ends = p < end && is_blank(*p);
      if (p == begin || !ends || index - 1 >= static_cast<std::uint64_t>(layout_.bound[mode]))
        fail_index(begin, mode);
      index_[mode][entry] = static_cast<std::uint32_t>(index - 1);
      chunk_.largest[mode] = std::max(chunk_.largest[mode], static_cast<std::uint32_t>(index));
      while (p < end && is_blank(*p)) ++p;
    }
    const auto fast = fast_float::from_chars(p, end, values_[entry]);
    const bool ends = fast.ptr == end || is_blank(*fast.ptr) || *fast.ptr == '#';
    if (fast.ec == std::errc{} && ends && std::isfinite(values_[entry]))
      p = fast.ptr;
    else
      values_[entry] = parse_slowly(p);
    while (p < end && is_blank(*p)) ++p;
    if (p < end && *p != '#') fail_ragged();
  }

  /// A plus sign, a number too small to be held, or an error.
  T parse_slowly(const char*& p) {
    const std::string_view token = token_at(p);
    if (token.empty()) fail_ragged();
    T value = 0;
    const NumberKind kind = parse_number(token, value);
    if (kind != NumberKind::finite)
      fail(layout_.order,
           fmt::format("'{}' is not a {}number", shortened(token),
                       kind == NumberKind::infinite || is_missing_token(token) ? "finite " : ""),
           "correct it, or leave the line out: entries that are not listed are 0 or unknown");
    p = token.data() + token.size();
    return value;
  }

  [[noreturn]] void fail_index(const char* begin, std::size_t mode) {
    const std::string_view token = token_at(begin);
    if (token.empty()) fail_ragged();
    const bool digits = std::all_of(token.begin(), token.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!digits)
      fail(mode, fmt::format("'{}' is not an index", shortened(token)), "indices are whole numbers from 1");
    if (token.find_first_not_of('0') == std::string_view::npos) fail(mode, "index 0", "indices count from 1");
    if (layout_.bound[mode] == static_cast<Index>(largest_index))
      fail(mode, fmt::format("index {} is too large", shortened(token)),
           fmt::format("indices go up to {}", largest_index));
    fail(mode, fmt::format("index {} where the size is {}", shortened(token), layout_.bound[mode]),
         "correct it, or give a larger shape");
  }

  [[nodiscard]] std::string_view token_at(const char* p) const {
    const char* const end = line_.data() + line_.size();
    const char* const stop = std::find_if(p, end, [](char c) { return is_blank(c) || c == '#'; });
    return {p, static_cast<std::size_t>(stop - p)};
  }

  /// A line of the wrong width says so first: a wrong value in it is only a consequence.
  [[noreturn]] void fail(std::size_t field, const std::string& what, const std::string& hint) {
    if (fields() != static_cast<Index>(layout_.order) + 1) fail_ragged();
    throw Error(ErrorCode::bad_data,
                fmt::format("{}:{}:{}: {}", layout_.where, line_number_, field + 1, what), hint);
  }

  [[noreturn]] void fail_ragged() {
    throw Error(ErrorCode::bad_data,
                fmt::format("{}:{}: {} field{}, expected {}", layout_.where, line_number_, fields(),
                            fields() == 1 ? "" : "s", layout_.order + 1),
                fmt::format("every line has {} ind{} and a value, as the first one does", layout_.order,
                            layout_.order == 1 ? "ex" : "ices"));
  }

  [[nodiscard]] Index fields() const { return count_fields(line_.substr(0, line_.find('#')), blanks); }

  const Layout& layout_;
  Chunk& chunk_;
  std::vector<std::uint32_t*> index_;
  T* values_ = nullptr;
  std::string_view line_;
  Index line_number_ = 0;
};

/// All pieces of one file.
template <class T>
class TnsReader {
 public:
  TnsReader(const Location& file, const Shape& shape, const Run& run) : run_(run), lines_(file) {
    layout_.where = file.shown();
    sizes_ = layout_.bound = shape;
    for (const Index size : shape)
      if (size < 0 || size > static_cast<Index>(largest_index))
        throw Error(ErrorCode::usage, fmt::format("a mode of size {}", size),
                    fmt::format("sizes go from 1 to {}; 0: the largest index", largest_index));
    std::replace(layout_.bound.begin(), layout_.bound.end(), Index(0), static_cast<Index>(largest_index));
  }

  Coordinates<T> read() {
    std::string_view text = lines_.ahead_bytes(piece_bytes);
    if (text.empty()) throw Error(ErrorCode::bad_data, fmt::format("{}: the file is empty", layout_.where));
    if (text.substr(0, 3) == "\xef\xbb\xbf") lines_.skip(3);
    while (!(text = lines_.ahead_bytes(piece_bytes)).empty()) {
      parse(text);
      lines_.skip(text.size());
      run_.report("read", lines_.fraction());
    }
    if (out_.values.empty())
      throw Error(ErrorCode::bad_data, fmt::format("{}: the file has no entries", layout_.where),
                  "a line reads 'i j k value', indices from 1");
    out_.shape = largest_;
    for (std::size_t m = 0; m < sizes_.size(); ++m)
      if (sizes_[m] > 0) out_.shape[m] = sizes_[m];
    return std::move(out_);
  }

 private:
  void parse(std::string_view text) {
    std::vector<Chunk> chunks;
    for (const std::string_view piece : cut_lines(text, chunk_bytes)) chunks.push_back({.text = piece});
    const auto chunk_count = static_cast<Index>(chunks.size());
    const auto chunk = [&](Index i) -> Chunk& { return chunks[static_cast<std::size_t>(i)]; };
    parallel_for(chunk_count, run_, [&](Index i) { count(chunk(i)); });
    std::size_t entries = out_.values.size();
    for (Chunk& c : chunks) {
      c.first_line = next_line_;
      c.first_entry = entries;
      next_line_ += c.lines;
      entries += static_cast<std::size_t>(c.entries);
    }
    if (entries == out_.values.size()) return;
    if (layout_.order == 0) find_order(chunks);
    make_room(entries);

    std::atomic<Index> first_error{chunk_count};
    parallel_for(chunk_count, run_, [&](Index i) {
      if (i > first_error.load(std::memory_order_relaxed)) return;  // an earlier chunk's error wins
      try {
        EntryParser<T>(layout_, chunk(i), out_).parse();
      } catch (const Error& e) {
        chunk(i).error = e;
        Index seen = first_error.load();
        while (i < seen && !first_error.compare_exchange_weak(seen, i)) {
        }
      }
    });
    if (first_error < chunk_count) throw *chunk(first_error).error;
    for (const Chunk& c : chunks)
      for (std::size_t mode = 0; mode < layout_.order; ++mode)
        largest_[mode] = std::max<Index>(largest_[mode], c.largest[mode]);
  }

  /// As the first entry has it.
  void find_order(const std::vector<Chunk>& chunks) {
    const auto first =
        std::find_if(chunks.begin(), chunks.end(), [](const Chunk& c) { return c.entries > 0; });
    std::string_view rest = first->text, line;
    Index number = first->first_line - 1;
    do {
      line = take_line(rest);
      ++number;
    } while (begin_of_entry(line) == nullptr);
    const Index fields = count_fields(line.substr(0, line.find('#')), blanks);
    const std::string place = fmt::format("{}:{}", layout_.where, number);
    if (fields < 2)
      throw Error(ErrorCode::bad_data, fmt::format("{}: 1 field", place),
                  "a line reads 'i j k value', with blanks between");
    layout_.order = static_cast<std::size_t>(fields - 1);
    if (!sizes_.empty() && sizes_.size() != layout_.order)
      throw Error(ErrorCode::bad_data,
                  fmt::format("{}: {} ind{} and a value, where the shape {} has {}", place, layout_.order,
                              layout_.order == 1 ? "ex" : "ices", to_string(sizes_), sizes_.size()),
                  "the shape has a size for each index");
    if (sizes_.empty()) layout_.bound.assign(layout_.order, static_cast<Index>(largest_index));
    largest_.assign(layout_.order, 0);
    out_.index.resize(layout_.order);
  }

  /// Growing means copying: what has been read tells how many there will be, a little too few, since the
  /// stream reads ahead. What is reserved and not used is never touched and costs nothing.
  void make_room(std::size_t entries) {
    const double done = lines_.fraction();  // 0: not known
    const auto expected =
        done > 0 ? static_cast<std::size_t>(1.1 * static_cast<double>(entries) / done) : entries;
    const auto grow = [&](auto& array) {
      if (entries > array.capacity())
        array.reserve(std::max(expected, array.capacity() + array.capacity() / 2));
      array.resize(entries);
    };
    for (auto& mode : out_.index) grow(mode);
    grow(out_.values);
  }

  const Run& run_;
  LineStream lines_;
  Layout layout_;
  Shape sizes_;  ///< as given; none, or 0 for a mode: the largest index
  Index next_line_ = 1;
  Shape largest_;  ///< index of each mode, from 1
  Coordinates<T> out_;
};

}  // namespace

template <class T>
Coordinates<T> read_tns(const Location& file, const Shape& shape, const Run& run) {
  return TnsReader<T>(file, shape, run).read();
}

template Coordinates<float> read_tns(const Location&, const Shape&, const Run&);
template Coordinates<double> read_tns(const Location&, const Shape&, const Run&);

}  // namespace mercer
