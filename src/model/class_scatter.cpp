// N = Σ_j K_j(I − 11ᵀ/N_j)K_jᵀ = G Gᵀ with G = K less the class means of its columns.
#include "model/class_scatter.hpp"

#include "base/linalg.hpp"
#include "base/parallel.hpp"

#include <algorithm>

namespace mercer {

Block<double> subtract_class_means(Matrix<double>& k, const std::vector<std::int32_t>& codes, Index classes,
                                   const Run& run) {
  constexpr Index strip = 64;
  Vector<double> sizes = Vector<double>::Zero(classes);
  for (const std::int32_t code : codes) sizes[code] += 1;
  Block<double> means(k.rows(), classes);
  parallel_for((k.rows() + strip - 1) / strip, run, [&](Index part) {
    Vector<double> mean(classes);
    for (Index i = part * strip; i < std::min(k.rows(), (part + 1) * strip); ++i) {
      double* row = k.data() + i * k.cols();
      mean.setZero();
      for (Index l = 0; l < k.cols(); ++l) mean[codes[static_cast<std::size_t>(l)]] += row[l];
      mean.array() /= sizes.array();
      for (Index l = 0; l < k.cols(); ++l) row[l] -= mean[codes[static_cast<std::size_t>(l)]];
      means.row(i) = mean;
    }
  });
  return means;
}

Block<double> outer_gram(const Matrix<double>& g, const Run& run) {
  constexpr Index tile = 256;
  const Index n = g.rows(), width = g.cols(), tiles = (n + tile - 1) / tile;
  Block<double> out(n, n);
  parallel_for(tiles * (tiles + 1) / 2, run, [&](Index t) {
    Index row = 0;
    while ((row + 1) * (row + 2) / 2 <= t) ++row;
    const Index col = t - row * (row + 1) / 2, i0 = row * tile, j0 = col * tile;
    // Row-major G is column-major Gᵀ.
    linalg::gemm<double>(linalg::Transpose::yes, linalg::Transpose::no, std::min(tile, n - i0),
                         std::min(tile, n - j0), width, 1, g.data() + i0 * width, width,
                         g.data() + j0 * width, width, 0, out.data() + i0 + j0 * n, n);
  });
  return out;
}

}  // namespace mercer
