// The connected pieces of a graph of neighbours, links taken in both directions, and the shortest links that
// join them.
#pragma once

#include "graph/neighbor.hpp"

#include <vector>

namespace mercer {

/// Sets that merge (Tarjan): path halving, the smaller number leads.
class UnionFind {
 public:
  explicit UnionFind(Index size);
  [[nodiscard]] Index find(Index i);
  /// False where they were one already.
  bool join(Index a, Index b);

 private:
  std::vector<Index> parent_;
};

struct GraphPieces {
  std::vector<Index> of;     ///< the piece of each point, numbered by their first points
  std::vector<Index> sizes;  ///< of each piece

  [[nodiscard]] Index count() const { return static_cast<Index>(sizes.size()); }
  [[nodiscard]] Index largest() const;  ///< the first among equals
};
[[nodiscard]] GraphPieces pieces_of(const NeighborLists& lists);

/// A link between two pieces.
struct Bridge {
  Index a, b;  ///< a < b
  double distance;
};
/// The shortest links that make one piece of all: the minimum spanning tree over pieces, whose distance is
/// that of their nearest points. Borůvka's rounds, each by an exact search from every piece but the largest.
template <class T>
[[nodiscard]] std::vector<Bridge> bridges_between(const Samples<T>& points, const GraphPieces& components,
                                                  const Run& run);
/// Puts links into the lists of both ends, in order of distance.
[[nodiscard]] NeighborLists with_bridges(const NeighborLists& lists, const std::vector<Bridge>& bridges);

/// The lists of these points alone, renumbered; all their neighbours must be among them.
[[nodiscard]] NeighborLists restricted(const NeighborLists& lists, const std::vector<Index>& rows);

}  // namespace mercer
