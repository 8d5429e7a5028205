// Where alternating least squares begin: the leading singular vectors of each unfolding (HOSVD), or random
// numbers.
#pragma once

#include <mercer/run.hpp>

#include "tensor/cp_data.hpp"
#include "tensor/kruskal.hpp"

namespace mercer {

/// Leading left singular vectors of X₍ₙ₎, exact where cheap, otherwise those of X₍ₙ₎ (⊙ random matrices),
/// which is one MTTKRP a mode. Columns beyond I_n are random. Nonnegative: magnitudes.
template <class T>
[[nodiscard]] Kruskal<T> hosvd_start(CpData<T>& data, Index rank, bool nonnegative, const Run& run);

/// Number `number` of the random starts that run.seed stands for.
template <class T>
[[nodiscard]] Kruskal<T> random_start(const Shape& shape, Index rank, bool nonnegative, Index number,
                                      const Run& run);

}  // namespace mercer
