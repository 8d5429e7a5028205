// Tucker's decomposition of a sparse array: HOOI from bases of the modes' own Gram matrices (random ones for
// large modes), never made dense. In double, whatever the entries are.
#pragma once

#include "tensor/hooi.hpp"

namespace mercer {

struct SparseTuckerFit {
  TuckerParts<double> parts;
  HooiSweeps sweeps;
};

/// total: ‖X‖²
template <class T>
[[nodiscard]] SparseTuckerFit sparse_hooi(const SparseTensor<T>& x, const TuckerProblem& problem,
                                          double total, const HooiLimits& limits, const Run& run);

}  // namespace mercer
