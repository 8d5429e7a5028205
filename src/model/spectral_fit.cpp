// Solving a symmetric problem for a count or a share of variance, with its certificate.
#include "model/spectral_fit.hpp"

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "model/shares.hpp"
#include "operator/dense_operator.hpp"
#include "spectral/certificate.hpp"
#include "spectral/davidson.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

EigenRequest eigen_request(const SolveRequest& request, Index count) {
  EigenRequest out;
  out.count = count;
  out.tolerance = request.residual;
  out.strict = request.strict;
  out.basis = request.basis;
  out.delta = request.delta;
  out.positive_semidefinite = request.known_psd;
  out.end = request.end;
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

/// Beyond a sixth of n LAPACK finds all pairs sooner than block Krylov finds many, where it fits.
Index all_or_too_many(Index n, Index count, const Run& run) {
  const double needed = 48.0 * double(n) * double(n);
  if (needed <= double(run.memory_budget())) return n;
  throw Error(ErrorCode::no_memory,
              fmt::format("that share of variance takes more than {} components, and all of them need {}",
                          count / 2, format_bytes(needed)),
              "ask for a smaller share, for a count, or raise --memory");
}

/// Σ|λ⁻| / Σ|λ|, at least, from the eigenvalues known: the positive ones sum to tr − Σλ⁻ or more.
double negative_share_of(double negative, double positive_known, double trace) {
  if (negative <= 0) return 0;
  return negative / (negative + std::max(positive_known, trace + negative));
}

/// The same operator, counting rough products as the solvers count passes: eight vectors each.
template <class T>
class Counted final : public SymmetricOperator<T> {
 public:
  explicit Counted(const SymmetricOperator<T>& inner) : SymmetricOperator<T>(inner.size()), inner_(inner) {}

  [[nodiscard]] Index rough_passes() const { return rough_passes_; }
  [[nodiscard]] std::optional<double> trace() const override { return inner_.trace(); }
  [[nodiscard]] std::optional<double> frobenius_squared() const override {
    return inner_.frobenius_squared();
  }
  [[nodiscard]] const Vector<double>* row_sums() const override { return inner_.row_sums(); }
  [[nodiscard]] double cancellation() const override { return inner_.cancellation(); }
  [[nodiscard]] bool has_rough_product() const override { return inner_.has_rough_product(); }

 private:
  void do_apply(const BlockView<T>& v, BlockRef<T> y, const Run& run) const override {
    inner_.apply(v, y, run);
  }
  void do_apply_roughly(const BlockView<T>& v, BlockRef<T> y, const Run& run) const override {
    if (has_rough_product()) rough_passes_ += (v.cols() + 7) / 8;
    inner_.apply_roughly(v, y, run);
  }
  [[nodiscard]] double estimate_rough_error(const BlockView<T>& v, const Run& run) const override {
    return inner_.rough_error(v, run);
  }

  const SymmetricOperator<T>& inner_;
  mutable Index rough_passes_ = 0;
};

}  // namespace

void require_solvable(const Components& components, double residual) {
  if (components.share == 0 && components.count < 1)
    throw Error(ErrorCode::usage, fmt::format("{} components were asked for", components.count),
                "ask for at least 1");
  if (components.share < 0 || components.share >= 1)
    throw Error(ErrorCode::usage,
                fmt::format("a share of variance of {} cannot be reached", components.share),
                "choose one between 0 and 1");
  if (residual < 0 || !std::isfinite(residual))
    throw Error(ErrorCode::usage, fmt::format("a residual of {} cannot be reached", residual),
                "leave it to the default");
}

