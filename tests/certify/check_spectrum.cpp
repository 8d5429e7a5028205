// Eigenvalues, residuals, bounds, trace and shares of a report against the true spectrum.
#include "check_spectrum.hpp"

#include <cstdarg>
#include <optional>

namespace certify {
namespace {

using mercer::Index;
using mercer::Report;

constexpr Real epsilon = 0x1p-52L;

std::string words(const char* format, ...) {
  char text[240];
  va_list list;
  va_start(list, format);
  std::vsnprintf(text, sizeof text, format, list);
  va_end(list);
  return text;
}

bool has_sane_numbers(Outcome& out, const Report& r, const SpectrumClaims& claims) {
  const Index k = r.components;
  if (!out.holds("the report's lists have an entry for each component",
                 r.gram_eigenvalues.size() == k && r.residuals.size() == k && r.variances.size() == k &&
                     r.explained_variance_ratio.size() == (claims.shares ? k : 0),
                 words("%ld components", long(k))))
    return false;
  return out.holds("numbers are finite and residuals not negative",
                   r.gram_eigenvalues.allFinite() && r.residuals.allFinite() &&
                       r.explained_variance_ratio.allFinite() && std::isfinite(r.trace) &&
                       (k == 0 || r.residuals.minCoeff() >= 0) && !std::isnan(r.missed.rigorous) &&
                       !std::isnan(r.missed.probable));
}

/// The end of what could have been missed: the next true eigenvalue after as many as were found, by order.
/// Those found are near others in turn, which check_eigenvalues sees.
std::optional<Real> next_of(const Truth& truth, const Report& r) {
  if (r.components >= truth.size()) return std::nullopt;
  const bool largest = r.end == mercer::End::largest;
  return truth.at(largest ? r.components : truth.size() - 1 - r.components);
}

void check_eigenvalues(Outcome& out, const Report& r, const Truth& truth, Real slack) {
  const bool largest = r.end == mercer::End::largest;
  const Real all = r.residuals.size() ? Real(r.residuals.stableNorm()) : 0;
  for (Index i = 0; i < r.components; ++i) {
    const Real value = r.gram_eigenvalues[i], residual = r.residuals[i], off = truth.distance(value);
    out.within(
        "each eigenvalue lies within its residual of a true one", off, residual + slack,
        words("component %ld, eigenvalue %.10Lg, largest true %.6Lg", long(i + 1), value, truth.at(0)));
    out.tight("residual", residual, off, epsilon * truth.largest());
    if (i > 0)
      out.holds("eigenvalues are in order",
                largest ? r.gram_eigenvalues[i - 1] >= value : r.gram_eigenvalues[i - 1] <= value);
    if (r.bounds) continue;  // low rank: in order as the bounds say
    const Real place = largest ? truth.at(i) : truth.at(truth.size() - 1 - i);
    out.within("eigenvalues are the leading ones in order", std::abs(value - place), all + slack,
               words("component %ld, eigenvalue %.10Lg, true %.10Lg", long(i + 1), value, place));
  }
}

void check_missed(Outcome& out, const Report& r, const Truth& truth, Real slack) {
  const std::optional<Real> left = next_of(truth, r);
  if (!left) return;
  const bool largest = r.end == mercer::End::largest;
  const Real next = *left;
  const auto beyond = [&](double bound) { return largest ? next - bound : bound - next; };
  if (std::isfinite(r.missed.rigorous))
    out.within("nothing lies beyond the rigorous missed bound", beyond(r.missed.rigorous), slack,
               words("true %.10Lg, bound %.10g", next, r.missed.rigorous));
  if (std::isfinite(r.missed.probable)) {
    const bool held = beyond(r.missed.probable) <= slack;
    const double delta = r.missed.delta;
    if (delta > 0) out.probable.emplace_back(delta, held);
    if (delta < 1e-3)
      out.within("nothing lies beyond the probable missed bound", beyond(r.missed.probable), slack,
                 words("true %.10Lg, bound %.10g, delta %.1g", next, r.missed.probable, delta));
  }
  if (largest && next > 0) {
    out.tight("missed bound, rigorous", r.missed.rigorous, next, epsilon * truth.largest());
    out.tight("missed bound, probable", r.missed.probable, next, epsilon * truth.largest());
  }
  out.holds("the rigorous missed bound is not tighter than the probable one",
            !(largest ? r.missed.rigorous < r.missed.probable - slack
                      : r.missed.rigorous > r.missed.probable + slack),
            words("%.10g and %.10g", r.missed.rigorous, r.missed.probable));
}

void check_trace(Outcome& out, const Report& r, const Truth& truth, const SpectrumClaims& claims,
                 Real slack) {
  if (claims.trace == TraceClaim::none) return;
  // Where no component is left nothing but rounding of K was found, and the trace is as good as that.
  const Real root = std::max(Real(4), std::sqrt(Real(truth.size())));
  const Real unsure = r.components > 0 ? root * Real(r.residuals.maxCoeff())
                                       : 4 * root * Real(claims.unit) * (truth.mean_part + truth.largest());
  // The diagonal is summed as the model's type has it where that is less than double.
  const Real allowed =
      std::max(1e-12L, r.bounds ? 2 * Real(claims.unit) : 0) * std::abs(truth.trace) + unsure + slack;
  const Real error = Real(r.trace) - truth.trace;
  if (claims.trace == TraceClaim::exact) {
    out.within("the trace is right", std::abs(error), allowed,
               words("%.12g, true %.12Lg", r.trace, truth.trace));
  } else {
    out.within("the trace is an upper end", -error, allowed,
               words("%.12g, true %.12Lg", r.trace, truth.trace));
    if (r.bounds)
      out.within("the trace is no more above the true one than the remainder", error,
                 r.bounds->remaining_trace + 2 * Real(r.missed.rigorous) + allowed,
                 words("%.12g, true %.12Lg", r.trace, truth.trace));
  }
}

void check_shares(Outcome& out, const Report& r, const SpectrumClaims& claims) {
  if (r.components == 0 || r.trace <= 0 || !claims.shares) return;
  out.scale = 1;
  const Real sum = r.explained_variance_ratio.cast<Real>().sum();
  out.within("shares add up to no more than 100 %", sum, 1 + 1e-12L,
             words("%ld components", long(r.components)));
  if (claims.clipped) return;
  // Eigenvalues that add up to a little more than the trace, by rounding, hold all of it.
  const Real whole = std::max(Real(r.trace), Real(r.gram_eigenvalues.sum()));
  for (Index i = 0; i < r.components; ++i)
    out.within("a share is its eigenvalue over the trace",
               std::abs(Real(r.explained_variance_ratio[i]) - Real(r.gram_eigenvalues[i]) / whole),
               1e-14L * sum + 1e-15L);
}

void check_bounds(Outcome& out, const Report& r, const Truth& truth, const SpectrumClaims& claims,
                  Real slack) {
  if (!r.bounds) return;
  const auto& b = *r.bounds;
  const Index k = r.components;
  if (!out.holds("there is a bound for each component", b.low.size() == k && b.high.size() == k &&
                                                            b.rigorous_low.size() == k &&
                                                            b.rigorous_high.size() == k))
    return;
  bool held = true;
  Real most = 0;
  for (Index i = 0; i < k; ++i) {
    const Real value = truth.at(i), found = r.gram_eigenvalues[i];
    const std::string where = words("component %ld, true %.12Lg in [%.12g, %.12g]", long(i + 1), value,
                                    b.rigorous_low[i], b.rigorous_high[i]);
    out.within("rigorous bounds contain the eigenvalue",
               std::max(b.rigorous_low[i] - value, value - b.rigorous_high[i]), slack, where);
    const Real outside = std::max(b.low[i] - value, value - b.high[i]);
    if (outside > slack) held = false;
    most = std::max(most, outside);
    out.tight("eigenvalue bounds, probable", b.high[i] - b.low[i], std::abs(value - found),
              epsilon * truth.largest());
    out.tight("eigenvalue bounds, rigorous", b.rigorous_high[i] - b.rigorous_low[i], std::abs(value - found),
              epsilon * truth.largest());
    out.holds("bounds contain what they are bounds of", b.low[i] <= found && found <= b.high[i], where);
    out.holds("rigorous bounds are not tighter than probable ones",
              b.rigorous_low[i] <= b.low[i] && b.rigorous_high[i] >= b.high[i], where);
    // As measured, no residual can exceed what the bounds say of ‖K̃ − K̂‖.
    const Real width = std::max(b.rigorous_high[i] - found, found - b.rigorous_low[i]);
    out.within("a residual is not above the bound beside it", r.residuals[i],
               std::max(width, b.rigorous_high[i] - found) + 4500 * Real(claims.unit) * truth.raw_trace,
               where);
  }
  if (k > 0 && b.delta > 0) out.probable.emplace_back(b.delta, held);
  if (b.delta < 1e-3)
    out.within("probable bounds contain the eigenvalues", most, slack, words("delta %.1g", b.delta));
  out.holds("the remainder is neither negative nor more than the whole",
            b.remaining_trace >= -1e-12L * truth.raw_trace &&
                (claims.moved || b.remaining_trace <= (1 + 64 * Real(claims.unit)) * truth.raw_trace),
            words("%.10g of %.10Lg", b.remaining_trace, truth.raw_trace));
}

}  // namespace

Real rounding_of(const Truth& truth) {  // and what lies below the numbers' range
  return 1e-300L + truth.error + 4 * std::sqrt(Real(truth.size())) * epsilon * truth.largest();
}

void check_spectrum(Outcome& out, const Report& r, const Truth& truth, const SpectrumClaims& claims) {
  if (!has_sane_numbers(out, r, claims)) return;
  if (!std::isfinite(truth.trace)) return;  // the reference itself has left the numbers' range
  const Real slack = rounding_of(truth) + claims.further;
  check_eigenvalues(out, r, truth, slack);
  check_missed(out, r, truth, slack);
  check_trace(out, r, truth, claims, slack);
  check_shares(out, r, claims);
  check_bounds(out, r, truth, claims, slack);
}

void check_scores(Outcome& out, const Report& r, const Truth& truth, const RealMatrix& scores, double unit,
                  const RealVector& rounding) {
  if (!out.holds("there is a score for each row and component",
                 scores.rows() == truth.matrix.rows() && scores.cols() == r.components) ||
      r.residuals.size() != r.components)
    return;
  const Real slack = rounding_of(truth) + 2 * Real(unit) * truth.largest();
  const Real root = std::sqrt(Real(truth.size()));
  for (Index c = 0; c < r.components; ++c) {
    const Real value = r.gram_eigenvalues[c], length = scores.col(c).norm();
    if (!out.holds("scores are finite and not all zero", std::isfinite(length) && length > 0)) continue;
    const RealVector v = scores.col(c) / length;
    const Real residual = (truth.matrix * v - value * v).norm();
    out.within("residuals are as recomputed from the scores", residual,
               Real(r.residuals[c]) + slack + 2 * truth.largest() * rounding[c] / length,
               words("component %ld, eigenvalue %.6Lg, reported %.4g", long(c + 1), value, r.residuals[c]));
    Real allowed = 8 * root * unit * truth.largest() + Real(r.residuals[c]) + 2 * length * rounding[c];
    if (r.bounds && r.bounds->rigorous_low.size() == r.components)
      allowed += value - r.bounds->rigorous_low[c];
    out.within("the squared scores of a component add up to its eigenvalue",
               std::abs(length * length - value), allowed,
               words("component %ld, eigenvalue %.6Lg", long(c + 1), value));
  }
}

}  // namespace certify
