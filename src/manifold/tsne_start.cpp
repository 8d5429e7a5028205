// Starts of t-SNE, scaled to one size.
#include "manifold/tsne_start.hpp"

#include <mercer/pca.hpp>

#include "base/random.hpp"
#include "spectral/sparse_bottom.hpp"

#include <cmath>

namespace mercer {
namespace {

constexpr double rough = 1e-3;  ///< residual of the components: a start need not be more exact
/// Noise on top of the Laplacian's components, as a share of their size: points that no path connects have
/// none to tell them apart.
constexpr double blur = 0.01;

/// L = I − D^{−½} P D^{−½} and its null vector D^{½}1.
SparseMatrix<double> laplacian_of(const SparseAffinities<float>& p, Vector<double>& null_vector) {
  const Index n = p.points();
  null_vector.setZero(n);
  for (Index i = 0; i < n; ++i)
    for (Index e = p.begin[static_cast<std::size_t>(i)]; e < p.begin[static_cast<std::size_t>(i) + 1]; ++e)
      null_vector[i] += double(p.value[static_cast<std::size_t>(e)]);
  null_vector = null_vector.cwiseSqrt();
  SparseMatrix<double> out(n, n);
  out.reserve(p.links + n);
  for (Index i = 0; i < n; ++i) {
    out.startVec(i);
    bool passed = false;  // the diagonal, which comes between the links
    for (Index e = p.begin[static_cast<std::size_t>(i)]; e < p.begin[static_cast<std::size_t>(i) + 1]; ++e) {
      const Index j = p.index[static_cast<std::size_t>(e)];
      if (j == i) continue;  // fills up
      if (j > i && !passed) out.insertBack(i, i) = 1;
      passed = passed || j > i;
      out.insertBack(i, j) =
          -double(p.value[static_cast<std::size_t>(e)]) / (null_vector[i] * null_vector[j]);
    }
    if (!passed) out.insertBack(i, i) = 1;
  }
  out.finalize();
  return out;
}

/// D^{−½}v for the bottom eigenvectors v of L beyond its null vector: Laplacian eigenmaps (random walk).
template <class T>
Matrix<T> laplacian_map(const SparseAffinities<float>& p, Index components, const Run& run) {
  Vector<double> root;
  const SparseMatrix<double> laplacian = laplacian_of(p, root);
  const BottomPairs bottom =
      bottom_eigenpairs(laplacian, root, {.count = components, .tolerance = rough}, run);
  Matrix<T> out = (root.cwiseInverse().asDiagonal() * bottom.spectrum.vectors).template cast<T>();
  for (Index c = 0; c < out.cols(); ++c) {
    Random random(run.seed, static_cast<std::uint64_t>(c));
    const double size = std::sqrt(double(out.col(c).squaredNorm()) / double(out.rows()));
    for (Index i = 0; i < out.rows(); ++i) out(i, c) += T(blur * size * random.normal());
  }
  return out;
}

}  // namespace

template <class T>
Matrix<T> tsne_start(const Samples<T>& points, const TsneOptions& options,
                     const std::optional<SparseAffinities<float>>& p, const Run& run) {
  const Index n = points.rows();
  if (options.initial.size() > 0) {
    Matrix<T> given = options.initial.template cast<T>();
    given.rowwise() -= given.colwise().mean().eval();
    return given;
  }
  Matrix<T> found(n, 0);
  if (options.start == TsneStart::pca)
    found = Pca<T>::fit(points, {.components = options.components, .residual = rough}, run).scores();
  if (options.start == TsneStart::laplacian) found = laplacian_map<T>(p.value(), options.components, run);
  double deviation = 0;
  if (found.cols() > 0) {
    const Vector<double> first = found.col(0).template cast<double>();
    deviation = std::sqrt((first.array() - first.mean()).square().mean());
  }
  Matrix<T> map(n, options.components);
  for (Index c = 0; c < map.cols(); ++c) {
    if (c < found.cols() && deviation > 0) {
      for (Index i = 0; i < n; ++i) map(i, c) = T(double(found(i, c)) * tsne_start_size / deviation);
    } else {
      Random random(run.seed, static_cast<std::uint64_t>(c));
      for (Index i = 0; i < n; ++i) map(i, c) = T(random.normal() * tsne_start_size);
    }
  }
  return map;
}

#define MERCER_INSTANTIATE(T)                                          \
  template Matrix<T> tsne_start(const Samples<T>&, const TsneOptions&, \
                                const std::optional<SparseAffinities<float>>&, const Run&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
