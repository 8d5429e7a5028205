// How colours look to people without the M (deuteranopia) or L (protanopia) cones, after Machado,
// Oliveira and Fernandes (2009), severity 1; and the distance of two colours in CIE Lab.
#pragma once

#include "plot/color.hpp"

#include <array>
#include <cmath>

namespace mercer::plot::test {

using Row = std::array<double, 3>;
using Sight = std::array<Row, 3>;
inline constexpr Sight normal = {Row{1, 0, 0}, Row{0, 1, 0}, Row{0, 0, 1}};
inline constexpr Sight protanopia = {Row{0.152286, 1.052583, -0.204868}, Row{0.114503, 0.786281, 0.099216},
                                     Row{-0.003882, -0.048116, 1.051998}};
inline constexpr Sight deuteranopia = {Row{0.367322, 0.860646, -0.227968}, Row{0.280085, 0.672501, 0.047413},
                                       Row{-0.011820, 0.042940, 0.968881}};

inline double linear(double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); }

inline Row times(const Sight& m, const Row& v) {
  Row out{};
  for (std::size_t i = 0; i < 3; ++i) out[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
  return out;
}

inline Row lab(const Color& c, const Sight& sight) {
  Row rgb = times(sight, {linear(c.r), linear(c.g), linear(c.b)});
  for (double& v : rgb) v = std::min(1.0, std::max(0.0, v));
  const Row xyz = times({Row{0.4124564, 0.3575761, 0.1804375}, Row{0.2126729, 0.7151522, 0.0721750},
                         Row{0.0193339, 0.1191920, 0.9503041}},
                        rgb);
  const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  const double x = f(xyz[0] / 0.95047), y = f(xyz[1]), z = f(xyz[2] / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

inline double difference(const Color& a, const Color& b, const Sight& sight) {
  const Row p = lab(a, sight), q = lab(b, sight);
  return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

}  // namespace mercer::plot::test
