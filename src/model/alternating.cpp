// Alternating least squares on the known entries of a table.
#include "model/alternating.hpp"

#include "base/linalg.hpp"
#include "base/parallel.hpp"

#include <mercer/pca.hpp>

#include <Eigen/SVD>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

constexpr Index rows_a_task = 64, entries_a_batch = 256;

/// (Σ b bᵀ + diag(penalty)) z = Σ b·target, filled in batches; one a thread.
class NormalEquations {
 public:
  explicit NormalEquations(const Vector<double>& penalty)
      : penalty_(penalty),
        matrix_(penalty.size(), penalty.size()),
        right_(penalty.size()),
        batch_(penalty.size(), entries_a_batch) {}

  void clear() {
    matrix_.setZero();
    right_.setZero();
    filled_ = 0;
  }
  void add(const double* regressors, double target) {
    batch_.col(filled_) = Eigen::Map<const Vector<double>>(regressors, right_.size());
    right_ += target * batch_.col(filled_);
    if (++filled_ == entries_a_batch) flush();
  }
  const Vector<double>& solve() {
    flush();
    const Index k = right_.size();
    matrix_.diagonal() += penalty_;
    if (!matrix_.allFinite() || !right_.allFinite()) refuse();
    Block<double> factor = matrix_;
    // Without a penalty few entries leave directions open: the least that can be told from rounding closes
    // them.
    for (double least = 1e-13; linalg::cholesky(factor) < k; least *= 10) {
      if (least > 1) refuse();  // more than the matrix itself: it is beyond what numbers can hold
      factor = matrix_;
      factor.diagonal().array() += least * std::max(matrix_.diagonal().maxCoeff(), 1e-300);
    }
    linalg::solve_lower<double>(linalg::Transpose::no, k, 1, factor.data(), k, right_.data(), k);
    linalg::solve_lower<double>(linalg::Transpose::yes, k, 1, factor.data(), k, right_.data(), k);
    return right_;
  }

 private:
  [[noreturn]] static void refuse() {
    throw Error(ErrorCode::bad_data, "the values are too large: sums of their squares are not finite numbers",
                "divide them by a number, or use --scale standardize");
  }
  void flush() {
    const Index k = right_.size();
    if (filled_ > 0)
      linalg::syrk<double>(linalg::Transpose::no, k, filled_, 1, batch_.data(), k, 1, matrix_.data(), k);
    filled_ = 0;
  }

  const Vector<double>& penalty_;
  Block<double> matrix_;
  Vector<double> right_;
  Block<double> batch_;
  Index filled_ = 0;
};

/// The same product PQᵀ with columns orthogonal, of equal lengths in P and Q, longest first.
void balance(Factors& f) {
  const Index k = f.rows.cols();
  Block<double> p = f.rows, q = f.columns;
  const Block<double> rp = linalg::qr<double>(p), rq = linalg::qr<double>(q);
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(rp * rq.transpose(), Eigen::ComputeFullU | Eigen::ComputeFullV);
  f.sizes = svd.singularValues();
  const Vector<double> root = f.sizes.cwiseSqrt();
  f.rows.noalias() = p.leftCols(k) * (svd.matrixU() * root.asDiagonal());
  f.columns.noalias() = q.leftCols(k) * (svd.matrixV() * root.asDiagonal());
}

Vector<double> means_of_known(const SparseMatrix<double>& known) {
  Vector<double> sum = Vector<double>::Zero(known.cols()), count = sum;
  for (Index i = 0; i < known.rows(); ++i)
    for (SparseMatrix<double>::InnerIterator at(known, i); at; ++at) {
      sum[at.col()] += at.value();
      count[at.col()] += 1;
    }
  return sum.cwiseQuotient(count.cwiseMax(1));
}

/// One step each way. Neither step, nor moving the scores' mean into μ, nor balancing can raise the
/// objective.
void sweep(const SparseMatrix<double>& known, const SparseMatrix<double>& transposed, Factors& f,
           const AlternatingOptions& options, const Run& run) {
  const Index k = f.rows.cols();
  f.rows = ridge_rows(known, f.mean, f.columns, Vector<double>::Constant(k, options.ridge), run);
  if (!options.center) {
    f.columns = ridge_rows(transposed, Vector<double>::Zero(known.rows()), f.rows,
                           Vector<double>::Constant(k, options.ridge), run);
  } else {
    f.rows.rowwise() -= f.rows.colwise().mean().eval();
    Matrix<double> with_ones(known.rows(), k + 1);  // the last regression coefficient is μ_j, without penalty
    with_ones << f.rows, Vector<double>::Ones(known.rows());
    Vector<double> penalty = Vector<double>::Constant(k + 1, options.ridge);
    penalty[k] = 0;
    const Matrix<double> found =
        ridge_rows(transposed, Vector<double>::Zero(known.rows()), with_ones, penalty, run);
    f.columns = found.leftCols(k);
    f.mean = found.col(k);
  }
  balance(f);
}

}  // namespace

