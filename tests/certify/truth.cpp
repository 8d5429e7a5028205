// Reference eigenvalues: Eigen in long double up to a hundred and some, LAPACK in double beyond.
#include "truth.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <vector>

extern "C" void dsyevd_(const char* job, const char* uplo, const int* n, double* a, const int* lda, double* w,
                        double* work, const int* lwork, int* iwork, const int* liwork, int* info);

namespace certify {
namespace {

constexpr Eigen::Index in_long_double = 128;

/// Nothing where its iterations do not end, as between subnormal elements.
std::optional<RealVector> by_eigen(const RealMatrix& a) {
  using Columns = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  const Eigen::SelfAdjointEigenSolver<Columns> solver(Columns(a), Eigen::EigenvaluesOnly);
  if (solver.info() != Eigen::Success) return std::nullopt;
  return solver.eigenvalues().reverse();
}

RealVector by_lapack(const RealMatrix& a) {
  const int n = int(a.rows()), lwork = 2 * n + 1 + 64 * n, liwork = 1;
  Eigen::MatrixXd copy = a.cast<double>();
  Eigen::VectorXd w(n);
  std::vector<double> work(std::size_t(lwork), 0);
  int iwork = 0, info = 0;
  dsyevd_("N", "L", &n, copy.data(), &n, w.data(), work.data(), &lwork, &iwork, &liwork, &info);
  if (info != 0) throw std::runtime_error("LAPACK found no eigenvalues for the reference");
  return w.reverse().cast<Real>();
}

}  // namespace

Real Truth::distance(Real value) const {
  Real best = std::numeric_limits<Real>::infinity();
  for (Eigen::Index i = 0; i < values.size(); ++i) best = std::min(best, std::abs(values[i] - value));
  return best;
}

Truth eigenvalues_of(RealMatrix matrix) {
  Truth out;
  const Eigen::Index n = matrix.rows();
  out.trace = out.raw_trace = matrix.trace();
  const Real most = n > 0 ? matrix.cwiseAbs().maxCoeff() : 0;
  if (!(most > 0) || !std::isfinite(most)) {
    out.values = RealVector::Zero(n);
  } else {
    const RealMatrix scaled = matrix / most;
    std::optional<RealVector> values;
    if (n <= in_long_double) values = by_eigen(scaled);
    const Real unit = values ? 0x1p-63L : 0x1p-52L;
    out.values = (values ? *values : by_lapack(scaled)) * most;
    out.error = 2 * std::sqrt(Real(n)) * unit * out.largest();
  }
  out.matrix = std::move(matrix);
  return out;
}

Truth truth_of_kernel(const KernelTree& kernel, const RealMatrix& rows, bool center) {
  RealMatrix raw;
  const RealMatrix centered = centered_gram(kernel, rows, center, &raw);
  const bool finite = raw.allFinite() && centered.allFinite();
  Truth out = eigenvalues_of(finite ? centered : RealMatrix(RealMatrix::Zero(raw.rows(), raw.cols())));
  out.raw_largest = !finite      ? std::numeric_limits<Real>::infinity()
                    : raw.size() ? raw.cwiseAbs().maxCoeff()
                                 : 0;
  out.raw_trace = raw.trace();
  out.mean_part = center ? std::abs(raw.sum()) / Real(std::max<Eigen::Index>(1, rows.rows())) : 0;
  out.error += 0x1p-62L * std::sqrt(Real(rows.rows())) * out.mean_part;
  return out;
}

RealMatrix centered_columns(RealMatrix x, bool center) {
  if (!center || x.rows() == 0) return x;
  const RealVector first = x.row(0).transpose();  // far from the origin the differences are what counts
  x.rowwise() -= first.transpose();
  const RealVector mean = x.colwise().mean().transpose();
  x.rowwise() -= mean.transpose();
  return x;
}

Truth truth_of_rows(const RealMatrix& rows) {
  RealMatrix scatter =
      rows.cols() <= rows.rows() ? RealMatrix(rows.transpose() * rows) : RealMatrix(rows * rows.transpose());
  Truth out = eigenvalues_of(std::move(scatter));
  return out;
}

}  // namespace certify