template <class T>
Solved<T> solve_dense(Block<double> matrix, const SolveRequest& request, const Run& run) {
  const ThreadScope threads(run);
  const Index n = matrix.rows();
  run.report("eigenvectors", 0);
  const DenseOperator<double> op(std::move(matrix));
  Solved<T> out;
  out.trace = *op.trace();
  const bool share = request.components.share > 0;
  Index count = share ? n : std::min(request.components.count, n);
  const bool all = share || 4 * count >= n || n <= 512;
  const bool largest = request.end == End::largest;
  Spectrum<double> s = dense_eigenpairs<double>(op.matrix(), all ? n : count, request.end, run);
  run.check();
  if (!request.known_psd && largest) {
    const double smallest =
        all ? s.values[n - 1] : dense_eigenpairs<double>(op.matrix(), 1, End::smallest, run).values[0];
    const double negative = all ? -s.values.cwiseMin(0.0).sum() : std::max(0.0, -smallest);
    out.min_eigenvalue = smallest;
    out.negative_share = negative_share_of(negative, s.values.cwiseMax(0.0).sum(), out.trace);
  }
  if (share) count = count_for_share(s.values, request.components.share, out.trace).value_or(n);
  // n orthonormal vectors: every eigenvalue lies within ‖R‖ of its place in the list.
  if (all) s.residuals = residual_norms<double>(op, s.vectors, s.values, run);
  const double all_residuals = all ? s.residuals.norm() : 0;
  if (all && count < n)
    s.missed.rigorous =
        largest ? std::max(0.0, s.values[count]) + all_residuals : s.values[count] - all_residuals;
  if (all && count == n) s.missed.rigorous = largest ? all_residuals : s.values[n - 1] - all_residuals;
  if (all) s.missed.probable = s.missed.rigorous;
  s.values.conservativeResize(count);
  s.vectors.conservativeResize(Eigen::NoChange, count);
  out.spectrum.vectors = s.vectors.template cast<T>();
  if (all && std::is_same_v<T, double>) {
    s.residuals.conservativeResize(count);  // measured already
  } else {
    s.vectors = out.spectrum.vectors.template cast<double>();
    s.residuals = residual_norms<double>(op, s.vectors, s.values, run);
  }
  if (!all) {
    s.missed.rigorous = rigorous_missed_bound(op, s.values, s.residuals, request.end, request.known_psd);
    const double probable = probable_missed_bound<double>(op, s, eigen_request(request, count), run);
    s.missed.probable =
        largest ? std::min(s.missed.rigorous, probable) : std::max(s.missed.rigorous, probable);
    s.missed.delta = request.delta;
  }
  out.spectrum.values = s.values;
  out.spectrum.residuals = s.residuals;
  out.spectrum.missed = s.missed;
  out.spectrum.passes = 1;
  run.report("eigenvectors", 1);
  return out;
}

template <class T>
Solved<T> solve_iteratively(const SymmetricOperator<T>& op, const SolveRequest& request, const Run& run) {
  const Index n = op.size();
  Solved<T> out;
  const auto find = [&](const EigenRequest& wanted) {
    if constexpr (std::is_same_v<T, double>)
      if (request.guess && request.components.share == 0) {
        const Counted<T> counted(op);
        if (auto found = davidson(counted, *request.guess, wanted, run)) {
          out.spectrum = std::move(*found);
          out.rough_passes = counted.rough_passes();
          return;
        }
      }
    const Counted<T> counted(op);
    out.spectrum = eigenpairs<T>(counted, wanted, run);
    out.rough_passes = counted.rough_passes();
  };
  if (request.components.share > 0) {
    // As many as it takes: twice as many each time.
    for (Index count = std::min<Index>(16, n);; count *= 2) {
      if (6 * count > n) count = all_or_too_many(n, count, run);
      find(eigen_request(request, count));
      out.trace = op.trace().value();
      const Index enough =
          count_for_share(out.spectrum.values, request.components.share, out.trace).value_or(0);
      if (enough > 0) truncate(out.spectrum, enough);
      if (enough > 0 || count == n) break;
    }
  } else {
    find(eigen_request(request, std::min(request.components.count, n)));
  }
  out.trace = op.trace().value();
  if (!request.known_psd) {
    EigenRequest bottom = eigen_request(request, std::min(request.bottom_count, n));
    bottom.end = End::smallest;
    bottom.tolerance = std::is_same_v<T, float> ? 1e-5 : 1e-8;
    bottom.certify = false;
    // A Ritz value is never below the smallest eigenvalue, so a negative one is proof even before it
    // has converged; and the lower end of a matrix without negative eigenvalues never quite does.
    bottom.allow_partial = true;
    bottom.max_passes = request.bottom_passes;
    const Spectrum<T> s = eigenpairs<T>(op, bottom, run);
    out.min_eigenvalue = s.values[0];
    out.negative_share =
        negative_share_of(-s.values.cwiseMin(0.0).sum(), out.spectrum.values.cwiseMax(0.0).sum(), out.trace);
  }
  return out;
}

void measure_in_double(Solved<float>& solved, const SymmetricOperator<double>& op,
                       const SolveRequest& request, const Run& run) {
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
  const double rounding =
      1e-6 * std::sqrt(double(v.cols())) * (s.values.size() ? s.values.cwiseAbs().maxCoeff() : 0);
  s.missed.rigorous =
      rounding + rigorous_missed_bound(op, s.values, s.residuals, End::largest, request.known_psd);
  s.missed.probable = std::min(s.missed.probable + rounding, s.missed.rigorous);
  if (s.missed.probable < s.missed.rigorous && !(s.missed.delta > 0))
    s.missed.delta = request.delta;  // all pairs are known, but in float
}

