// The bottom of a sparse matrix by its inverse's top (a sparse Cholesky factor) or by polynomials of it;
// whichever found the vectors, Rayleigh-Ritz and the residuals are of the matrix itself.
#include "spectral/sparse_bottom.hpp"

#include "base/linalg.hpp"
#include "base/memory.hpp"
#include "base/random.hpp"
#include "operator/shift_invert.hpp"
#include "operator/sparse_operator.hpp"
#include "spectral/orthonormal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace mercer {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
/// Pairs found beyond the wanted ones: the next value is then known, and the bound lies beyond it.
constexpr Index guards = 4;
/// σ relative to ‖A‖: small beside the bottom, large beside what rounding leaves of a pivot.
constexpr double first_shift = 1e-12, last_shift = 1e-6, shift_growth = 100;
/// Up to so many operations of LDLᵀ, by simple columns, the eigenvalues below are counted.
constexpr double count_flops = 5e7;
/// A factor of so few operations is not worth asking for another way.
constexpr double cheap_flops = 2e10;
/// Operations a second and thread, roughly: of a factor in blocks, of a sparse product with eight vectors.
constexpr double factor_rate = 1e10, product_rate = 2e9;
/// Up to so many rows LAPACK takes a second or two.
constexpr Index dense_rows = 2000;
/// Of a filter: what it lifts the bottom by, the passes a first look takes and those a solve is thought to
/// take.
constexpr double filter_gain = 200;
constexpr Index look_passes = 6, likely_passes = 20, most_passes = 300;
constexpr double first_cut = 0.02, least_cut = 1e-8;  ///< of ‖A‖

struct Problem {
  const SparseMatrix<double>& a;
  Vector<double> null_vector;  ///< of length 1, or empty
  double norm, tolerance;
  Index count, more;  ///< wanted, and guards
  double delta;
  const Run& run;

  [[nodiscard]] Index size() const { return a.rows(); }
  [[nodiscard]] Index known() const { return null_vector.size() > 0 ? 1 : 0; }
};

/// Eigenpairs of A in the space of some vectors, ascending.
struct Ritz {
  Block<double> vectors;
  Vector<double> values, residuals;
};

Ritz rayleigh_ritz(const Problem& problem, Block<double> v) {
  Random random(problem.run.seed, 0x626f74746f6dULL);
  const Block<double> known =
      Eigen::Map<const Block<double>>(problem.null_vector.data(), v.rows(), problem.known());
  orthonormalize<double>(known, v, std::numeric_limits<double>::min(), random);
  Block<double> image(v.rows(), v.cols());
  SparseOperator(problem.a).apply(v, image, problem.run);
  Block<double> s = linalg::transposed_times<double>(v, image);
  s = ((s + s.transpose()) / 2).eval();
  Ritz out;
  linalg::syevd(s, out.values);
  linalg::multiply_right<double>(v, s);
  linalg::multiply_right<double>(image, s);
  out.residuals = (image - v * out.values.asDiagonal()).colwise().norm();
  out.vectors = std::move(v);
  return out;
}

/// Largest residual of the wanted pairs, relative to ‖A‖.
double worst(const Problem& problem, const Ritz& ritz) {
  return ritz.residuals.head(problem.count).maxCoeff() / problem.norm;
}

EigenRequest request_for(const Problem& problem, double tolerance) {
  EigenRequest out;
  out.count = problem.count + problem.more;
  out.tolerance = tolerance;
  out.max_passes = most_passes;
  out.allow_partial = true;  // what counts are residuals of A, measured afterwards
  out.positive_semidefinite = true;
  out.certify = false;
  out.delta = problem.delta;
  return out;
}

/// The wanted pairs, and a number below which no other eigenvalue lies: neither a guard, nor, but for the
/// chance delta, one that was not found.
BottomPairs finish(const Problem& problem, const Ritz& ritz, double not_found_below, BottomMethod method,
                   Index passes) {
  BottomPairs out;
  out.method = method;
  out.norm = problem.norm;
  Spectrum<double>& s = out.spectrum;
  s.values = ritz.values.head(problem.count);
  s.vectors = ritz.vectors.leftCols(problem.count);
  s.residuals = ritz.residuals.head(problem.count);
  s.passes = passes;
  s.missed.rigorous = 0;  // A ⪰ 0
  s.missed.delta = problem.delta;
  s.missed.probable = not_found_below;
  if (ritz.values.size() > problem.count)
    s.missed.probable =
        std::min(s.missed.probable, ritz.values[problem.count] - ritz.residuals[problem.count]);
  if (problem.size() == problem.count + problem.known())
    s.missed.rigorous = s.missed.probable = problem.norm;  // there is no other
  s.missed.probable = std::max(s.missed.probable, s.missed.rigorous);
  fix_signs<double>(s.vectors);
  return out;
}

