// Transposition in tiles, for any number of modes.
#include "tensor/reorder.hpp"

#include "base/parallel.hpp"
#include "tensor/fibers.hpp"
#include "tensor/paired_walk.hpp"

#include <algorithm>

namespace mercer {
namespace {

/// Read along one dimension, written along the other, through a buffer in the first cache: rows that lie a
/// power of two apart would otherwise push each other out of it.
template <class T>
void transpose_tile(const T* x, T* out, const PairedWalk::Tile& tile) {
  T buffer[PairedWalk::tile_side * PairedWalk::tile_side];
  const Index inner = tile.inner, outer = tile.outer;
  for (Index i = 0; i < inner; ++i)
    for (Index j = 0; j < outer; ++j)
      buffer[i * outer + j] = x[i * tile.first.inner_stride + j * tile.first.outer_stride];
  for (Index j = 0; j < outer; ++j)
    for (Index i = 0; i < inner; ++i)
      out[i * tile.second.inner_stride + j * tile.second.outer_stride] = buffer[i * outer + j];
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
      if (walk.transposed())
        transpose_tile(from, to, tile);
      else
        copy_tile(from, to, tile);
    });
  });
}

template void copy_in_order(const TensorView<float>&, const Shape&, float*, const Run&);
template void copy_in_order(const TensorView<double>&, const Shape&, double*, const Run&);

}  // namespace mercer
