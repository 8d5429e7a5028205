// Solving a symmetric problem for a count or a share of variance, with its certificate.
#include "model/spectral_fit.hpp"

#include "base/parallel.hpp"
#include "operator/dense_operator.hpp"
#include "spectral/certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

/// How many of the leading values reach the share of the trace; 0 when they do not.
Index count_for_share(const Vector<double>& values, double share, double trace) {
  double sum = 0;
  for (Index i = 0; i < values.size(); ++i) {
    sum += values[i];
    if (sum >= share * trace * (1 - 1e-14)) return i + 1;
  }
  return 0;
}

EigenRequest eigen_request(const SolveRequest& request, Index count) {
  EigenRequest out;
  out.count = count;
  out.tolerance = request.residual;
  out.delta = request.delta;
  out.positive_semidefinite = request.known_psd;
  return out;
}

/// Drops the pairs beyond `count`; the first one dropped is then the largest that is "missed".
template <class T>
void truncate(Spectrum<T>& s, Index count) {
  if (count >= s.values.size()) return;
  const double next = s.values[count] + s.residuals.norm();
  s.missed.rigorous = std::max(s.missed.rigorous, next);
  s.missed.probable = std::max(s.missed.probable, next);
  s.values.conservativeResize(count);
  s.residuals.conservativeResize(count);
  s.vectors.conservativeResize(Eigen::NoChange, count);
}

double negative_share_of(double negative, double trace) { return negative / (trace + 2 * negative); }

}  // namespace

Solved<double> solve_dense(Block<double> matrix, const SolveRequest& request, const Run& run) {
  const ThreadScope threads(run);
  const Index n = matrix.rows();
  run.report("eigenvectors", 0);
  const DenseOperator<double> op(std::move(matrix));
  Solved<double> out;
  out.trace = *op.trace();
  const bool share = request.components.share > 0;
  const Index count = share ? n : std::min(request.components.count, n);
  const bool all = share || 4 * count >= n || n <= 512;
  out.spectrum = dense_eigenpairs<double>(op.matrix(), all ? n : count, End::largest, run);
  Spectrum<double>& s = out.spectrum;
  s.residuals = residual_norms<double>(op, s.vectors, s.values, run);
  s.passes = 1;
  if (all) {
    // n orthonormal vectors: every eigenvalue lies within ‖R‖ of its place in the list.
    const double r = s.residuals.norm();
    s.missed = {r, r, 0};
    if (!request.known_psd) {
      out.min_eigenvalue = s.values[n - 1];
      out.negative_share = negative_share_of(-s.values.cwiseMin(0.0).sum(), out.trace);
    }
    truncate(s, share ? std::max<Index>(1, count_for_share(s.values, request.components.share, out.trace)) : count);
  } else {
    const EigenRequest eigen = eigen_request(request, count);
    s.missed.rigorous = rigorous_missed_bound(op.trace(), op.frobenius_squared(), n, s.values, s.residuals, End::largest,
                                              request.known_psd, 1e-14 * std::abs(out.trace));
    s.missed.probable = std::min(s.missed.rigorous, probable_missed_bound<double>(op, s, eigen, run));
    s.missed.delta = request.delta;
    if (!request.known_psd) {
      const double smallest = dense_eigenpairs<double>(op.matrix(), 1, End::smallest, run).values[0];
      out.min_eigenvalue = smallest;
      out.negative_share = negative_share_of(std::max(0.0, -smallest), out.trace);
    }
  }
  run.report("eigenvectors", 1);
  return out;
}

template <class T>
Solved<T> solve_iteratively(const SymmetricOperator<T>& op, const SolveRequest& request, const Run& run) {
  const Index n = op.size();
  Solved<T> out;
  out.trace = op.trace().value();
  if (request.components.share > 0) {
    // As many as it takes: twice as many each time, beginning from those found.
    Block<T> start;
    for (Index count = std::min<Index>(16, n);; count = std::min(2 * count, n)) {
      out.spectrum = eigenpairs<T>(op, eigen_request(request, count), run, start);
      const Index enough = count_for_share(out.spectrum.values, request.components.share, out.trace);
      if (enough > 0) truncate(out.spectrum, enough);
      if (enough > 0 || count == n) break;
      start = out.spectrum.vectors;
    }
  } else {
    out.spectrum = eigenpairs<T>(op, eigen_request(request, std::min(request.components.count, n)), run);
  }
  if (!request.known_psd) {
    EigenRequest bottom = eigen_request(request, std::min<Index>(8, n));
    bottom.end = End::smallest;
    bottom.tolerance = std::is_same_v<T, float> ? 1e-5 : 1e-8;
    bottom.certify = false;
    const Spectrum<T> s = eigenpairs<T>(op, bottom, run);
    out.min_eigenvalue = s.values[0];
    out.negative_share = negative_share_of(-s.values.cwiseMin(0.0).sum(), out.trace);
  }
  return out;
}

