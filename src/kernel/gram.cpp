// The whole kernel matrix, for those who want to see it.
#include "base/parallel.hpp"
#include "kernel/tiles.hpp"

#include <algorithm>

namespace mercer {
namespace {

constexpr Index tile_size = 256;

template <class T>
Matrix<T> gram_of(const KernelTiles<T>& tiles, const Run& run) {
  const Index n = tiles.rows(), m = tiles.cols(), row_tiles = (n + tile_size - 1) / tile_size,
              col_tiles = (m + tile_size - 1) / tile_size;
  Matrix<T> out(n, m);
  parallel_for(row_tiles * col_tiles, run, [&](Index t) {
    const Index i0 = t / col_tiles * tile_size, j0 = t % col_tiles * tile_size;
    const Index rows = std::min(tile_size, n - i0), cols = std::min(tile_size, m - j0);
    std::vector<T> tile(static_cast<std::size_t>(rows * cols));
    tiles.evaluate(i0, rows, j0, cols, tile.data());
    out.block(i0, j0, rows, cols) = Eigen::Map<const Matrix<T>>(tile.data(), rows, cols);
  });
  return out;
}

}  // namespace

template <class T>
Matrix<T> gram(const Kernel& kernel, const Samples<T>& x, const Samples<T>& y, const Run& run) {
  return gram_of(KernelTiles<T>(kernel, x, y), run);
}

template <class T>
Matrix<T> gram(const Kernel& kernel, const Samples<T>& x, const Run& run) {
  const KernelTiles<T> tiles(kernel, x);
  const Index n = tiles.rows(), tile_rows = (n + tile_size - 1) / tile_size;
  Matrix<T> out(n, n);
  parallel_for(tile_rows * tile_rows, run, [&](Index t) {  // the lower triangle, mirrored
    const Index i0 = t / tile_rows * tile_size, j0 = t % tile_rows * tile_size;
    if (j0 > i0) return;
    const Index rows = std::min(tile_size, n - i0), cols = std::min(tile_size, n - j0);
    std::vector<T> values(static_cast<std::size_t>(rows * cols));
    if (i0 == j0)
      tiles.evaluate_diagonal(i0, rows, values.data());
    else
      tiles.evaluate(i0, rows, j0, cols, values.data());
    const Eigen::Map<const Matrix<T>> tile(values.data(), rows, cols);
    out.block(i0, j0, rows, cols) = tile;
    if (i0 != j0) out.block(j0, i0, cols, rows) = tile.transpose();
  });
  return out;
}

#define MERCER_INSTANTIATE(T)                                                               \
  template Matrix<T> gram(const Kernel&, const Samples<T>&, const Samples<T>&, const Run&); \
  template Matrix<T> gram(const Kernel&, const Samples<T>&, const Run&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
