// Colours that people with any common colour vision can tell apart. Classes: Okabe and Ito (2008)
// for up to eight, Petroff's ten (arXiv:2107.02270) beyond; scales: viridis for amounts, blue to
// orange for signed values. Classes also differ by marker, so colour is never the only cue.
#pragma once

#include "plot/color.hpp"

#include <cstddef>
#include <span>

namespace mercer::plot {

enum class Marker { circle, square, triangle, diamond, triangle_down, plus, pentagon, cross, star, hexagon };
inline constexpr std::size_t marker_count = 10;

/// How class number i of `classes` looks. No two of up to a hundred classes look the same.
struct Look {
  Color color;
  Marker marker = Marker::circle;
};
[[nodiscard]] Look class_look(std::size_t i, std::size_t classes);

/// The distinct colours behind class_look.
[[nodiscard]] std::span<const Color> class_colors(std::size_t classes);

/// Amounts: dark violet at t = 0 through green to yellow at t = 1.
[[nodiscard]] Color sequential(double t);
/// Signed values: blue at t = −1, nearly white at 0, orange at 1.
[[nodiscard]] Color diverging(double t);

}  // namespace mercer::plot
