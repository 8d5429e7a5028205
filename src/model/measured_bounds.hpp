// What bounds of a low-rank model become beside residuals that were measured on the kernel matrix itself.
#pragma once

#include <mercer/report.hpp>

namespace mercer {

/// A residual above its probable bound says that the draw behind the bound has failed, as one in 1/δ may.
inline void believe_what_was_measured(Report& report) {
  EigenvalueBounds& b = *report.bounds;
  if ((report.residuals.array() <= b.high.array() - report.gram_eigenvalues.array()).all()) return;
  b.low = b.rigorous_low;
  b.high = b.rigorous_high;
  report.missed.probable = report.missed.rigorous;
}

/// What is measured and what is bounded are numbers of K as it was evaluated.
inline void allow_for_rounding_of_kernel(Report& report, double rounding) {
  EigenvalueBounds& b = *report.bounds;
  report.residuals.array() += rounding;
  for (Vector<double>* low : {&b.low, &b.rigorous_low})
    *low = (low->array() - rounding).cwiseMax(low->cwiseMin(0.0).array());  // K̃ ⪰ 0
  for (Vector<double>* high : {&b.high, &b.rigorous_high}) high->array() += rounding;
  for (double* missed : {&report.missed.rigorous, &report.missed.probable}) *missed += rounding;
}

}  // namespace mercer
