// One neighbour, and how lists are put together from them.
#pragma once

#include <mercer/error.hpp>
#include <mercer/neighbors.hpp>

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace mercer {

/// Ordered by distance, equal distances by number.
struct Neighbor {
  double squared;  ///< distance
  std::int32_t index;

  bool operator<(const Neighbor& other) const {
    return squared < other.squared || (squared == other.squared && index < other.index);
  }
};

/// Points that are no neighbours of a row: itself, or its own piece of a graph.
struct Excluded {
  Index begin = 0, end = 0;
};

/// Lists of `count` entries a row, to be filled.
[[nodiscard]] inline NeighborLists lists_of(Index rows, Index count) {
  NeighborLists out;
  out.begin.resize(static_cast<std::size_t>(rows) + 1);
  for (Index i = 0; i <= rows; ++i) out.begin[static_cast<std::size_t>(i)] = i * count;
  out.index.resize(static_cast<std::size_t>(rows * count));
  out.distance.resize(static_cast<std::size_t>(rows * count));
  return out;
}

/// Row i of lists whose begin is known.
inline void set_row(NeighborLists& lists, Index i, std::span<const Neighbor> row) {
  auto at = static_cast<std::size_t>(lists.begin[static_cast<std::size_t>(i)]);
  for (const Neighbor& neighbor : row) {
    lists.index[at] = neighbor.index;
    lists.distance[at++] = std::sqrt(neighbor.squared);
  }
}

/// Rows of any length; each is emptied when it has been copied.
[[nodiscard]] inline NeighborLists join(std::vector<std::vector<Neighbor>> rows) {
  NeighborLists out;
  out.begin.assign(1, 0);
  for (const auto& row : rows) out.begin.push_back(out.begin.back() + static_cast<Index>(row.size()));
  out.index.resize(static_cast<std::size_t>(out.begin.back()));
  out.distance.resize(static_cast<std::size_t>(out.begin.back()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    set_row(out, static_cast<Index>(i), rows[i]);
    std::vector<Neighbor>().swap(rows[i]);
  }
  return out;
}

[[nodiscard]] inline Error too_many_within_radius() {
  return Error(ErrorCode::no_memory,
               "there are more neighbours within the radius than the memory budget holds",
               "a smaller radius, or the nearest few instead");
}

}  // namespace mercer
