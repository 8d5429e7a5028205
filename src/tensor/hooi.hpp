// HOOI, higher-order orthogonal iteration (De Lathauwer, De Moor, Vandewalle 2000): each mode's basis anew
// from the array projected on the bases of all the others, until the error stops falling.
#pragma once

#include "tensor/hosvd.hpp"

#include <functional>
#include <vector>

namespace mercer {

/// visit(n, X ×(m ≠ n) Uₘᵀ)
template <class T>
using Visit = std::function<void(Index mode, const TensorView<T>& projected)>;
/// Visits each mode once, the samples' last; each visit changes its own mode's factor, and the next ones
/// see it.
template <class T>
using Sweep = std::function<void(const Visit<T>& visit)>;

struct HooiLimits {
  Index sweeps = 0;
  double tolerance = 1e-8;  ///< stops when the relative error falls by less
};

/// A sweep over a dense array that reads it twice, whatever its order.
template <class T>
[[nodiscard]] Sweep<T> dense_sweep(const TensorView<T>& x, const std::vector<Block<T>>& factors,
                                   Index sample_mode, const Run& run);

struct HooiSweeps {
  std::vector<double> errors;  ///< relative, after each sweep: none is larger than the one before
  bool converged = false;
};

/// A sweep that makes the error worse (by rounding) is undone, and the last. relative_error(parts) is asked
/// after each; `error` is the one before the first.
template <class T>
[[nodiscard]] HooiSweeps hooi(TuckerParts<T>& parts, Index sample_mode, const Sweep<T>& sweep,
                              const std::function<double(TuckerParts<T>&)>& relative_error, double error,
                              const HooiLimits& limits, const Run& run);

}  // namespace mercer
