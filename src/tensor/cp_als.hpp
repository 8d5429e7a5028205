// Alternating least squares for CP (Carroll and Chang 1970, Harshman 1970): one factor after the other is the
// least-squares solution for the others as they are, so that the error never rises. The sample mode comes
// last in each sweep: its rows are then what transform() gives for the training samples.
#pragma once

#include <mercer/cp.hpp>

#include "tensor/cp_data.hpp"
#include "tensor/kruskal.hpp"

#include <vector>

namespace mercer {

template <class T>
struct CpFit {
  Kruskal<T> model;
  std::vector<double> errors;  ///< relative, after each sweep
  bool converged = false;
  double last_fall = 0;   ///< of the relative error, in the last sweep
  Index slow_sweeps = 0;  ///< that lowered the error by less than 0.01 % of itself
};

/// From a start with columns of unit length. Errors are found by the Gram trick, without residuals; only
/// where rounding hides them, for data that are exactly of low rank, they are measured, a tile of residuals
/// at a time.
template <class T>
[[nodiscard]] CpFit<T> alternate(CpData<T>& data, Kruskal<T> start, const CpOptions& options, const Run& run);

}  // namespace mercer
