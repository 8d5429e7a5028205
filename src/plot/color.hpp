// A colour in sRGB with opacity, and the three colours of the page itself.
#pragma once

#include <cstdint>

namespace mercer::plot {

struct Color {
  double r = 0, g = 0, b = 0, a = 1;

  static constexpr Color hex(std::uint32_t rgb) {
    return {static_cast<double>(rgb >> 16 & 0xff) / 255, static_cast<double>(rgb >> 8 & 0xff) / 255,
            static_cast<double>(rgb & 0xff) / 255, 1};
  }
  [[nodiscard]] constexpr Color with_alpha(double alpha) const { return {r, g, b, alpha}; }
  /// The way from this colour to another: t = 0 is this one.
  [[nodiscard]] constexpr Color towards(const Color& o, double t) const {
    return {r + t * (o.r - r), g + t * (o.g - g), b + t * (o.b - b), a + t * (o.a - a)};
  }
};

inline constexpr Color white{1, 1, 1, 1};
inline constexpr Color ink = Color::hex(0x22262b);        ///< titles, axis names
inline constexpr Color soft_ink = Color::hex(0x565c64);   ///< tick labels, small print
inline constexpr Color axis_gray = Color::hex(0x8a9099);  ///< axis lines
inline constexpr Color grid_gray = Color::hex(0xe4e6ea);  ///< grid lines

}  // namespace mercer::plot
