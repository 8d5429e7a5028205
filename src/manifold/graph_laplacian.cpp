// Weighted graphs and their Laplacians, row by row.
#include "manifold/graph_laplacian.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

namespace mercer {
namespace {

using Entry = SparseMatrix<double>::InnerIterator;

}  // namespace

double mean_squared_link(const SparseMatrix<double>& links) {
  double sum = 0;
  for (Index p = 0; p < links.nonZeros(); ++p) sum += links.valuePtr()[p] * links.valuePtr()[p];
  return sum > 0 ? sum / double(links.nonZeros()) : 1;
}

SparseMatrix<double> weighted(SparseMatrix<double> links, const LinkWeight& weight) {
  Index nothing = 0;
  for (Index p = 0; p < links.nonZeros(); ++p) {
    double& w = links.valuePtr()[p] = weight(links.valuePtr()[p]);
    nothing += w <= LinkWeight::least;
  }
  if (2 * nothing > links.nonZeros())
    throw Error(ErrorCode::bad_data,
                fmt::format("a heat of {} is so small that most links weigh nothing", weight.heat),
                "a larger --heat, or weights of 1");
  return links;
}

Vector<double> row_sums(const SparseMatrix<double>& weights) {
  Vector<double> out = Vector<double>::Zero(weights.rows());
  for (Index i = 0; i < weights.rows(); ++i)
    for (Entry w(weights, i); w; ++w) out[i] += w.value();
  return out;
}

SparseMatrix<double> without_density(SparseMatrix<double> weights, const Vector<double>& q, double power) {
  if (power == 0) return weights;
  const Vector<double> share = q.array().pow(-power);
  for (Index i = 0; i < weights.rows(); ++i)
    for (Entry w(weights, i); w; ++w) w.valueRef() *= share[i] * share[w.col()];
  return weights;
}

SparseMatrix<double> laplacian_of(const SparseMatrix<double>& weights, const Vector<double>& d,
                                  bool normalized) {
  const Index n = weights.rows();
  const Vector<double> root =
      normalized ? Vector<double>(d.cwiseSqrt().cwiseInverse()) : Vector<double>::Ones(n);
  SparseMatrix<double> out(n, n);
  out.reserve(weights.nonZeros() + n);
  for (Index i = 0; i < n; ++i) {
    out.startVec(i);
    bool placed = false;
    const auto place_diagonal = [&] {
      out.insertBack(i, i) = normalized ? 1 : d[i];
      placed = true;
    };
    for (Entry w(weights, i); w; ++w) {
      if (!placed && w.col() > i) place_diagonal();
      out.insertBack(i, w.col()) = -root[i] * w.value() * root[w.col()];
    }
    if (!placed) place_diagonal();
  }
  out.finalize();
  return out;
}

}  // namespace mercer