[[noreturn]] void throw_not_converged(const Problem& problem, const Ritz& ritz, Index passes,
                                      std::string hint) {
  throw Error(
      ErrorCode::not_converged,
      fmt::format("the {} eigenvectors at the bottom of a sparse {}x{} matrix have not converged after "
                  "{} passes: residual {:.1e} of its norm, and {:.1e} was asked for",
                  problem.count, problem.size(), problem.size(), passes, worst(problem, ritz),
                  problem.tolerance),
      std::move(hint));
}

// Shift-invert.

/// A count of the eigenvalues below a number between the last wanted one and the next, where they can be told
/// apart: nothing was missed below.
void count_below(const Problem& problem, const ShiftInvert& inverse, const Ritz& ritz, BottomPairs& out) {
  const Index k = problem.count;
  if (inverse.cost().flops > count_flops || ritz.values.size() <= k) return;
  const double last = ritz.values[k - 1] + ritz.residuals[k - 1], next = ritz.values[k] - ritz.residuals[k];
  const double between = next - 0.1 * (next - last);
  if (!(between > last)) return;
  const Inertia inertia = inverse.inertia(between, problem.run);
  if (!(between - inertia.error > last)) return;
  const Index expected = k + problem.known();
  if (inertia.below == expected)
    out.spectrum.missed.rigorous = between - inertia.error;
  else if (inertia.below > expected && between + inertia.error < next)
    throw Error(ErrorCode::not_converged,
                fmt::format("{} eigenvalues lie below {:.3e}, and {} of them were found", inertia.below,
                            between, expected),
                "use another seed");
  out.spectrum.missed.probable = std::max(out.spectrum.missed.probable, out.spectrum.missed.rigorous);
}

/// All eigenpairs, the null vector moved to the top.
BottomPairs by_lapack(const Problem& problem) {
  const Index n = problem.size(), found = problem.count + problem.more;
  Block<double> all = Block<double>(problem.a);
  if (problem.known() == 1) all += 2 * problem.norm * problem.null_vector * problem.null_vector.transpose();
  Vector<double> values;
  linalg::syevd(all, values);
  const double rounding = 8 * std::sqrt(double(n)) * epsilon * problem.norm;
  const double next = found < n - problem.known() ? values[found] - rounding : problem.norm;
  const Ritz ritz = rayleigh_ritz(problem, all.leftCols(found));
  if (worst(problem, ritz) > problem.tolerance)
    throw_not_converged(problem, ritz, 1, "a larger residual is what rounding allows");
  return finish(problem, ritz, std::max(0.0, next), BottomMethod::dense, 1);
}

BottomPairs by_factor(const Problem& problem, ShiftInvert& inverse) {
  const Run& run = problem.run;
  run.report("factorisation", 0);
  double shift = first_shift * problem.norm;
  while (!inverse.factor(shift, run)) {
    shift *= shift_growth;
    if (shift > last_shift * problem.norm)
      throw Error(ErrorCode::not_psd,
                  fmt::format("a sparse matrix of norm {:.2e} has an eigenvalue below {:.2e}", problem.norm,
                              -shift / shift_growth));
  }
  run.report("factorisation", 1);
  Ritz ritz;
  double missed = 0;
  Index passes = 0;
  // Errors of the inverse's vectors matter as the spread of the bottom has them: tighter until A is content.
  for (const double tolerance : {1e-9, 1e-12, 1e-14}) {
    const Spectrum<double> found =
        eigenpairs<double>(inverse, request_for(problem, tolerance), run, ritz.vectors);
    passes += found.passes;
    // 1/(λ + σ) ≤ μ for the others; the factor is that of a matrix a few roundings from A.
    if (found.converged)
      missed = std::max(0.0, 1 / found.missed.probable - shift - 64 * epsilon * problem.norm);
    ritz = rayleigh_ritz(problem, found.vectors);
    // Where the lowest value is far below the others the inverse is only known of the lowest; a few more
    // products bring out the others.
    double before = std::numeric_limits<double>::infinity();
    for (double now = worst(problem, ritz); now > problem.tolerance && now < 0.9 * before;
         before = now, now = worst(problem, ritz)) {
      Block<double> image(problem.size(), ritz.vectors.cols());
      inverse.apply(ritz.vectors, image, run);
      ritz = rayleigh_ritz(problem, std::move(image));
      ++passes;
    }
    if (worst(problem, ritz) > problem.tolerance) continue;
    BottomPairs out = finish(problem, ritz, missed, BottomMethod::shift_invert, passes);
    out.factor_bytes = inverse.cost().bytes;
    count_below(problem, inverse, ritz, out);
    return out;
  }
  if (problem.size() <= dense_rows) return by_lapack(problem);
  throw_not_converged(problem, ritz, passes, "ask for fewer components or a larger residual");
}

