// Exact neighbours by comparing all pairs, tile by tile through BLAS. Where points are compared among
// themselves a tile serves both of its sides.
#pragma once

#include "graph/dot_tiles.hpp"
#include "graph/neighbor.hpp"

#include <memory>
#include <variant>
#include <vector>

namespace mercer {

template <class T>
class BruteNeighbors {
 public:
  BruteNeighbors(Samples<T> points, const Run& run);

  [[nodiscard]] const Samples<T>& points() const { return points_; }
  /// Of each point among the others.
  [[nodiscard]] NeighborLists nearest(Index count, const Run& run) const;
  [[nodiscard]] NeighborLists within(double radius, const Run& run) const;
  /// Of new rows; of each outside of what is excluded for it (empty: nothing is). At least `count` points
  /// must remain for every row.
  [[nodiscard]] NeighborLists nearest(const Samples<T>& rows, Index count,
                                      const std::vector<Excluded>& excluded, const Run& run) const;
  [[nodiscard]] NeighborLists within(const Samples<T>& rows, double radius, const Run& run) const;

  /// Whether inner products are computed in float.
  [[nodiscard]] bool in_float() const { return tiles_.index() == 0; }

 private:
  Samples<T> points_;   ///< as given: distances come from these
  Samples<T> compact_;  ///< the same, CSR that is not sparse enough to gain written out
  std::variant<DotTiles<float>, DotTiles<double>> tiles_;
};

}  // namespace mercer
