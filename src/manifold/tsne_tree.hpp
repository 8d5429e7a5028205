// TsneTree<T>: the points of a map in cells that halve (a binary tree, quadtree or octree), for Barnes-Hut.
// One array in the order of a depth-first walk: a cell's children follow it, `skip` leads past them. Points
// are sorted along the Z curve (Morton 1966), so that a cell is a range of them and neighbours lie together.
#pragma once

#include "manifold/tsne_map.hpp"

#include <cstdint>
#include <vector>

namespace mercer {

template <class T>
class TsneTree {
 public:
  struct Cell {
    T center[3];  ///< mean of its points
    T count;
    T width2;                  ///< squared longest side of the box around its points
    std::int32_t skip;         ///< the next cell that is not inside of this one
    std::int32_t first, last;  ///< a leaf: its points, in sorted order; otherwise 0, 0
  };
  static constexpr Index leaf = 8;   ///< points at most, unless they coincide
  static constexpr int levels = 21;  ///< bits an axis

  explicit TsneTree(Index points, Index components);
  /// Of another state of the map; memory is used again.
  void build(const TsneMap<T>& map, const Run& run);

  [[nodiscard]] const std::vector<Cell>& cells() const { return cells_; }
  [[nodiscard]] const TsneMap<T>& sorted() const { return sorted_; }
  [[nodiscard]] const std::vector<std::int32_t>& order() const {
    return order_;
  }  ///< sorted()'s points in the map

 private:
  struct Box;
  struct Key {
    std::uint64_t code;
    std::int32_t point;
  };
  void sort_points(const TsneMap<T>& map, const Run& run);
  void add_cell(Index first, Index last, int level, Box& box);

  std::vector<Cell> cells_;
  TsneMap<T> sorted_;
  std::vector<std::int32_t> order_;
  std::vector<Key> keys_, other_keys_;
};

}  // namespace mercer
