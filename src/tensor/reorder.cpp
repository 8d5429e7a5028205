// Transposition in tiles, for any number of modes.
#include "tensor/reorder.hpp"

#include "base/parallel.hpp"
#include "tensor/fibers.hpp"
#include "tensor/paired_walk.hpp"

#include <algorithm>

namespace mercer {
namespace {

/// In squares of a few elements, which the registers hold. Packed: both arrays are contiguous, each along its
/// own dimension.
template <bool packed, class T>
void transpose_tile(const T* x, T* out, const PairedWalk::Tile& tile) {
  constexpr Index side = 4;
  const Index x_inner = tile.first.inner_stride, x_outer = packed ? 1 : tile.first.outer_stride;
  const Index out_inner = packed ? 1 : tile.second.inner_stride, out_outer = tile.second.outer_stride;
  const auto copy = [&](Index i, Index j) {
    out[i * out_inner + j * out_outer] = x[i * x_inner + j * x_outer];
  };
  for (Index j = 0; j < tile.outer; j += side)
    for (Index i = 0; i < tile.inner; i += side) {
      if (i + side <= tile.inner && j + side <= tile.outer) {
        for (Index l = 0; l < side; ++l)
          for (Index k = 0; k < side; ++k) copy(i + k, j + l);
      } else {
        for (Index l = j; l < std::min(j + side, tile.outer); ++l)
          for (Index k = i; k < std::min(i + side, tile.inner); ++k) copy(k, l);
      }
    }
}

template <class T>
void copy_tile(const T* x, T* out, const PairedWalk::Tile& tile) {
  for (Index j = 0; j < tile.outer; ++j) {
    const T* from = x + j * tile.first.outer_stride;
    T* to = out + j * tile.second.outer_stride;
    if (tile.first.inner_stride == 1 && tile.second.inner_stride == 1)
      std::copy_n(from, tile.inner, to);
    else
      for (Index i = 0; i < tile.inner; ++i)
        to[i * tile.second.inner_stride] = from[i * tile.first.inner_stride];
  }
}

}  // namespace

template <class T>
void copy_in_order(const TensorView<T>& x, const Shape& modes, T* out, const Run& run) {
  const PairedWalk walk(x.shape(), x.strides(), packed_strides(x.shape(), modes));
  parallel_for(walk.groups(), run, [&](Index group) {
    walk.for_each_tile(group, [&](const PairedWalk::Tile& tile) {
      const T* from = x.data() + tile.first.offset;
      T* to = out + tile.second.offset;
      if (!walk.transposed())
        copy_tile(from, to, tile);
      else if (tile.first.outer_stride == 1 && tile.second.inner_stride == 1)
        transpose_tile<true>(from, to, tile);
      else
        transpose_tile<false>(from, to, tile);
    });
  });
}

template void copy_in_order(const TensorView<float>&, const Shape&, float*, const Run&);
template void copy_in_order(const TensorView<double>&, const Shape&, double*, const Run&);

}  // namespace mercer