void measure_in_double(Solved<float>& solved, const SymmetricOperator<double>& op, const SolveRequest& request, const Run& run) {
  Spectrum<float>& s = solved.spectrum;
  const Block<double> v = s.vectors.cast<double>();
  Block<double> image(op.size(), v.cols());
  op.apply(v, image, run);
  for (Index i = 0; i < v.cols(); ++i) {
    const double squared = v.col(i).squaredNorm();
    s.values[i] = v.col(i).dot(image.col(i)) / squared;
    s.residuals[i] = (image.col(i) - s.values[i] * v.col(i)).norm() / std::sqrt(squared);
  }
  solved.trace = op.trace().value_or(solved.trace);
  // Float vectors are orthonormal only to float's rounding, which the bound must allow for.
  const double rounding = 1e-6 * std::sqrt(double(v.cols())) * (s.values.size() ? s.values.cwiseAbs().maxCoeff() : 0);
  s.missed.rigorous = rounding + rigorous_missed_bound(op.trace(), op.frobenius_squared(), op.size(), s.values, s.residuals,
                                                       End::largest, request.known_psd, 1e-14 * std::abs(solved.trace));
  s.missed.probable = std::min(s.missed.probable + rounding, s.missed.rigorous);
}

template <class T>
Solved<T> cast(const Solved<double>& solved) {
  Solved<T> out;
  const Spectrum<double>& s = solved.spectrum;
  out.spectrum = {s.values, s.vectors.template cast<T>(), s.residuals, s.missed, s.passes, s.converged};
  out.trace = solved.trace;
  out.min_eigenvalue = solved.min_eigenvalue;
  out.negative_share = solved.negative_share;
  return out;
}

template <class T>
void keep_components(Solved<T>& solved, const Components& components, double scale, double epsilon, Report& report) {
  Spectrum<T>& s = solved.spectrum;
  const double n = double(s.vectors.rows()), largest = s.values.size() ? std::abs(s.values[0]) : 0;
  const double rounding = 4 * std::sqrt(n) * epsilon * std::max(largest, scale);
  Index rank = 0;  // an eigenvalue is told from zero when it exceeds rounding and its own residual
  while (rank < s.values.size() && s.values[rank] > std::max(rounding, s.residuals[rank])) ++rank;
  report.components_requested = components.share > 0 ? rank : components.count;
  if (rank < report.components_requested && components.share == 0)
    report.notes.push_back(fmt::format("only {} of the {} components asked for have any variance", rank, report.components_requested));
  truncate(s, rank);
}

template <class T>
void fill_report(Report& report, const Solved<T>& solved, double divisor) {
  const Spectrum<T>& s = solved.spectrum;
  report.precision = precision_of<T>;
  report.components = s.values.size();
  report.gram_eigenvalues = s.values;
  report.variances = s.values / divisor;
  report.trace = solved.trace;
  report.explained_variance_ratio = solved.trace > 0 ? Vector<double>(s.values / solved.trace) : Vector<double>::Zero(s.values.size());
  report.residuals = s.residuals;
  report.missed = s.missed;
  report.min_eigenvalue = solved.min_eigenvalue;
  report.negative_share = solved.negative_share;
  report.converged = s.converged;
  report.passes = s.passes;
}

template <class T>
void require_samples(const Samples<T>& samples) {
  if (samples.rows() == 0 || samples.cols() == 0)
    throw Error(ErrorCode::bad_data, fmt::format("there is nothing to fit: {} samples of {} features", samples.rows(), samples.cols()));
  require_finite(samples);
}

#define MERCER_INSTANTIATE(T)                                                                              \
  template Solved<T> solve_iteratively(const SymmetricOperator<T>&, const SolveRequest&, const Run&);      \
  template Solved<T> cast(const Solved<double>&);                                                          \
  template void keep_components(Solved<T>&, const Components&, double, double, Report&);                   \
  template void fill_report(Report&, const Solved<T>&, double);                                            \
  template void require_samples(const Samples<T>&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
