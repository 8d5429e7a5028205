// Passes over a stack by BLAS, a few matrices at a time. A row-major h x w matrix is a column-major w x h
// one: BLAS sees everything transposed.
#include "tensor/matrix_stack.hpp"

#include "base/at.hpp"
#include "base/linalg.hpp"
#include "tensor/lanes.hpp"
#include "tensor/sample_rows.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace mercer {
namespace {

using linalg::Transpose;

/// Rows `a` (count x w) times V: count x q.
Matrix<double> times_right(const double* a, Index count, Index w, const Block<double>& right) {
  Matrix<double> out(count, right.cols());
  linalg::gemm<double>(Transpose::yes, Transpose::no, right.cols(), count, w, 1, right.data(), w, a, w, 0,
                       out.data(), right.cols());
  return out;
}

/// op(L) applied to each h x w matrix of a stack from the left: m x w each.
Matrix<double> times_left(const double* a, Index count, Index h, Index w, const Block<double>& left,
                          Transpose t) {
  const bool turned = t == Transpose::yes;
  const Index m = turned ? left.cols() : left.rows();
  Matrix<double> out(count, m * w);
  for (Index i = 0; i < count; ++i)  // (op(L) A)ᵀ = Aᵀ op(L)ᵀ
    linalg::gemm<double>(Transpose::no, turned ? Transpose::no : Transpose::yes, w, m, h, 1, a + i * h * w, w,
                         left.data(), left.rows(), 0, out.data() + i * m * w, w);
  return out;
}

/// F += Σ B_i B_iᵀ for h x k matrices.
void add_row_scatter(const double* b, Index count, Index h, Index k, Block<double>& out) {
  for (Index i = 0; i < count; ++i)
    linalg::syrk<double>(Transpose::yes, h, k, 1, b + i * h * k, k, 1, out.data(), h);
}

/// G += Σ B_iᵀ B_i: the rows of all of them together.
void add_column_scatter(const double* b, Index rows, Index w, Block<double>& out) {
  linalg::syrk<double>(Transpose::no, w, rows, 1, b, w, 1, out.data(), w);
}

}  // namespace

Index MatrixRows::at_once() const { return std::max<Index>(1, (Index{1} << 18) / size()); }

Matrix<double> MatrixRows::project(const Matrix<double>& rows, const Sides& sides) const {
  const Index count = rows.rows();
  Matrix<double> half = rows;
  Index q = width;
  if (sides.right.size() > 0) {
    half = times_right(rows.data(), count * height, width, sides.right);
    q = sides.right.cols();
    half.resize(count, height * q);  // the same numbers, a row a matrix
  }
  return sides.left.size() > 0 ? times_left(half.data(), count, height, q, sides.left, Transpose::yes) : half;
}

Matrix<double> MatrixRows::expand(const Matrix<double>& cores, const Sides& sides) const {
  const Index count = cores.rows();
  const Index p = sides.left.size() > 0 ? sides.left.cols() : height;
  Matrix<double> half = cores;
  if (sides.right.size() > 0) {  // M Vᵀ
    const Block<double> back = sides.right.transpose();
    half = times_right(cores.data(), count * p, back.rows(), back);
    half.resize(count, p * width);
  }
  return sides.left.size() > 0 ? times_left(half.data(), count, p, width, sides.left, Transpose::no) : half;
}

template <class T>
MatrixStack<T>::MatrixStack(const TensorView<T>& x, bool center, const Run& run)
    : x_(x), form_{x.size(1), x.size(2)}, mean_(Matrix<double>::Zero(form_.height, form_.width)), run_(run) {
  if (!center) return;
  const Pieces pieces{samples(), form_.at_once()};
  const Index lanes = lanes_for(pieces.count(), form_.size());
  Matrix<double> sums = Matrix<double>::Zero(lanes, form_.size());
  for_each_piece(pieces.count(), lanes, run_, [&](Index lane, Index piece) {
    sums.row(lane) += rows(pieces[piece].first, pieces[piece].count()).colwise().sum();
  });
  Eigen::Map<Eigen::RowVectorXd>(mean_.data(), mean_.size()) = sums.colwise().sum() / double(samples());
}

template <class T>
Matrix<double> MatrixStack<T>::rows(Index first, Index count) const {
  Matrix<double> out = rows_of_array(x_.range(0, first, count), 0, Run{.threads = 1}).template cast<double>();
  out.rowwise() -= Eigen::Map<const Eigen::RowVectorXd>(mean_.data(), mean_.size());
  return out;
}

template <class T>
auto MatrixStack<T>::scatter(const Sides& sides, Wanted wanted) const -> Scatter {
  const Index h = form_.height, w = form_.width;
  const Index of_rows = wanted == Wanted::columns ? 0 : h, of_columns = wanted == Wanted::rows ? 0 : w;
  const Pieces pieces{samples(), form_.at_once()};
  const Index lanes = lanes_for(pieces.count(), of_rows * of_rows + of_columns * of_columns);
  std::vector<Scatter> sums(at(lanes), Scatter{Block<double>::Zero(of_rows, of_rows),
                                               Block<double>::Zero(of_columns, of_columns), 0});
  for_each_piece(pieces.count(), lanes, run_, [&](Index lane, Index piece) {
    Scatter& sum = sums[at(lane)];
    const Index count = pieces[piece].count();
    const Matrix<double> a = rows(pieces[piece].first, count);
    sum.squared_norm += a.squaredNorm();
    if (of_rows > 0 && sides.right.size() > 0)
      add_row_scatter(times_right(a.data(), count * h, w, sides.right).data(), count, h, sides.right.cols(),
                      sum.rows);
    else if (of_rows > 0)
      add_row_scatter(a.data(), count, h, w, sum.rows);
    if (of_columns > 0 && sides.left.size() > 0)
      add_column_scatter(times_left(a.data(), count, h, w, sides.left, Transpose::yes).data(),
                         count * sides.left.cols(), w, sum.columns);
    else if (of_columns > 0)
      add_column_scatter(a.data(), count * h, w, sum.columns);
  });
  for (std::size_t lane = 1; lane < sums.size(); ++lane) {
    sums[0].rows += sums[lane].rows;
    sums[0].columns += sums[lane].columns;
    sums[0].squared_norm += sums[lane].squared_norm;
  }
  return std::move(sums[0]);
}

template <class T>
Matrix<double> MatrixStack<T>::cores(const Sides& sides) const {
  const Index p = sides.left.size() > 0 ? sides.left.cols() : form_.height;
  const Index q = sides.right.size() > 0 ? sides.right.cols() : form_.width;
  const Pieces pieces{samples(), form_.at_once()};
  Matrix<double> out(samples(), p * q);
  parallel_for(pieces.count(), run_, [&](Index piece) {
    const Span span = pieces[piece];
    out.middleRows(span.first, span.count()) = form_.project(rows(span.first, span.count()), sides);
  });
  return out;
}

template <class T>
double MatrixStack<T>::squared_residual(const Sides& sides, const Matrix<double>& cores) const {
  const Pieces pieces{samples(), form_.at_once()};
  std::vector<double> sums(at(pieces.count()));
  parallel_for(pieces.count(), run_, [&](Index piece) {
    const Span span = pieces[piece];
    const Matrix<double> mine = cores.middleRows(span.first, span.count());
    sums[at(piece)] = (rows(span.first, span.count()) - form_.expand(mine, sides)).squaredNorm();
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

template class MatrixStack<float>;
template class MatrixStack<double>;

}  // namespace mercer
