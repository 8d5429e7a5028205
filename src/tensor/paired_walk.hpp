// PairedWalk: two arrays of one shape but with different strides, visited together tile by tile, so that both
// are read or written in whole cache lines. Copies, products and sums element by element are made of it.
#pragma once

#include <mercer/tensor.hpp>

#include <vector>

namespace mercer {

class PairedWalk {
 public:
  /// A tile: `inner` x `outer` elements; element (i, j) of the first array lies at
  /// offset + i·inner_stride + j·outer_stride.
  struct Place {
    Index offset, inner_stride, outer_stride;
  };
  struct Tile {
    Index inner, outer;
    Place first, second;
  };

  /// Strides of the first and of the second array. The inner loop runs along the second array's fastest mode;
  /// the outer one along the first array's.
  PairedWalk(const Shape& shape, const Shape& first, const Shape& second);

  /// The tiles in groups of a fixed number of elements (about): what one thread takes at a time.
  [[nodiscard]] Index groups() const { return (tiles_ + group_ - 1) / group_; }
  /// Does the first array move fastest along the outer loop?
  [[nodiscard]] bool transposed() const { return transposed_; }

  /// use(tile) for the tiles of a group, in order.
  template <class Use>
  void for_each_tile(Index group, Use&& use) const {
    const Index begin = group * group_, end = begin + group_ < tiles_ ? begin + group_ : tiles_;
    std::vector<Index> at = position(begin);
    for (Index t = begin; t < end; ++t) {
      use(tile(at));
      for (std::size_t d = 0; d < dims_.size() && ++at[d] == dims_[d].tiles; ++d) at[d] = 0;
    }
  }

 private:
  /// Neighbouring modes that run on in both arrays are one dimension. The first two are those of the tiles;
  /// dimensions beyond have tiles of one.
  struct Dimension {
    Index size, first, second;  ///< strides of both
    Index step = 1, tiles = 1;
  };
  [[nodiscard]] std::vector<Index> position(Index tile) const;
  [[nodiscard]] Tile tile(const std::vector<Index>& at) const;

  std::vector<Dimension> dims_;
  Index tiles_ = 1, group_ = 1;
  bool transposed_ = false;
};

}  // namespace mercer
