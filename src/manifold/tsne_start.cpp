// Starts of t-SNE, scaled to one size.
#include "manifold/tsne_start.hpp"

#include <mercer/pca.hpp>

#include "base/random.hpp"

#include <cmath>

namespace mercer {
namespace {

constexpr double rough = 1e-3;  ///< residual of the components: a start need not be more exact

template <class T>
Matrix<T> components_of(const Samples<T>& points, const TsneOptions& options, const Run& run) {
  switch (options.start) {
    case TsneStart::pca:
      return Pca<T>::fit(points, {.components = options.components, .residual = rough}, run).scores();
    case TsneStart::laplacian:
      throw Error(ErrorCode::usage, "this build has no Laplacian eigenmaps to start t-SNE from",
                  "start it from pca or random");
    case TsneStart::random:
      break;
  }
  return Matrix<T>(points.rows(), 0);
}

}  // namespace

template <class T>
TsneMap<T> tsne_start(const Samples<T>& points, const TsneOptions& options, const Run& run) {
  const Index n = points.rows();
  const Matrix<T> found = components_of(points, options, run);
  TsneMap<T> map(n, options.components);
  double deviation = 0;
  if (found.cols() > 0) {
    const Vector<double> first = found.col(0).template cast<double>();
    deviation = std::sqrt((first.array() - first.mean()).square().mean());
  }
  for (Index c = 0; c < map.components(); ++c) {
    T* axis = map.axis(c);
    if (c < found.cols() && deviation > 0) {
      for (Index i = 0; i < n; ++i) axis[i] = T(double(found(i, c)) * tsne_start_size / deviation);
    } else {
      Random random(run.seed, static_cast<std::uint64_t>(c));
      for (Index i = 0; i < n; ++i) axis[i] = T(random.normal() * tsne_start_size);
    }
  }
  return map;
}

template TsneMap<float> tsne_start(const Samples<float>&, const TsneOptions&, const Run&);
template TsneMap<double> tsne_start(const Samples<double>&, const TsneOptions&, const Run&);

}  // namespace mercer
