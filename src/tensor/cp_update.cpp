// Normal equations of one factor.
#include "tensor/cp_update.hpp"

#include "base/at.hpp"
#include "base/linalg.hpp"
#include "base/parallel.hpp"
#include "tensor/nonnegative_least_squares.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

namespace mercer {
namespace {

constexpr Index rows_solved_a_task = 512;

template <class T>
constexpr double epsilon_of = double(std::numeric_limits<T>::epsilon());

Index tasks_for(Index rows) { return (rows + rows_solved_a_task - 1) / rows_solved_a_task; }

/// Rows [from, from + count) for each task.
template <class Work>
void for_rows(Index rows, const Run& run, Work&& work) {
  parallel_for(tasks_for(rows), run, [&](Index task) {
    work(task, task * rows_solved_a_task, std::min(rows_solved_a_task, rows - task * rows_solved_a_task));
  });
}

/// Is the matrix far enough from singular for its Cholesky factor to be trusted?
bool trusted(const Block<double>& factor, double epsilon) {
  const double largest = factor.diagonal().maxCoeff(), smallest = factor.diagonal().minCoeff();
  return smallest * smallest > 16 * double(factor.rows()) * epsilon * largest * largest;
}

/// The inverse on the eigenvectors that stand out from rounding.
Block<double> pseudo_inverse(const Block<double>& gram, double epsilon) {
  Block<double> vectors = gram;
  Vector<double> values;
  linalg::syevd(vectors, values);
  const double least = 16 * double(gram.rows()) * epsilon * std::max(values[values.size() - 1], 0.0);
  for (double& value : values) value = value > least ? 1 / value : 0;
  return vectors * values.asDiagonal() * vectors.transpose();
}

/// a_i(r) a_i(s) for the pairs s ≤ r number [first, first + count).
template <class T>
Matrix<T> self_products(const Matrix<T>& rows, Index first, Index count) {
  Matrix<T> out = Matrix<T>::Zero(rows.rows(), padded(count));
  Index r = 0, pair = 0;
  while (pair + r < first) pair += ++r;
  Index s = first - pair;
  for (Index c = 0; c < count; ++c) {
    out.col(c) = rows.col(r).cwiseProduct(rows.col(s));
    if (++s > r) ++r, s = 0;
  }
  return out;
}

template <class T>
Matrix<T> packed_grams(Mttkrp<T>& weights, const std::vector<Matrix<T>>& factors, Index rank, Index mode,
                       const Run& run) {
  double entries = 1;
  for (const Index size : weights.shape()) entries *= double(size);
  const Index pairs = rank * (rank + 1) / 2, some = pairs_at_once(pairs, entries, weights.kept_rows());
  Matrix<T> out, part;
  for (Index first = 0; first < pairs; first += some) {
    const Index count = std::min(some, pairs - first);
    if (some < pairs) weights.all_changed();  // what is kept belongs to other pairs
    std::vector<Matrix<T>> products;
    for (std::size_t m = 0; m < factors.size(); ++m)
      products.push_back(m == at(mode) ? Matrix<T>(0, padded(count))
                                       : self_products(factors[m], first, count));
    if (some == pairs) {
      weights.product(mode, products, out, run);
      return out;
    }
    weights.product(mode, products, part, run);
    if (first == 0) out.resize(part.rows(), pairs);
    out.middleCols(first, count) = part.leftCols(count);
  }
  return out;
}

template <class Row>
void unpack(const Row& packed, Block<double>& gram) {
  Index pair = 0;
  for (Index r = 0; r < gram.rows(); ++r)
    for (Index s = 0; s <= r; ++s, ++pair) gram(r, s) = gram(s, r) = double(packed[pair]);
}

/// λ times the factor, without padding.
template <class T>
Matrix<double> scaled_rows(const Kruskal<T>& model, Index mode, Index from, Index count) {
  return model.factor(mode).block(from, 0, count, model.rank).template cast<double>() *
         model.weights.asDiagonal();
}

/// right := Z with Z·gram = right. Directions in which gram says nothing, given numbers known to a relative
/// `epsilon`, are left out.
void solve_rows(const Block<double>& gram, Matrix<double>& right, double epsilon, const Run& run) {
  const Index r = gram.rows();
  Block<double> factor = gram;
  const bool good = linalg::cholesky(factor) == r && trusted(factor, epsilon);
  const Block<double> inverse = good ? Block<double>() : pseudo_inverse(gram, epsilon);
  for_rows(right.rows(), run, [&](Index, Index from, Index count) {
    double* rows = right.data() + from * r;  // as the columns of a column-major matrix
    if (good) {
      linalg::solve_lower<double>(linalg::Transpose::no, r, count, factor.data(), r, rows, r);
      linalg::solve_lower<double>(linalg::Transpose::yes, r, count, factor.data(), r, rows, r);
    } else {
      right.middleRows(from, count) = (right.middleRows(from, count) * inverse).eval();
    }
  });
}

void solve_rows_nonnegative(const Block<double>& gram, const Matrix<double>& right, Matrix<double>& rows,
                            const Run& run) {
  for_rows(rows.rows(), run, [&](Index, Index from, Index count) {
    NonnegativeLeastSquares solver(gram.rows());
    Vector<double> row;
    for (Index i = from; i < from + count; ++i) {
      row = rows.row(i);
      solver.solve(gram, right.row(i).transpose(), row);
      rows.row(i) = row;
    }
  });
}

void solve_row(const Block<double>& gram, const Vector<double>& right, bool nonnegative, double epsilon,
               Vector<double>& row) {
  if (gram.diagonal().maxCoeff() <= 0) {
    row.setZero();
    return;
  }
  if (nonnegative) {
    NonnegativeLeastSquares(gram.rows()).solve(gram, right, row);
    return;
  }
  const Eigen::LLT<Block<double>> llt(gram);
  if (llt.info() == Eigen::Success && trusted(llt.matrixLLT(), epsilon))
    row = llt.solve(right);
  else
    row = pseudo_inverse(gram, epsilon) * right;
}

}  // namespace

template <class T>
NormalEquations<T> normal_equations(Mttkrp<T>& values, Mttkrp<T>* weights,
                                    const std::vector<Matrix<T>>& factors, Index rank, Index mode,
                                    const Run& run) {
  NormalEquations<T> out;
  out.mode = mode;
  values.product(mode, factors, out.right, run);
  if (weights) {
    out.packed_grams = packed_grams(*weights, factors, rank, mode, run);
    return out;
  }
  out.gram = Block<double>::Ones(rank, rank);
  for (std::size_t m = 0; m < factors.size(); ++m)
    if (m != at(mode)) out.gram = out.gram.cwiseProduct(gram_of_rows(factors[m], rank, run));
  return out;
}

template <class T>
double squared_error(const NormalEquations<T>& equations, const CpData<T>& data, const Kruskal<T>& model,
                     const Run& run) {
  const Index rows = equations.right.rows();
  std::vector<double> inner(at(tasks_for(rows))), squares(inner.size());
  for_rows(rows, run, [&](Index task, Index from, Index count) {
    const Matrix<double> a = scaled_rows(model, equations.mode, from, count);
    inner[at(task)] =
        equations.right.block(from, 0, count, model.rank).template cast<double>().cwiseProduct(a).sum();
    if (equations.gram.size() > 0) {
      squares[at(task)] = (a * equations.gram).cwiseProduct(a).sum();
      return;
    }
    Block<double> gram(model.rank, model.rank);
    for (Index i = 0; i < count; ++i) {
      unpack(equations.packed_grams.row(from + i), gram);
      squares[at(task)] += (a.row(i) * gram).dot(a.row(i));
    }
  });
  return data.squared_norm - 2 * std::accumulate(inner.begin(), inner.end(), 0.0) +
         std::accumulate(squares.begin(), squares.end(), 0.0);
}

template <class T>
Matrix<double> solve(const NormalEquations<T>& equations, Index rank, bool nonnegative, Matrix<double> start,
                     const Run& run) {
  Matrix<double> right = equations.right.leftCols(rank).template cast<double>();
  if (equations.gram.size() > 0) {
    if (!nonnegative) {
      solve_rows(equations.gram, right, epsilon_of<T>, run);
      return right;
    }
    solve_rows_nonnegative(equations.gram, right, start, run);
    return start;
  }
  if (start.rows() == 0) start.resize(right.rows(), rank);
  for_rows(right.rows(), run, [&](Index, Index from, Index count) {
    Block<double> gram(rank, rank);
    Vector<double> row;
    for (Index i = from; i < from + count; ++i) {
      unpack(equations.packed_grams.row(i), gram);
      row = start.row(i);
      solve_row(gram, right.row(i).transpose(), nonnegative, epsilon_of<T>, row);
      start.row(i) = row;
    }
  });
  return start;
}

template <class T>
void update_factor(const NormalEquations<T>& equations, bool nonnegative, Kruskal<T>& model, const Run& run) {
  Matrix<double> start;
  if (nonnegative) start = scaled_rows(model, equations.mode, 0, equations.right.rows());
  set_factor(model, equations.mode, solve(equations, model.rank, nonnegative, std::move(start), run));
}

Index pairs_at_once(Index pairs, double entries, Index kept_rows) {
  const double most = std::max(32.0, 0.2 * entries / double(std::max<Index>(1, kept_rows)));
  return kept_rows == 0 || most >= double(pairs) ? pairs
                                                 : static_cast<Index>(most) / row_padding * row_padding;
}

#define MERCER_INSTANTIATE(T)                                                                            \
  template NormalEquations<T> normal_equations<T>(Mttkrp<T>&, Mttkrp<T>*, const std::vector<Matrix<T>>&, \
                                                  Index, Index, const Run&);                             \
  template double squared_error<T>(const NormalEquations<T>&, const CpData<T>&, const Kruskal<T>&,       \
                                   const Run&);                                                          \
  template Matrix<double> solve<T>(const NormalEquations<T>&, Index, bool, Matrix<double>, const Run&);  \
  template void update_factor<T>(const NormalEquations<T>&, bool, Kruskal<T>&, const Run&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
