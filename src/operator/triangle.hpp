// The tiles of a lower triangle, counted row by row.
#pragma once

#include <mercer/matrix.hpp>

#include <cmath>

namespace mercer {

struct TilePosition {
  Index row, col;
};

[[nodiscard]] inline TilePosition position_of(Index t) {
  auto row = static_cast<Index>((std::sqrt(8.0 * double(t) + 1) - 1) / 2);
  while (row * (row + 1) / 2 > t) --row;
  while ((row + 1) * (row + 2) / 2 <= t) ++row;
  return {row, t - row * (row + 1) / 2};
}

}  // namespace mercer
