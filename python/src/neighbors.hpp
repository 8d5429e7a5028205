// The neighbourhood of the methods that look at one, from keyword arguments.
#pragma once

#include "options.hpp"

#include <mercer/neighbors.hpp>

namespace mercer::python {

/// neighbors, radius, search, pieces.
inline void take_neighbors(Given& given, NeighborOptions& options) {
  given.take("neighbors", options.count);
  given.take("radius", options.radius);
  given.take("search", options.search, &parse_neighbor_search);
  given.take("pieces", options.disconnected, &parse_disconnected);
}

}  // namespace mercer::python
