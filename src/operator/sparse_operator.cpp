// Products of a sparse matrix with several vectors that lie side by side, and recurrences of them.
#include "operator/sparse_operator.hpp"

#include "base/parallel.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

constexpr Index rows_together = 512;

template <int W>
void product_of_rows(const SparseMatrix<double>& a, Index first, Index last, Index column, double alpha,
                     const Matrix<double>& x, double beta, double gamma, Matrix<double>& out) {
  using Row = Eigen::Array<double, W, 1>;
  const auto row_of = [&](const Matrix<double>& m, Index i) {
    return Eigen::Map<const Row>(m.data() + i * m.cols() + column);
  };
  const std::int64_t* const begin = a.outerIndexPtr();
  const std::int64_t* const index = a.innerIndexPtr();
  const double* const value = a.valuePtr();
  for (Index i = first; i < last; ++i) {
    Row sum = Row::Zero();
    for (std::int64_t p = begin[i]; p < begin[i + 1]; ++p) sum += value[p] * row_of(x, index[p]);
    sum = alpha * sum + beta * row_of(x, i);
    if (gamma != 0) sum += gamma * row_of(out, i);
    Eigen::Map<Row>(out.data() + i * out.cols() + column) = sum;
  }
}

/// Side by side, with zeros up to a multiple of 4.
Matrix<double> as_rows(const BlockView<double>& v) {
  Matrix<double> out(v.rows(), (v.cols() + 3) / 4 * 4);
  out.leftCols(v.cols()) = v;
  out.rightCols(out.cols() - v.cols()).setZero();
  return out;
}

void project(const Vector<double>& null_vector, BlockRef<double> v) {
  if (null_vector.size() > 0) v -= null_vector * (null_vector.transpose() * v).eval();
}

/// cosh(acosh(x)/m)
double root_of_chebyshev(double value, double degree) { return std::cosh(std::acosh(value) / degree); }

}  // namespace

void sparse_product(const SparseMatrix<double>& a, double alpha, const Matrix<double>& x, double beta,
                    double gamma, Matrix<double>& out, const Run& run) {
  const Index n = a.rows();
  parallel_for((n + rows_together - 1) / rows_together, run, [&](Index part) {
    const Index first = part * rows_together, last = std::min(n, first + rows_together);
    Index column = 0;
    for (; column + 8 <= x.cols(); column += 8)
      product_of_rows<8>(a, first, last, column, alpha, x, beta, gamma, out);
    if (column < x.cols()) product_of_rows<4>(a, first, last, column, alpha, x, beta, gamma, out);
  });
}

double norm_bound(const SparseMatrix<double>& a) {
  double norm = 0;
  for (Index i = 0; i < a.rows(); ++i) {
    double sum = 0;
    for (SparseMatrix<double>::InnerIterator it(a, i); it; ++it) sum += std::abs(it.value());
    norm = std::max(norm, sum);
  }
  return norm;
}

std::optional<double> SparseOperator::trace() const { return Vector<double>(a_.diagonal()).sum(); }

std::optional<double> SparseOperator::frobenius_squared() const { return a_.squaredNorm(); }

void SparseOperator::do_apply(const BlockView<double>& v, BlockRef<double> y, const Run& run) const {
  const Matrix<double> x = as_rows(v);
  Matrix<double> out(x.rows(), x.cols());
  sparse_product(a_, 1, x, 0, 0, out, run);
  y = out.leftCols(v.cols());
}

ChebyshevFilter::ChebyshevFilter(const SparseMatrix<double>& a, Vector<double> null_vector, double cut,
                                 double top, double gain)
    : SymmetricOperator<double>(a.rows()), a_(a), null_vector_(std::move(null_vector)), cut_(cut), top_(top) {
  const double x0 = (top + cut) / (top - cut);
  // 1 + T(x₀) ≥ gain·(1 + 1)
  degree_ = 2 * static_cast<Index>(std::ceil(std::acosh(2 * gain - 1) / std::acosh(x0) / 2));
  degree_ = std::max<Index>(2, degree_);
  peak_ = 1 + std::cosh(double(degree_) * std::acosh(x0));
}

double ChebyshevFilter::preimage(double value) const {
  const double t = value * peak_ - 1;
  if (!(t > 1)) return cut_;
  return ((top_ + cut_) - (top_ - cut_) * root_of_chebyshev(t, double(degree_))) / 2;
}

void ChebyshevFilter::do_apply(const BlockView<double>& v, BlockRef<double> y, const Run& run) const {
  // T₀ = v, T₁ = x(A) v, Tⱼ₊₁ = 2 x(A) Tⱼ − Tⱼ₋₁
  const double slope = -2 / (top_ - cut_), offset = (top_ + cut_) / (top_ - cut_);
  y = v;
  project(null_vector_, y);
  const Matrix<double> start = as_rows(y);
  Matrix<double> before = start, now(start.rows(), start.cols());
  sparse_product(a_, slope, before, offset, 0, now, run);
  for (Index j = 1; j < degree_; ++j) {
    run.check();
    sparse_product(a_, 2 * slope, now, 2 * offset, -1, before, run);
    before.swap(now);
  }
  y = (start + now).leftCols(v.cols()) / peak_;
  project(null_vector_, y);
}

}  // namespace mercer
