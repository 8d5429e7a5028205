// Tucker's decomposition of a sparse array: HOOI from bases of the modes' own Gram matrices (random ones for
// large modes), never made dense. In double, whatever the entries are.
#pragma once

#include "tensor/hooi.hpp"

namespace mercer {

/// Orthonormal bases to begin from; no core yet.
template <class T>
[[nodiscard]] TuckerParts<double> sparse_bases(const SparseTensor<T>& x, const TuckerProblem& problem,
                                               const Run& run);
/// total: ‖X‖²
template <class T>
[[nodiscard]] HooiSweeps sparse_hooi(const SparseTensor<T>& x, TuckerParts<double>& parts, Index sample_mode,
                                     double total, const HooiLimits& limits, const Run& run);

}  // namespace mercer