template <class T>
Solved<T> rounded(Solved<double> solved) {
  if constexpr (std::is_same_v<T, double>) {
    return solved;
  } else {
    Solved<T> out;
    Spectrum<double>& s = solved.spectrum;
    const double largest = std::max(s.values.size() ? s.values.cwiseAbs().maxCoeff() : 0,
                                    std::abs(solved.min_eigenvalue.value_or(0)));
    double moved = 0;  // ‖(A − θ)(v − v_T)‖ ≤ 2 ‖A‖ ‖v − v_T‖
    out.spectrum.vectors = s.vectors.template cast<T>();
    for (Index i = 0; i < s.values.size(); ++i) {
      const auto kept = out.spectrum.vectors.col(i).template cast<double>();
      const double change = 2 * largest * (s.vectors.col(i) - kept).norm();
      s.residuals[i] = (s.residuals[i] + change) / kept.norm();
      moved += change * change;
    }
    out.spectrum.values = s.values;
    out.spectrum.residuals = s.residuals;
    out.spectrum.missed = s.missed;
    out.spectrum.missed.rigorous += std::sqrt(moved);
    out.spectrum.missed.probable += std::sqrt(moved);
    out.spectrum.passes = s.passes;
    out.spectrum.converged = s.converged;
    out.trace = solved.trace;
    out.min_eigenvalue = solved.min_eigenvalue;
    out.negative_share = solved.negative_share;
    out.rough_passes = solved.rough_passes;
    return out;
  }
}

template <class T>
void allow_for_rounding(Solved<T>& solved, const GramRounding& rounding) {
  Spectrum<T>& s = solved.spectrum;
  s.residuals.array() += rounding.norm;
  s.missed.rigorous += rounding.norm + rounding.trace;  // which may rest on the trace
  s.missed.probable += rounding.norm;
}

template <class T>
double rounding_threshold(const Solved<T>& solved, double scale, double epsilon, Route route) {
  const Spectrum<T>& s = solved.spectrum;
  const double n = double(s.vectors.rows()), largest = s.values.size() ? std::abs(s.values[0]) : 0;
  const double rounding = 4 * std::sqrt(n) * epsilon * std::max(largest, scale);
  return route == Route::dense || s.residuals.size() == 0 ? rounding
                                                          : std::max(rounding, s.residuals.maxCoeff());
}

template <class T>
void keep_components(Solved<T>& solved, const Components& components, double threshold, Report& report) {
  Spectrum<T>& s = solved.spectrum;
  Index rank = 0;
  while (rank < s.values.size() && s.values[rank] > threshold) ++rank;
  report.components_requested = components.share > 0 ? rank : components.count;
  if (rank < report.components_requested && components.share == 0)
    report.notes.push_back(
        fmt::format("only {} of the {} components asked for have a variance that stands out from rounding",
                    rank, report.components_requested));
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
  report.explained_variance_ratio = shares_of(s.values, solved.trace);
  report.residuals = s.residuals;
  report.missed = s.missed;
  report.min_eigenvalue = solved.min_eigenvalue;
  report.negative_share = solved.negative_share;
  report.converged = s.converged;
  report.passes = s.passes;
  report.rough_passes = solved.rough_passes;
}

template <class T>
void require_samples(const Samples<T>& samples) {
  if (samples.rows() == 0 || samples.cols() == 0)
    throw Error(ErrorCode::bad_data, fmt::format("there is nothing to fit: {} samples of {} features",
                                                 samples.rows(), samples.cols()));
  require_finite(samples);
}

#define MERCER_INSTANTIATE(T)                                                                         \
  template Solved<T> rounded(Solved<double>);                                                         \
  template Solved<T> solve_iteratively(const SymmetricOperator<T>&, const SolveRequest&, const Run&); \
  template Solved<T> solve_dense(Block<double>, const SolveRequest&, const Run&);                     \
  template void allow_for_rounding(Solved<T>&, const GramRounding&);                                  \
  template double rounding_threshold(const Solved<T>&, double, double, Route);                        \
  template void keep_components(Solved<T>&, const Components&, double, Report&);                      \
  template void fill_report(Report&, const Solved<T>&, double);                                       \
  template void require_samples(const Samples<T>&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
