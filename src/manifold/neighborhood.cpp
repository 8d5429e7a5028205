// Rows of neighbours, and what is computed of their Gram matrices.
#include "manifold/neighborhood.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <vector>

namespace mercer {
namespace {

Block<double> gram(const Matrix<double>& rows) {
  Block<double> out = Block<double>::Zero(rows.rows(), rows.rows());
  out.selfadjointView<Eigen::Lower>().rankUpdate(rows);
  return out;
}

}  // namespace

template <class T>
void neighbor_differences(const Samples<T>& points, std::span<const std::int32_t> neighbors,
                          const Samples<T>& others, Index i, Matrix<double>& out) {
  const auto count = static_cast<Index>(neighbors.size());
  if (!points.is_sparse()) {
    const auto rows = points.dense();
    const auto x = others.dense().row(i).template cast<double>();
    out.resize(count, points.cols());
    for (Index j = 0; j < count; ++j)
      out.row(j) = rows.row(neighbors[static_cast<std::size_t>(j)]).template cast<double>() - x;
    return;
  }
  const auto rows = points.sparse();
  const auto own = others.sparse();
  std::vector<std::int64_t> columns;
  const auto add = [&](const auto& matrix, Index row) {
    columns.insert(columns.end(), matrix.innerIndexPtr() + matrix.outerIndexPtr()[row],
                   matrix.innerIndexPtr() + matrix.outerIndexPtr()[row + 1]);
  };
  add(own, i);
  for (const std::int32_t j : neighbors) add(rows, j);
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  out.setZero(count, static_cast<Index>(columns.size()));
  const auto subtract = [&](const auto& matrix, Index row, auto&& target, double sign) {
    for (std::int64_t p = matrix.outerIndexPtr()[row]; p < matrix.outerIndexPtr()[row + 1]; ++p) {
      const auto at = std::lower_bound(columns.begin(), columns.end(), matrix.innerIndexPtr()[p]);
      target[at - columns.begin()] += sign * double(matrix.valuePtr()[p]);
    }
  };
  for (Index j = 0; j < count; ++j) {
    subtract(rows, neighbors[static_cast<std::size_t>(j)], out.row(j), 1);
    subtract(own, i, out.row(j), -1);
  }
}

void local_spectrum(const Matrix<double>& rows, LocalSpectrum& out) {
  const Index count = rows.rows(), rank = std::min(count, rows.cols());
  const Eigen::SelfAdjointEigenSolver<Block<double>> solver(gram(rows));
  out.values = solver.eigenvalues().reverse().cwiseMax(0.0);
  out.values.tail(count - rank).setZero();
  out.vectors = solver.eigenvectors().rowwise().reverse();
}

Vector<double> barycentric_weights(const Matrix<double>& rows, double regularization) {
  const Index count = rows.rows();
  Block<double> g = gram(rows);
  const double trace = g.trace();
  g.diagonal().array() += trace > 0 ? regularization * trace : 1;
  const Eigen::LLT<Eigen::Ref<Block<double>>> cholesky(g);
  Vector<double> w = cholesky.solve(Vector<double>::Ones(count));
  const double sum = w.sum();
  // What rounding has spoilt (a trace near the smallest number) is as good as no distance at all.
  if (cholesky.info() != Eigen::Success || !(sum > 0) || !w.allFinite())
    return Vector<double>::Constant(count, 1 / double(count));
  return w / sum;
}

template void neighbor_differences(const Samples<float>&, std::span<const std::int32_t>,
                                   const Samples<float>&, Index, Matrix<double>&);
template void neighbor_differences(const Samples<double>&, std::span<const std::int32_t>,
                                   const Samples<double>&, Index, Matrix<double>&);

}  // namespace mercer
