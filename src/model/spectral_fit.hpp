// What PCA, kernel PCA and their relatives share when they fit: solve a symmetric problem by the
// planned route for a count or a share of variance, know how right it is, and fill the report.
#pragma once

#include <mercer/report.hpp>
#include <mercer/samples.hpp>
#include <mercer/spectrum.hpp>
#include <mercer/symmetric_operator.hpp>

#include "operator/gram_rounding.hpp"
#include "operator/landmark_approximation.hpp"
#include "plan/planner.hpp"

namespace mercer {

struct SolveRequest {
  Components components = 2;
  double residual = 0;  ///< relative tolerance; 0: the element type's default
  bool strict = true;   ///< as in EigenRequest
  double delta = 1e-6;
  bool known_psd = false;  ///< the matrix cannot have negative eigenvalues
  End end = End::largest;  ///< smallest: a count, by LAPACK alone; the values ascend
  Index basis = 0;         ///< most vectors kept by the iteration; 0: chosen from the count
  /// Where the matrix is not known to be PSD: how many eigenvalues of the other end are looked at, and in how
  /// many passes.
  Index bottom_count = 8, bottom_passes = 60;
  /// Where each pass over the matrix is dear: a guess of it to begin from.
  const LandmarkApproximation* guess = nullptr;
};

/// Eigenpairs with everything the certificate needs.
template <class T>
struct Solved {
  Spectrum<T> spectrum;  ///< descending; ascending from the smallest end
  double trace = 0;
  /// Where the matrix is not known to be PSD: its smallest eigenvalue and Σ|λ⁻|/Σ|λ| as far as known.
  std::optional<double> min_eigenvalue, negative_share;
  Index rough_passes = 0;  ///< of spectrum.passes
};

/// Throws Error{usage} for a count below 1, a share outside (0, 1) or a residual that is no number.
void require_solvable(const Components& components, double residual);

/// LAPACK on a full symmetric matrix, in double. The vectors are rounded to T before their residuals
/// are measured: the certificate speaks of what the model keeps.
template <class T>
[[nodiscard]] Solved<T> solve_dense(Block<double> matrix, const SolveRequest& request, const Run& run);

/// Block Krylov, or Davidson where there is a guess, on an operator whose trace is known in the end.
template <class T>
[[nodiscard]] Solved<T> solve_iteratively(const SymmetricOperator<T>& op, const SolveRequest& request,
                                          const Run& run);

/// Eigenvalues as Rayleigh quotients, and residuals, of vectors found in float, by the operator in double.
void measure_in_double(Solved<float>& solved, const SymmetricOperator<double>& op,
                       const SolveRequest& request, const Run& run);

/// The same with vectors rounded to T; residuals and bounds allow for it.
template <class T>
[[nodiscard]] Solved<T> rounded(Solved<double> solved);

/// The matrix that was solved is K̃ + δK̃: residuals and bounds allow for it, since they speak of K̃.
template <class T>
void allow_for_rounding(Solved<T>& solved, const GramRounding& rounding);

/// Keeps the eigenpairs with λ > threshold, and notes when these are fewer than asked for.
template <class T>
void keep_components(Solved<T>& solved, const Components& components, double threshold, Report& report);

/// The part of an eigenvalue that rounding alone may leave: 4√n·epsilon·max(λ₁, scale), and, found
/// iteratively, its residual. `scale` is the size of what was subtracted to form the matrix, `epsilon`
/// the rounding with which its elements were computed.
template <class T>
[[nodiscard]] double rounding_threshold(const Solved<T>& solved, double scale, double epsilon, Route route);

/// Eigenvalues, variances (over `divisor`), shares of the exact trace, residuals, bounds.
template <class T>
void fill_report(Report& report, const Solved<T>& solved, double divisor);

/// Throws Error{bad_data} unless there is at least one sample with at least one feature, all finite.
template <class T>
void require_samples(const Samples<T>& samples);

}  // namespace mercer
