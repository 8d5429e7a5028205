// Reading and writing the .npy header: magic, version, length, and a Python dictionary of three keys.
#include "data/npy_header.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>

namespace mercer {

namespace {

constexpr std::string_view magic("\x93NUMPY", 6);
static_assert(std::endian::native == std::endian::little, "npy files are written little-endian");

[[noreturn]] void fail(const std::string& where, std::string_view what) {
  throw Error(ErrorCode::bad_data, fmt::format("{}: {}", where, what),
              "is the file complete? write it again with numpy.save");
}

/// The few Python literals a header holds.
class Literal {
 public:
  Literal(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  void expect(char c) {
    if (!accept(c)) fail(where_, fmt::format("damaged npy header: no '{}' where one belongs", c));
  }
  bool accept(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string_view string() {
    skip_blanks();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail(where_, "damaged npy header: a string is missing");
    const auto end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail(where_, "damaged npy header: a string does not end");
    const auto out = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return out;
  }
  /// A type; records (a list of fields) are stepped over and called "records".
  std::string_view type() {
    if (!accept('[')) return string();
    for (int depth = 1; depth > 0; ++at_) {
      if (at_ >= text_.size()) fail(where_, "damaged npy header: a list does not end");
      depth += text_[at_] == '[' ? 1 : text_[at_] == ']' ? -1 : 0;
    }
    return "records";
  }
  bool boolean() {
    skip_blanks();
    for (const auto& [word, value] :
         {std::pair{std::string_view("True"), true}, {std::string_view("False"), false}}) {
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return value;
    }
    fail(where_, "damaged npy header: fortran_order is neither True nor False");
  }
  std::vector<Index> shape() {
    std::vector<Index> out;
    expect('(');
    while (!accept(')')) {
      skip_blanks();
      Index value = 0;
      const auto parsed = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
      if (parsed.ec != std::errc{}) fail(where_, "damaged npy header: the shape is not a tuple of integers");
      if (value < 0) fail(where_, fmt::format("damaged npy header: negative shape {}", value));
      at_ = static_cast<std::size_t>(parsed.ptr - text_.data());
      accept('L');  // Python 2 wrote 3L
      out.push_back(value);
      if (out.size() > 64) fail(where_, "damaged npy header: more than 64 axes");
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return out;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t at_ = 0;
};

void parse_descr(NpyHeader& header, const std::string& where) {
  std::string_view descr = header.descr;
  const auto damaged = [&] { fail(where, fmt::format("damaged npy header: type '{}'", header.descr)); };
  if (descr.empty()) damaged();
  if (descr == "records") {
    header.kind = 'V';
    return;
  }
  char order = '=';
  if (std::string_view("<>=|").find(descr[0]) != std::string_view::npos) {
    order = descr[0];
    descr.remove_prefix(1);
  }
  if (descr.empty()) damaged();
  header.kind = descr[0] == '?' ? 'b' : descr[0];
  std::size_t size = 1;
  if (descr.size() > 1) {
    const char* end = descr.data() + descr.size();
    const auto parsed = std::from_chars(descr.data() + 1, end, size);
    if (parsed.ec != std::errc{} || (parsed.ptr != end && *parsed.ptr != '[')) damaged();
  }
  if (size == 0 && header.kind != 'U' && header.kind != 'S') damaged();
  if (size > (std::size_t{1} << 28)) damaged();
  header.item = header.kind == 'U' ? 4 * size : size;
  header.swapped = order == '>' && (header.item > 1 || header.kind == 'U');
}

void check_sizes(const NpyHeader& header, std::uint64_t total, const std::string& where) {
  std::uint64_t bytes = header.item;
  bool overflow = false;
  for (const Index axis : header.shape)
    overflow |= __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(axis), &bytes);
  const auto shown = fmt::format("({})", fmt::join(header.shape, ", "));
  const std::uint64_t available = total - header.offset;
  if (overflow || bytes > available)
    fail(where, fmt::format("shape {} of {} needs {} bytes, the file holds {}", shown, header.descr,
                            overflow ? std::string("far more") : std::to_string(bytes), available));
  if (bytes < available)
    fail(where, fmt::format("{} bytes too many for shape {} of {}", available - bytes, shown, header.descr));
}

}  // namespace

std::size_t NpyHeader::count() const {
  std::size_t out = 1;
  for (const Index axis : shape) out *= static_cast<std::size_t>(axis);
  return out;
}

Index NpyHeader::cols() const {
  Index out = 1;
  for (std::size_t i = 1; i < shape.size(); ++i) out *= shape[i];
  return out;
}

bool NpyHeader::is_numeric() const {
  switch (kind) {
    case 'b':
      return item == 1;
    case 'i':
    case 'u':
      return item == 1 || item == 2 || item == 4 || item == 8;
    case 'f':
      return item == 4 || item == 8;
    default:
      return false;
  }
}

NpyHeader parse_npy_header(std::string_view beginning, std::uint64_t total, const std::string& where) {
  if (total == 0) throw Error(ErrorCode::bad_data, fmt::format("{}: the file is empty", where));
  if (beginning.substr(0, magic.size()) != magic)
    fail(where, "not a npy file (its first bytes are not \\x93NUMPY)");
  const auto byte = [&](std::size_t i) -> std::size_t { return static_cast<unsigned char>(beginning[i]); };
  if (beginning.size() < 10) fail(where, "the npy header is cut off");
  const std::size_t major = byte(6);
  if (major < 1 || major > 3) fail(where, fmt::format("unknown npy version {}.{}", major, byte(7)));
  std::size_t length = byte(8) | byte(9) << 8;
  std::size_t start = 10;
  if (major > 1) {
    if (beginning.size() < 12) fail(where, "the npy header is cut off");
    length |= byte(10) << 16 | byte(11) << 24;
    start = 12;
  }
  if (start + length > total) fail(where, "the npy header is cut off");
  if (start + length > beginning.size())
    throw Error(ErrorCode::bad_data, fmt::format("{}: a npy header of {} bytes", where, length),
                "only plain numeric arrays are read");

  NpyHeader header;
  header.offset = start + length;
  Literal dictionary(beginning.substr(start, length), where);
  bool descr = false, order = false, shape = false;
  dictionary.expect('{');
  while (!dictionary.accept('}')) {
    const auto key = dictionary.string();
    dictionary.expect(':');
    if (key == "descr") {
      header.descr = dictionary.type();
      descr = true;
    } else if (key == "fortran_order") {
      header.fortran = dictionary.boolean();
      order = true;
    } else if (key == "shape") {
      header.shape = dictionary.shape();
      shape = true;
    } else {
      fail(where, fmt::format("damaged npy header: unknown key '{}'", key.substr(0, 40)));
    }
    if (!dictionary.accept(',')) {
      dictionary.expect('}');
      break;
    }
  }
  if (!descr || !order || !shape) fail(where, "damaged npy header: descr, fortran_order or shape is missing");
  parse_descr(header, where);
  if (header.is_numeric() || header.is_text()) check_sizes(header, total, where);
  return header;
}

std::string format_npy_header(std::string_view descr, const std::vector<Index>& shape) {
  std::string axes;
  for (const Index axis : shape) axes += fmt::format("{}, ", axis);
  if (shape.size() > 1)
    axes.resize(axes.size() - 2);
  else
    axes.resize(axes.size() - 1);  // (3,)
  const auto dictionary =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, axes);
  constexpr std::size_t start = 10, step = 64;
  const std::size_t needed = (start + dictionary.size() + 1 + step - 1) / step * step;
  const std::size_t size = std::max(npy_written_header, needed);
  std::string out(magic);
  out += std::string("\x01\x00", 2);
  out += static_cast<char>((size - start) & 0xff);
  out += static_cast<char>((size - start) >> 8);
  out += dictionary;
  out.resize(size - 1, ' ');
  return out + '\n';
}

}  // namespace mercer
