// The claims that every report makes about eigenvalues, compared with the truth.
#pragma once

#include "outcome.hpp"
#include "truth.hpp"

#include <mercer/report.hpp>

namespace certify {

/// What a method promises about its trace.
enum class TraceClaim { exact, upper, none };

struct SpectrumClaims {
  TraceClaim trace = TraceClaim::exact;
  double delta = 0;       ///< of the probable bounds
  double unit = 0x1p-52;  ///< rounding of the numbers that the fit was made in
  Real further = 0;       ///< allowed beside: what the method documents beyond rounding of its eigenvalues
  bool clipped = false;   ///< the positive part of an indefinite kernel: shares are of it
  bool shares = true;     ///< shares of the trace are reported
  bool moved = false;     ///< the rows of K may have been moved, by which its own trace changes
};

/// Rounding that the documentation allows an eigenvalue: 4√n·ε·θ₁, and the error of the truth itself.
[[nodiscard]] Real rounding_of(const Truth& truth);
/// Counts, order, eigenvalues within residuals, nothing missed, trace, shares, bounds, and the report beside
/// itself.
void check_spectrum(Outcome& out, const mercer::Report& report, const Truth& truth,
                    const SpectrumClaims& claims);
/// ‖Av − θv‖ for v = score/‖score‖ is no more than was reported, and ‖score‖² = θ. Scores are in `unit`;
/// `rounding`: how far those of a component may be from what was certified, as a vector.
void check_scores(Outcome& out, const mercer::Report& report, const Truth& truth, const RealMatrix& scores,
                  double unit, const RealVector& rounding);

}  // namespace certify
