// Shortest paths from eight sources that lie near each other, all at once: their paths are much the same, so
// that one walk over the graph with a register of eight distances a vertex serves all of them.
#pragma once

#include "graph/path_links.hpp"

#include <span>

namespace mercer {

/// Where a path begins: so far from its source.
struct PathStart {
  std::int32_t vertex;
  std::int32_t lane;  ///< 0 … 7: the source
  double length;
};

/// distance[8v + l] = the length of the shortest path from source l to v, ∞ where there is none. Vertices
/// whose distances fall again are visited again, so that the result is Dijkstra's to the bit: the least, over
/// all paths, of the lengths added up from the source on.
void shortest_from_eight(const PathLinks& links, std::span<const PathStart> starts, double* distance,
                         Frontier& frontier);

}  // namespace mercer
