// PGM, netpbm's grey pictures: P2 (numbers in text) and P5 (bytes; two a pixel, high one first, where white
// is above 255). '#' begins a comment.
#include "tensor/image_file.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace mercer {

namespace {

[[noreturn]] void damaged_pgm(const std::string& where, const std::string& what) {
  throw Error(ErrorCode::bad_data, fmt::format("{}: {}", where, what),
              "is the image complete? make it again, or take it out of the folder");
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Numbers with blanks and comments between.
class Numbers {
 public:
  Numbers(std::string_view text, const std::string& where) : rest_(text), where_(where) {}

  Index next(const char* what) {
    skip_blanks();
    Index value = 0;
    const auto parsed = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    const auto length = static_cast<std::size_t>(parsed.ptr - rest_.data());
    const bool ends = length == rest_.size() || is_space(rest_[length]) || rest_[length] == '#';
    if (parsed.ec != std::errc{} || !ends || value < 0)
      damaged_pgm(where_, rest_.empty() ? fmt::format("the PGM image ends before its {}", what)
                                        : fmt::format("damaged PGM image: its {} is not a number", what));
    rest_.remove_prefix(length);
    return value;
  }

  void skip_blanks() {
    while (!rest_.empty() && (is_space(rest_[0]) || rest_[0] == '#')) {
      if (rest_[0] == '#')
        rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
      else
        rest_.remove_prefix(1);
    }
  }

  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  const std::string& where_;
};

struct Pgm {
  ImageForm form;
  bool text = false;
  std::string_view raster;
};

Pgm parse_header(std::string_view bytes, const std::string& where) {
  const auto magic = bytes.substr(0, 2);
  if (magic != "P2" && magic != "P5")
    damaged_pgm(where, "not a PGM image (its first bytes are neither P2 nor P5)");
  Pgm out;
  out.text = magic == "P2";
  Numbers numbers(bytes.substr(2), where);
  out.form.width = numbers.next("width");
  out.form.height = numbers.next("height");
  out.form.white = numbers.next("largest value");
  const auto& [height, width, white] = out.form;
  if (height < 1 || width < 1)
    damaged_pgm(where, fmt::format("damaged PGM image: size {} x {}", width, height));
  if (white < 1 || white > 65535)
    damaged_pgm(where, fmt::format("damaged PGM image: largest value {}", white));
  out.raster = numbers.rest();
  if (!out.text && !out.raster.empty()) out.raster.remove_prefix(1);  // the one blank after the header
  const Index item = out.text || white < 256 ? 1 : 2;
  const auto there = static_cast<Index>(out.raster.size());
  if (height > there / width || height * width > there / item)
    damaged_pgm(where, fmt::format("the PGM image ends too early for {} x {} pixels", width, height));
  return out;
}

void require_end(std::string_view rest, const std::string& where) {
  while (!rest.empty() && is_space(rest[0])) rest.remove_prefix(1);
  if (!rest.empty()) damaged_pgm(where, fmt::format("{} bytes too many after the PGM image", rest.size()));
}

}  // namespace

ImageForm pgm_form(std::string_view bytes, const std::string& where) {
  return parse_header(bytes, where).form;
}

template <class T>
void read_pgm(std::string_view bytes, const std::string& where, const ImageForm& form, T* pixels) {
  const Pgm image = parse_header(bytes, where);
  if (image.form != form) damaged_pgm(where, "the PGM image changed while it was read");
  const Index count = form.height * form.width, white = form.white;
  const auto put = [&](Index i, Index value) {
    if (value > white)
      damaged_pgm(where, fmt::format("damaged PGM image: a pixel of {} where white is {}", value, white));
    pixels[i] = static_cast<T>(value);
  };
  if (image.text) {
    Numbers numbers(image.raster, where);
    for (Index i = 0; i < count; ++i) put(i, numbers.next("last pixel"));
    numbers.skip_blanks();
    return require_end(numbers.rest(), where);
  }
  const auto byte = [&](Index i) -> Index {
    return static_cast<unsigned char>(image.raster[static_cast<std::size_t>(i)]);
  };
  for (Index i = 0; i < count; ++i) put(i, white < 256 ? byte(i) : byte(2 * i) << 8 | byte(2 * i + 1));
  require_end(image.raster.substr(static_cast<std::size_t>(white < 256 ? count : 2 * count)), where);
}

template void read_pgm(std::string_view, const std::string&, const ImageForm&, float*);
template void read_pgm(std::string_view, const std::string&, const ImageForm&, double*);

}  // namespace mercer
