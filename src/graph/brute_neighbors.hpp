// Exact neighbours by comparing all pairs, tile by tile through BLAS: the points themselves, or their shadows
// where those tell most of them apart. Where points are compared among themselves a tile serves both of its
// sides.
#pragma once

#include "graph/dot_tiles.hpp"
#include "graph/neighbor.hpp"
#include "graph/shadow.hpp"

#include <optional>
#include <variant>
#include <vector>

namespace mercer {

template <class T>
class BruteNeighbors {
 public:
  /// `rows`: how many will be compared with the points, about; 0 is all of the points among themselves.
  BruteNeighbors(Samples<T> points, const Run& run, Index rows = 0);
  /// By the shadows of dense points on these axes, whether they are worth it or not.
  BruteNeighbors(Samples<T> points, ShadowAxes axes, const Run& run);

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
  /// How many axes shadows are looked at first on; 0: points are compared at once.
  [[nodiscard]] Index shadow_axes() const { return axes_ ? axes_->few() : 0; }

 private:
  using Tiles = std::variant<DotTiles<float>, DotTiles<double>>;
  template <class S>
  struct Left;
  /// Chooses what is compared.
  [[nodiscard]] Tiles prepare(Index rows, const Run& run);
  [[nodiscard]] Tiles prepare(ShadowAxes axes, const Run& run);
  template <class S>
  [[nodiscard]] Left<S> prepare(const DotTiles<S>& tiles, const Samples<T>& rows, const Run& run) const;

  Samples<T> points_;   ///< as given: distances come from these
  Samples<T> compact_;  ///< the same, CSR that is not sparse enough to gain written out
  std::optional<ShadowAxes> axes_;
  Shadows shadows_;           ///< of the points, where there are axes
  std::vector<Index> order_;  ///< the shadows' numbers
  Tiles tiles_;
};

}  // namespace mercer
