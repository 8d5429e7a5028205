// Maps and affinities for the tests of t-SNE.
#pragma once

#include "manifold/tsne_affinities.hpp"
#include "manifold/tsne_map.hpp"
#include "support.hpp"

namespace mercer::test {

/// A few clusters of different width, as a map has them, `size` across.
template <class T>
TsneMap<T> clustered_map(Index n, Index components, double size, std::uint64_t seed) {
  Random random(seed);
  const Matrix<double> centers = random_matrix<double>(7, components, seed + 1);
  TsneMap<T> map(n, components);
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < components; ++c)
      map.axis(c)[i] = T(size / 4 * (centers(i % 7, c) + 0.05 * double(1 + i % 7) * random.normal()));
  return map;
}

template <class T>
SparseAffinities<T> random_affinities(Index n, std::uint64_t seed) {
  const NeighborIndex<T> index(random_matrix<T>(n, 5, seed), NeighborSearch::brute);
  return sparse_affinities<T>(index.nearest(30), 10, {});
}

/// The same for all pairs.
template <class T>
Matrix<T> all_pairs(const SparseAffinities<T>& p) {
  Matrix<T> out = Matrix<T>::Zero(p.points(), TsneMap<T>::padded(p.points()));
  for (Index i = 0; i < p.points(); ++i)
    for (Index e = p.begin[std::size_t(i)]; e < p.begin[std::size_t(i) + 1]; ++e)
      out(i, p.index[std::size_t(e)]) += p.value[std::size_t(e)];
  return out;
}

template <class T>
Matrix<double> wide(const TsneMap<T>& map) {
  return map.rows().template cast<double>();
}

inline double relative_difference(const Matrix<double>& a, const Matrix<double>& exact) {
  return (a - exact).norm() / exact.norm();
}

}  // namespace mercer::test
