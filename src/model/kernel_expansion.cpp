// Kernel expansions by tiles, on several threads.
#include "model/kernel_expansion.hpp"

#include "base/linalg.hpp"
#include "base/parallel.hpp"
#include "kernel/tiles.hpp"

namespace mercer {

template <class T>
Matrix<T> kernel_expansion(const Kernel& kernel, const Samples<T>& points, const Scaling<T>& scaling,
                           const Samples<T>& centres, const Block<T>& coefficients,
                           const Vector<double>& offsets, const Run& run) {
  constexpr Index at_once = 8192, tile_rows = 128, tile_cols = 256;  // memory does not grow with the points
  const ThreadScope threads(run);
  const Index n = coefficients.rows(), k = coefficients.cols();
  const Matrix<T> alpha = coefficients;  // row-major, so that a block of rows is contiguous
  const Vector<T> offset = offsets.template cast<T>();
  Matrix<T> out = Matrix<T>::Zero(points.rows(), k);
  if (k == 0) return out;
  for (Index first = 0; first < points.rows(); first += at_once) {
    const Index count = std::min(at_once, points.rows() - first);
    const Samples<T> chunk = scaling.apply(points.middle_rows(first, count));
    if (!kernel.is_precomputed()) counting_rows_from(first, [&] { kernel.check_data(chunk); });
    const KernelTiles<T> tiles(kernel, chunk, centres);
    parallel_for((count + tile_rows - 1) / tile_rows, run, [&](Index part) {
      const Index i0 = part * tile_rows, rows = std::min(tile_rows, count - i0);
      std::vector<T> tile(static_cast<std::size_t>(rows * tile_cols));
      T* scores = out.data() + (first + i0) * k;
      for (Index j0 = 0; j0 < n; j0 += tile_cols) {
        const Index cols = std::min(tile_cols, n - j0);
        tiles.evaluate(i0, rows, j0, cols, tile.data());
        // Row-major Z += K α is column-major Zᵀ += αᵀ Kᵀ.
        linalg::gemm<T>(linalg::Transpose::no, linalg::Transpose::no, k, rows, cols, 1, alpha.data() + j0 * k,
                        k, tile.data(), cols, 1, scores, k);
      }
      for (Index i = 0; i < rows; ++i)
        for (Index c = 0; c < k; ++c) scores[i * k + c] -= offset[c];
    });
    run.report("transform", double(first + count) / double(points.rows()));
  }
  return out;
}

#define MERCER_INSTANTIATE(T)                                                                    \
  template Matrix<T> kernel_expansion(const Kernel&, const Samples<T>&, const Scaling<T>&,       \
                                      const Samples<T>&, const Block<T>&, const Vector<double>&, \
                                      const Run&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
