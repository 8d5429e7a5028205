// The tables, and linear interpolation between their anchors.
#include "plot/palette.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace mercer::plot {
namespace {

// Okabe and Ito, the ones that are strongest on white first.
constexpr std::array okabe_ito = {Color::hex(0x0072b2), Color::hex(0xd55e00), Color::hex(0x009e73),
                                  Color::hex(0xcc79a7), Color::hex(0xe69f00), Color::hex(0x56b4e9),
                                  Color::hex(0x3a3a3a), Color::hex(0xf0e442)};

// Petroff 2021, ten colours, in his order.
constexpr std::array petroff = {Color::hex(0x3f90da), Color::hex(0xffa90e), Color::hex(0xbd1f01),
                                Color::hex(0x94a4a2), Color::hex(0x832db6), Color::hex(0xa96b59),
                                Color::hex(0xe76300), Color::hex(0xb9ac70), Color::hex(0x717581),
                                Color::hex(0x92dadd)};

// Nine equidistant colours of viridis (van der Walt and Smith 2015).
constexpr std::array viridis = {Color::hex(0x440154), Color::hex(0x472d7b), Color::hex(0x3b528b),
                                Color::hex(0x2c728e), Color::hex(0x21918c), Color::hex(0x28ae80),
                                Color::hex(0x5ec962), Color::hex(0xaddc30), Color::hex(0xfde725)};

constexpr std::array blue_orange = {Color::hex(0x4a86c0), Color::hex(0x86b4da), Color::hex(0xc2daee),
                                    Color::hex(0xfafaf9), Color::hex(0xfadcb6), Color::hex(0xf4b878),
                                    Color::hex(0xe08e3e)};

template <std::size_t N>
Color interpolate(const std::array<Color, N>& anchors, double t) {
  const double at = std::clamp(t, 0.0, 1.0) * (N - 1);
  const auto i = std::min(static_cast<std::size_t>(at), N - 2);
  return anchors[i].towards(anchors[i + 1], at - static_cast<double>(i));
}

}  // namespace

std::span<const Color> class_colors(std::size_t classes) {
  if (classes <= okabe_ito.size()) return okabe_ito;
  return petroff;
}

Look class_look(std::size_t i, std::size_t classes) {
  const auto colors = class_colors(classes);
  // After each round of colours the markers move on by one, so that pairs do not repeat.
  const std::size_t round = i / colors.size();
  return {colors[i % colors.size()], static_cast<Marker>((i % colors.size() + round) % marker_count)};
}

Color sequential(double t) { return interpolate(viridis, t); }
Color diverging(double t) { return interpolate(blue_orange, (t + 1) / 2); }

}  // namespace mercer::plot