// Iteration.

/// Nothing where it would take more than `most_flops`.
std::optional<BottomPairs> by_filter(const Problem& problem, double most_flops) {
  const Run& run = problem.run;
  const double product_flops = 16 * double(problem.a.nonZeros());
  double cut = first_cut * problem.norm, spent = 0;
  Index passes = 0;
  Ritz ritz;
  double missed = 0;
  const auto solve = [&](const ChebyshevFilter& filter, const EigenRequest& request,
                         const Block<double>& start) {
    const Spectrum<double> found = eigenpairs<double>(filter, request, run, start);
    passes += found.passes * filter.degree();
    spent += double(found.passes * filter.degree()) * product_flops;
    if (found.converged)
      missed = std::max(0.0, filter.preimage(found.missed.probable) - 64 * epsilon * problem.norm);
    ritz = rayleigh_ritz(problem, found.vectors);
  };
  // Ritz values lie above those sought: a first look, with a filter of few products, shows how low to cut.
  for (;;) {
    const ChebyshevFilter filter(problem.a, problem.null_vector, cut, problem.norm, filter_gain);
    if (spent + double(filter.degree() * likely_passes) * product_flops > most_flops) return std::nullopt;
    EigenRequest request = request_for(problem, 1e-3);
    request.max_passes = look_passes;
    solve(filter, request, {});
    const double seen =
        std::clamp(1.2 * ritz.values[ritz.values.size() - 1], least_cut * problem.norm, 0.5 * problem.norm);
    const bool settled = seen > 0.4 * cut;
    cut = seen;
    if (settled) break;
  }
  const ChebyshevFilter filter(problem.a, problem.null_vector, cut, problem.norm, filter_gain);
  Block<double> start;
  for (const double tolerance : {0.1, 1e-3}) {
    solve(filter, request_for(problem, std::clamp(tolerance * problem.tolerance, 1e-14, 1e-6)), start);
    if (worst(problem, ritz) <= problem.tolerance)
      return finish(problem, ritz, missed, BottomMethod::iteration, passes);
    start = ritz.vectors;
  }
  throw_not_converged(
      problem, ritz, passes,
      "allow the memory for its Cholesky factor, or ask for fewer components or a larger residual");
}

BottomPairs solve(const Problem& problem, BottomMethod method) {
  const Run& run = problem.run;
  constexpr double no_limit = std::numeric_limits<double>::infinity();
  if (method == BottomMethod::iteration) return *by_filter(problem, no_limit);
  run.report("ordering", 0);
  ShiftInvert inverse(problem.a, problem.null_vector, run);
  if (method == BottomMethod::shift_invert) return by_factor(problem, inverse);
  const FactorCost& cost = inverse.cost();
  const bool fits = cost.bytes < 0.8 * double(run.memory_budget());
  if (fits && cost.flops < cheap_flops) return by_factor(problem, inverse);
  const double limit = fits ? cost.flops / factor_rate * product_rate : no_limit;
  if (auto found = by_filter(problem, limit)) return std::move(*found);
  return by_factor(problem, inverse);
}

}  // namespace

BottomPairs bottom_eigenpairs(const SparseMatrix<double>& a, const Vector<double>& null_vector,
                              const BottomRequest& request, const Run& run) {
  const Index n = a.rows(), known = null_vector.size() > 0 ? 1 : 0;
  if (a.cols() != n || (known == 1 && null_vector.size() != n) || !a.isCompressed())
    throw Error(ErrorCode::internal, fmt::format("the bottom of a {}x{} matrix with a null vector of {}", n,
                                                 a.cols(), null_vector.size()));
  if (request.count < 1 || request.count > n - known)
    throw Error(ErrorCode::usage,
                fmt::format("{} eigenvectors of a {}x{} matrix{} were asked for", request.count, n, n,
                            known ? " beside its null vector" : ""),
                fmt::format("from 1 to {}", n - known));
  const double norm = norm_bound(a);
  if (!std::isfinite(norm))
    throw Error(ErrorCode::internal, "a sparse matrix has an element that is no number");
  Problem problem{.a = a,
                  .null_vector = null_vector,
                  .norm = norm > 0 ? norm : 1,
                  .tolerance = std::max(request.tolerance > 0 ? request.tolerance : 1e-10, 1e-14),
                  .count = request.count,
                  .more = std::min(guards, n - known - request.count),
                  .delta = request.delta,
                  .run = run};
  if (known) problem.null_vector.normalize();
  return solve(problem, request.method);
}

}  // namespace mercer
