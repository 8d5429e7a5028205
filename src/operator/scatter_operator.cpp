// Linear PCA's matrices, implicit and explicit.
#include "operator/scatter_operator.hpp"

#include "base/linalg.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

/// Rows (or columns) centred at a time when a matrix is written out.
constexpr Index chunk = 512;

}  // namespace

template <class T>
Vector<double> column_means(const Samples<T>& x) {
  Vector<double> mean = Vector<double>::Zero(x.cols());
  if (x.rows() == 0) return mean;
  if (x.is_sparse()) {
    const auto s = x.sparse();
    for (auto p = s.outerIndexPtr()[0]; p < s.outerIndexPtr()[s.rows()]; ++p) mean[s.innerIndexPtr()[p]] += double(s.valuePtr()[p]);
  } else {
    const auto m = x.dense();
    for (Index i = 0; i < m.rows(); ++i) mean += m.row(i).template cast<double>().transpose();
  }
  return mean / double(x.rows());
}

template <class T>
double total_scatter(const Samples<T>& x, const Vector<double>& mean) {
  double total = 0;
  if (!x.is_sparse()) {
    const auto m = x.dense();
    for (Index i = 0; i < m.rows(); ++i) total += (m.row(i).template cast<double>().transpose() - mean).squaredNorm();
    return total;
  }
  const auto s = x.sparse();  // ‖x − μ‖² = ‖μ‖² + Σ over x's entries of (x_k − μ_k)² − μ_k²
  total = double(x.rows()) * mean.squaredNorm();
  for (auto p = s.outerIndexPtr()[0]; p < s.outerIndexPtr()[s.rows()]; ++p) {
    const double value = double(s.valuePtr()[p]), m = mean[s.innerIndexPtr()[p]];
    total += value * (value - 2 * m);
  }
  return std::max(0.0, total);
}

template <class T>
Block<T> centered_times(const Samples<T>& x, const Vector<T>& mean, const BlockView<T>& v) {
  Block<T> w(x.rows(), v.cols());
  if (x.is_sparse()) {
    w.noalias() = x.sparse() * v;
  } else {
    const auto m = x.dense();  // row-major X is column-major Xᵀ
    linalg::gemm<T>(linalg::Transpose::yes, linalg::Transpose::no, m.rows(), v.cols(), m.cols(), 1, m.data(),
                    std::max<Index>(1, m.outerStride()), v.data(), v.outerStride(), 0, w.data(), w.outerStride());
  }
  w.rowwise() -= (mean.transpose() * v).eval().row(0);
  return w;
}

template <class T>
Block<T> centered_transposed_times(const Samples<T>& x, const Vector<T>& mean, const BlockView<T>& w) {
  Block<T> y(x.cols(), w.cols());
  if (x.is_sparse()) {
    y.noalias() = x.sparse().transpose() * w;
  } else {
    const auto m = x.dense();
    linalg::gemm<T>(linalg::Transpose::no, linalg::Transpose::no, m.cols(), w.cols(), m.rows(), 1, m.data(),
                    std::max<Index>(1, m.outerStride()), w.data(), w.outerStride(), 0, y.data(), y.outerStride());
  }
  y.noalias() -= mean * w.colwise().sum();
  return y;
}

template <class T>
ScatterOperator<T>::ScatterOperator(const Samples<T>& samples, Vector<double> mean, Side side)
    : SymmetricOperator<T>(side == Side::features ? samples.cols() : samples.rows()),
      samples_(samples), mean_(mean.cast<T>()), side_(side), trace_(total_scatter(samples, mean)) {}

template <class T>
void ScatterOperator<T>::do_apply(const BlockView<T>& v, BlockRef<T> y, const Run&) const {
  if (side_ == Side::features) {
    y = centered_transposed_times<T>(samples_, mean_, centered_times<T>(samples_, mean_, v));
  } else {
    y = centered_times<T>(samples_, mean_, centered_transposed_times<T>(samples_, mean_, v));
  }
}

template <class T>
Block<double> scatter_matrix(const Samples<T>& x, const Vector<double>& mean, Side side, const Run& run) {
  const Index n = x.rows(), d = x.cols(), size = side == Side::features ? d : n;
  Block<double> out = Block<double>::Zero(size, size);
  if (side == Side::features) {
    for (Index i = 0; i < n; i += chunk) {  // X̃ᵀX̃ = Σ over chunks of rows
      run.check();
      const Matrix<double> part = x.dense_rows(i, std::min(chunk, n - i)).template cast<double>().rowwise() - mean.transpose();
      linalg::syrk<double>(linalg::Transpose::no, d, part.rows(), 1, part.data(), std::max<Index>(1, d), 1, out.data(), std::max<Index>(1, d));
    }
  } else if (x.is_sparse()) {
    const SparseMatrix<double> s = x.template cast<double>().sparse();
    const Vector<double> xm = s * mean;
    out = Block<double>(SparseMatrix<double>(s * s.transpose()));
    out.colwise() -= xm;
    out.rowwise() -= xm.transpose();
    out.array() += mean.squaredNorm();
  } else {
    const auto m = x.dense();
    for (Index j = 0; j < d; j += chunk) {  // X̃X̃ᵀ = Σ over chunks of columns
      run.check();
      const Index cols = std::min(chunk, d - j);
      const Block<double> part = m.middleCols(j, cols).template cast<double>().rowwise() - mean.segment(j, cols).transpose();
      linalg::syrk<double>(linalg::Transpose::no, n, cols, 1, part.data(), std::max<Index>(1, n), 1, out.data(), std::max<Index>(1, n));
    }
  }
  out.template triangularView<Eigen::StrictlyUpper>() = out.transpose();
  return out;
}

#define MERCER_INSTANTIATE(T)                                                                                   \
  template class ScatterOperator<T>;                                                                            \
  template Vector<double> column_means(const Samples<T>&);                                                      \
  template double total_scatter(const Samples<T>&, const Vector<double>&);                                      \
  template Block<T> centered_times(const Samples<T>&, const Vector<T>&, const BlockView<T>&);                   \
  template Block<T> centered_transposed_times(const Samples<T>&, const Vector<T>&, const BlockView<T>&);        \
  template Block<double> scatter_matrix(const Samples<T>&, const Vector<double>&, Side, const Run&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
