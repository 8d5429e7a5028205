// PNG through libpng: grey, colour and palette, 1 to 16 bits, interlaced or not. libpng leaves by longjmp
// when it finds damage; so what it works on is owned outside of the functions that call it.
#include "tensor/image_file.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>
#include <png.h>

#include <csetjmp>
#include <cstring>
#include <vector>

namespace mercer {

namespace {

/// An image that is being read. After a method has returned false, `reason` says why.
class Png {
 public:
  explicit Png(std::string_view bytes) : rest_(bytes) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, [](png_structp, png_const_charp) {});
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
  }
  ~Png() { png_destroy_read_struct(&png_, &info_, nullptr); }
  Png(const Png&) = delete;
  Png& operator=(const Png&) = delete;

  /// Up to the first pixels: rows of 8- or 16-bit grey or colour will follow.
  bool read_header() {
    if (png_ == nullptr || info_ == nullptr) return false;
    if (setjmp(png_jmpbuf(png_)) != 0) return false;  // NOLINT(cert-err52-cpp): how libpng reports
    png_set_read_fn(png_, this, read_bytes);
    png_read_info(png_, info_);
    packed_row_bytes_ = png_get_rowbytes(png_, info_);
    png_set_expand(png_);  // palettes to colours, fewer bits to 8
    png_set_strip_alpha(png_);
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    return true;
  }

  /// All rows, into memory of height() x row_bytes(); `rows` point there.
  bool read_rows(std::vector<png_bytep>& rows) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;  // NOLINT(cert-err52-cpp)
    png_read_image(png_, rows.data());
    png_read_end(png_, nullptr);
    return true;
  }

  [[nodiscard]] ImageForm form() const {
    return {.height = static_cast<Index>(png_get_image_height(png_, info_)),
            .width = static_cast<Index>(png_get_image_width(png_, info_)),
            .white = depth() == 16 ? 65535 : 255};
  }
  [[nodiscard]] int depth() const { return png_get_bit_depth(png_, info_); }
  [[nodiscard]] int channels() const { return png_get_channels(png_, info_); }
  [[nodiscard]] std::size_t row_bytes() const { return png_get_rowbytes(png_, info_); }
  /// Of the image as it is packed, before anything is made wider.
  [[nodiscard]] std::size_t packed_row_bytes() const { return packed_row_bytes_; }
  [[nodiscard]] std::string reason() const { return reason_; }

 private:
  static void on_error(png_structp png, png_const_charp message) {
    auto* self = static_cast<Png*>(png_get_error_ptr(png));
    std::strncpy(self->reason_, message, sizeof self->reason_ - 1);
    png_longjmp(png, 1);
  }

  static void read_bytes(png_structp png, png_bytep to, std::size_t size) {
    auto* self = static_cast<Png*>(png_get_io_ptr(png));
    if (size > self->rest_.size()) png_error(png, "it ends too early");
    std::memcpy(to, self->rest_.data(), size);
    self->rest_.remove_prefix(size);
  }

  std::string_view rest_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::size_t packed_row_bytes_ = 0;
  char reason_[128] = "no memory";  ///< a plain array: nothing that longjmp could leave behind
};

[[noreturn]] void damaged_png(const std::string& where, const std::string& what) {
  throw Error(ErrorCode::bad_data, fmt::format("{}: damaged PNG image: {}", where, what),
              "is it complete? make it again, or take it out of the folder");
}

void read_header(Png& png, std::string_view bytes, const std::string& where) {
  if (!png.read_header()) damaged_png(where, png.reason());
  constexpr std::size_t best_ratio = 1032;  // deflate cannot do better
  if (png.packed_row_bytes() > best_ratio * bytes.size() / static_cast<std::size_t>(png.form().height))
    damaged_png(where, "impossible size");
}

}  // namespace

ImageForm png_form(std::string_view bytes, const std::string& where) {
  Png png(bytes);
  read_header(png, bytes, where);
  return png.form();
}

template <class T>
void read_png(std::string_view bytes, const std::string& where, const ImageForm& form, T* pixels) {
  Png png(bytes);
  read_header(png, bytes, where);
  if (png.form() != form) damaged_png(where, "it changed while it was read");
  const std::size_t width = png.row_bytes();
  std::vector<png_byte> memory(width * static_cast<std::size_t>(form.height));
  std::vector<png_bytep> rows;
  for (std::size_t at = 0; at < memory.size(); at += width) rows.push_back(memory.data() + at);
  if (!png.read_rows(rows)) damaged_png(where, png.reason());

  const bool wide = png.depth() == 16;
  const bool colour = png.channels() >= 3;
  const auto step = static_cast<Index>(png.channels());
  for (Index y = 0; y < form.height; ++y) {
    const png_byte* const row = rows[static_cast<std::size_t>(y)];
    const auto value = [&](Index i) { return wide ? row[2 * i] << 8 | row[2 * i + 1] : int{row[i]}; };
    for (Index x = 0; x < form.width; ++x) {
      const Index i = x * step;
      *pixels++ = colour ? static_cast<T>(0.299 * value(i) + 0.587 * value(i + 1) + 0.114 * value(i + 2))
                         : static_cast<T>(value(i));
    }
  }
}

template void read_png(std::string_view, const std::string&, const ImageForm&, float*);
template void read_png(std::string_view, const std::string&, const ImageForm&, double*);

}  // namespace mercer
