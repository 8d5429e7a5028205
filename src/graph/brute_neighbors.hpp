// Exact neighbours by comparing all pairs, tile by tile through BLAS: the points themselves, or their shadows
// where those tell most of them apart. Where points are compared among themselves a tile serves both of its
// sides.
#pragma once

#include "graph/dot_tiles.hpp"
#include "graph/neighbor.hpp"
#include "graph/shadow.hpp"

#include <mutex>
#include <optional>
#include <variant>
#include <vector>

namespace mercer {

class Effort;
template <class T, class S>
struct TileJudge;

template <class T>
class BruteNeighbors {
 public:
  /// `rows`: how many will be compared with the points, about; 0 is all of the points among themselves.
  BruteNeighbors(Samples<T> points, const Run& run, Index rows = 0);
  /// By the shadows of dense points on these axes. `patience`: how much of the time of comparing all features
  /// may be spent on looking at pairs more closely before that is done instead.
  BruteNeighbors(Samples<T> points, ShadowAxes axes, double patience, const Run& run);

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
  [[nodiscard]] bool in_float() const { return in_float_; }
  /// How many axes shadows are looked at first on; 0: points are compared at once.
  [[nodiscard]] Index shadow_axes() const { return by_shadows_ ? by_shadows_->axes.few() : 0; }

 private:
  using Tiles = std::variant<DotTiles<float>, DotTiles<double>>;
  struct ByShadows {
    ShadowAxes axes;
    std::vector<Index> order;  ///< which points the shadows are of
    Shadows shadows;
    DotTiles<float> tiles;
    ByShadows(const Samples<T>& points, ShadowAxes on, const Run& run);
  };
  template <class S>
  struct Left;

  /// The points themselves, prepared where shadows were not worth it, or now.
  [[nodiscard]] const Tiles& plain() const;
  [[nodiscard]] Tiles made_plain(Vector<double> mean, double mean_norm) const;
  /// search(tiles, shadows): by shadows where there are some and they are of use, else without.
  template <class Search>
  [[nodiscard]] NeighborLists found(const Search& search) const;
  [[nodiscard]] Effort effort_for(Index rows, const Run& run) const;
  template <class S>
  [[nodiscard]] TileJudge<T, S> judge_among(const DotTiles<S>& tiles, const ByShadows* by,
                                            Effort& effort) const;
  template <class S>
  [[nodiscard]] TileJudge<T, S> judge_of(const Samples<T>& rows, const Left<S>& left,
                                         const DotTiles<S>& tiles, const ByShadows* by, Effort& effort) const;

  Samples<T> points_;   ///< as given: distances come from these
  Samples<T> compact_;  ///< the same, CSR that is not sparse enough to gain written out
  bool in_float_ = false;
  std::optional<ByShadows> by_shadows_;
  double patience_ = 1;
  mutable std::mutex making_plain_;
  mutable std::optional<Tiles> plain_;
};

}  // namespace mercer
