// Grey pictures from the bytes of a PGM or PNG file. Pixels keep the values that stand in the file; colours
// become luminance, 0.299 R + 0.587 G + 0.114 B (Rec. 601), and transparency is left out.
#pragma once

#include <mercer/matrix.hpp>

#include <string>
#include <string_view>

namespace mercer {

struct ImageForm {
  Index height = 0, width = 0;
  Index white = 255;  ///< the largest value a pixel may have

  friend bool operator==(const ImageForm&, const ImageForm&) = default;
};

/// What the header says. Throws Error{bad_data} naming `where`; a size that the bytes cannot fill is refused
/// before anybody takes memory for it.
[[nodiscard]] ImageForm pgm_form(std::string_view bytes, const std::string& where);
[[nodiscard]] ImageForm png_form(std::string_view bytes, const std::string& where);

/// form.height x form.width pixels, row by row. Throws Error{bad_data} for a damaged image, and for one that
/// has changed since its form was asked for.
template <class T>
void read_pgm(std::string_view bytes, const std::string& where, const ImageForm& form, T* pixels);
template <class T>
void read_png(std::string_view bytes, const std::string& where, const ImageForm& form, T* pixels);

}  // namespace mercer
