// Modified locally linear embedding (Zhang, Wang 2007): where neighbours are more than the manifold has
// dimensions, the weights are not unique; this takes as many independent ones as the local Gram matrix has
// small eigenvalues. Choices and constants are scikit-learn's.
#include "base/parallel.hpp"
#include "manifold/lle_alignment.hpp"
#include "manifold/neighborhood.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

/// What is left to small eigenvalues beside the first `components`; 0 where the neighbours are all one point.
double small_share(const Vector<double>& values, Index components) {
  const double large = values.head(components).sum();
  return large > 0 ? values.tail(values.size() - components).sum() / large : 0;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// s: the size of the largest set of small eigenvalues whose sum is below η times that of the others, those
/// that vanish since there are fewer features (`rank`) than neighbours always among them.
Index small_count(const Vector<double>& values, Index rank, Index components, double eta) {
  const Index count = values.size();
  const double total = values.head(rank).sum();
  if (!(total > 0)) return std::max<Index>(1, count - components);
  Index small = count - rank;
  double sum = 0;
  for (Index j = 0; j + 1 < rank; ++j) {
    sum += values[j];
    small += total / sum - 1 < eta;
  }
  return std::max<Index>(1, small);
}

/// w = V (Λ + rI)⁻¹ Vᵀ1, scaled to Σw = 1; r is 10⁻³ of the trace or as asked.
Vector<double> regularized_weights(const Vector<double>& values, const Matrix<double>& vectors,
                                   double regularization) {
  const double trace = values.sum();
  if (!(trace > 0)) return Vector<double>::Constant(values.size(), 1 / double(values.size()));
  Vector<double> t = vectors.colwise().sum();
  t.array() /= values.array() + regularization * trace;
  const Vector<double> w = vectors * t;
  return w / w.sum();
}

}  // namespace

template <class T>
LocalFactors modified_lle_weights(const Samples<T>& points, const NeighborLists& lists, Index components,
                                  double regularization, double tolerance, const Run& run) {
  const Index n = lists.size(), parts = (n + neighborhoods_together - 1) / neighborhoods_together;
  LocalFactors out(lists, Itself::always, 0);
  std::vector<Vector<double>> spectra(static_cast<std::size_t>(n));
  std::vector<double> shares(static_cast<std::size_t>(n));
  std::vector<Index> ranks(static_cast<std::size_t>(n));
  // V goes where W will be.
  parallel_for(parts, run, [&](Index part) {
    Matrix<double> rows;
    LocalSpectrum spectrum;
    for (Index i = part * neighborhoods_together; i < std::min(n, (part + 1) * neighborhoods_together); ++i) {
      const auto at = static_cast<std::size_t>(i);
      neighbor_differences(points, lists.neighbors(i), points, i, rows);
      local_spectrum(rows, spectrum);
      out.factor_of(i).topRows(rows.rows()) = spectrum.vectors;
      ranks[at] = std::min(rows.rows(), points.cols());
      shares[at] = small_share(spectrum.values, components);
      spectra[at] = spectrum.values;
    }
  });
  const double eta = median(shares);
  parallel_for(parts, run, [&](Index part) {
    for (Index i = part * neighborhoods_together; i < std::min(n, (part + 1) * neighborhoods_together); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const Index count = spectra[at].size(), s = small_count(spectra[at], ranks[at], components, eta);
      auto f = out.factor_of(i);
      const Matrix<double> v = f.topRows(count);
      const Vector<double> w = regularized_weights(spectra[at], v, regularization);
      const auto small = v.rightCols(s);
      // H = I − 2hhᵀ with H Vᵀ1 = α1; W = V H + (1 − α) w 1ᵀ
      const Vector<double> sums = small.colwise().sum();
      const double alpha = sums.norm() / std::sqrt(double(s));
      Vector<double> h = Vector<double>::Constant(s, alpha) - sums;
      const double length = h.norm();
      h = length < tolerance ? Vector<double>::Zero(s).eval() : (h / length).eval();
      f.topLeftCorner(count, s) = small - 2 * (small * h) * h.transpose();
      f.topLeftCorner(count, s).colwise() += (1 - alpha) * w;
      f.row(count).head(s).setConstant(-1);
      out.columns[at] = s;
    }
  });
  return out;
}

template LocalFactors modified_lle_weights(const Samples<float>&, const NeighborLists&, Index, double, double,
                                           const Run&);
template LocalFactors modified_lle_weights(const Samples<double>&, const NeighborLists&, Index, double,
                                           double, const Run&);

}  // namespace mercer