Matrix<double> ridge_rows(const SparseMatrix<double>& known, const Vector<double>& offset,
                          const Matrix<double>& basis, const Vector<double>& penalty, const Run& run) {
  Matrix<double> out = Matrix<double>::Zero(known.rows(), basis.cols());
  if (basis.cols() == 0) return out;
  parallel_for((known.rows() + rows_a_task - 1) / rows_a_task, run, [&](Index task) {
    NormalEquations equations(penalty);
    for (Index i = task * rows_a_task; i < std::min(known.rows(), (task + 1) * rows_a_task); ++i) {
      const auto first = known.outerIndexPtr()[i], last = known.outerIndexPtr()[i + 1];
      if (first == last) continue;
      equations.clear();
      for (auto p = first; p < last; ++p) {
        const auto j = known.innerIndexPtr()[p];
        equations.add(basis.data() + j * basis.cols(), known.valuePtr()[p] - offset[j]);
      }
      out.row(i) = equations.solve().transpose();
    }
  });
  return out;
}

double squared_error(const SparseMatrix<double>& entries, const Vector<double>& mean,
                     const Matrix<double>& rows, const Matrix<double>& columns, const Run& run) {
  Vector<double> sums = Vector<double>::Zero(entries.rows());
  parallel_for((entries.rows() + rows_a_task - 1) / rows_a_task, run, [&](Index task) {
    for (Index i = task * rows_a_task; i < std::min(entries.rows(), (task + 1) * rows_a_task); ++i)
      for (SparseMatrix<double>::InnerIterator at(entries, i); at; ++at) {
        const double error = at.value() - mean[at.col()] - rows.row(i).dot(columns.row(at.col()));
        sums[i] += error * error;
      }
  });
  return sums.sum();
}

Factors spectral_start(const SparseMatrix<double>& known, Index k, bool center, const Run& run) {
  Factors f;
  f.mean = center ? means_of_known(known) : Vector<double>(Vector<double>::Zero(known.cols()));
  SparseMatrix<double> rest = known;
  for (Index i = 0; i < rest.rows(); ++i)
    for (SparseMatrix<double>::InnerIterator at(rest, i); at; ++at) at.valueRef() -= f.mean[at.col()];
  const double share = double(known.nonZeros()) / (double(known.rows()) * double(known.cols()));
  Run quiet = run;
  quiet.progress = nullptr;
  const auto pca = Pca<double>::fit(Samples<double>(std::move(rest)),
                                    {.components = std::min({k, known.rows(), known.cols()}),
                                     .center = false,
                                     .residual = share < 1 ? 1e-6 : 0},
                                    quiet);
  f.rows = pca.scores() / share;
  f.columns = pca.directions();
  f.sizes = pca.report().gram_eigenvalues.cwiseSqrt() / share;
  const Vector<double> root = f.sizes.cwiseSqrt();
  f.rows *= root.cwiseInverse().asDiagonal();
  f.columns *= root.asDiagonal();
  return f;
}

Factors alternate(const SparseMatrix<double>& known, Factors f, const AlternatingOptions& options,
                  const Run& run) {
  const SteadyRun steady(run);
  f.objective.clear();
  f.converged = f.rows.cols() == 0;
  const SparseMatrix<double> transposed = known.transpose();
  // A table of low rank without noise is met exactly, and relative to nothing everything is a large fall.
  const double nothing = 1e-12 * known.squaredNorm();
  for (Index count = 0; count < options.max_sweeps && !f.converged; ++count) {
    run.check();
    sweep(known, transposed, f, options, steady);
    const double now = squared_error(known, f.mean, f.rows, f.columns, steady) +
                       options.ridge * (f.rows.squaredNorm() + f.columns.squaredNorm());
    f.converged =
        !f.objective.empty() && f.objective.back() - now <= options.tolerance * std::max(now, nothing);
    f.objective.push_back(now);
  }
  return f;
}

}  // namespace mercer
