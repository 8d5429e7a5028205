// A times the identity, and LAPACK.
#include "spectral/written_out.hpp"

#include "base/linalg.hpp"
#include "spectral/certificate.hpp"
#include "spectral/orthonormal.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

/// A few columns at a time, so that the operator's own sums stay small.
template <class T>
Block<T> written_out(const SymmetricOperator<T>& op, const Run& run) {
  constexpr Index at_once = 32;
  const Index n = op.size();
  Block<T> matrix(n, n);
  for (Index c = 0; c < n; c += at_once) {
    const Index count = std::min(at_once, n - c);
    Block<T> columns = Block<T>::Zero(n, count);
    columns.middleRows(c, count).setIdentity();
    op.apply(columns, matrix.middleCols(c, count), run);
  }
  matrix = ((matrix + matrix.transpose()) / 2).eval();
  return matrix;
}

}  // namespace

template <class T>
Spectrum<T> written_out_eigenpairs(const SymmetricOperator<T>& op, const EigenRequest& request,
                                   double tolerance, const Run& run) {
  const Index n = op.size(), wanted = std::min(request.count, n);
  const double sign = request.end == End::largest ? 1 : -1;
  Spectrum<T> all = dense_eigenpairs<T>(written_out(op, run), n, request.end, run);
  const Vector<double> residuals = residual_norms<T>(op, all.vectors, all.values, run);
  const double scale = n > 0 ? all.values.cwiseAbs().maxCoeff() : 0;
  Spectrum<T> out;
  out.values = all.values.head(wanted);
  out.vectors = all.vectors.leftCols(wanted);
  out.residuals = residuals.head(wanted);
  out.passes = (n + 7) / 8 + 1;
  // All n vectors are orthonormal, so every eigenvalue lies within ‖R‖ of its neighbour in the list.
  const double next = wanted < n ? all.values[wanted] : -sign * scale;
  out.missed.rigorous = next + sign * residuals.norm();
  if (request.positive_semidefinite && sign > 0) out.missed.rigorous = std::max(out.missed.rigorous, 0.0);
  out.missed.probable = out.missed.rigorous;
  // What cancels inside the operator may be known only now that it has been applied.
  constexpr double epsilon = double(std::numeric_limits<T>::epsilon());
  const double rounding = 16 * std::sqrt(double(n)) * epsilon;
  const double floor = request.tolerance > 0 && request.strict ? 0 : 16 * epsilon * op.cancellation();
  out.converged =
      n == 0 || out.residuals.maxCoeff() <= std::max(std::max(tolerance, rounding) * scale, 2 * floor);
  return out;
}

template <class T>
double exact_missed(const SymmetricOperator<T>& op, const Spectrum<T>& found, End end, const Run& run) {
  const Index n = op.size();
  if (found.values.size() >= n) return 0;
  Block<T> image = written_out(op, run);  // P A P
  project_out<T>(found.vectors, image);
  image.transposeInPlace();
  project_out<T>(found.vectors, image);
  Block<double> matrix = (image + image.transpose()).template cast<double>() / 2;
  Vector<double> values;
  linalg::syevd(matrix, values);  // with a zero for each vector projected out
  const double reach = end == End::largest ? values[n - 1] : values[0];
  const double rounding =
      10 * double(n) * double(std::numeric_limits<T>::epsilon()) * values.cwiseAbs().maxCoeff();
  return reach + (end == End::largest ? 1 : -1) * (rounding + found.residuals.norm());
}

#define MERCER_INSTANTIATE(T)                                                                           \
  template Spectrum<T> written_out_eigenpairs(const SymmetricOperator<T>&, const EigenRequest&, double, \
                                              const Run&);                                              \
  template double exact_missed(const SymmetricOperator<T>&, const Spectrum<T>&, End, const Run&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
