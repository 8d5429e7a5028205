// What a route costs: the constants of the solver that the planner counts with, all in one place, and the
// seconds that follow from them and the machine's rates.
#pragma once

#include "plan/machine_rates.hpp"
#include "plan/planner.hpp"

namespace mercer::cost {

/// Passes of the block solver over the matrix on a spectrum with a hard gap, checks included.
inline constexpr double passes = 30;
/// The share of the GEMM rate that the fused symmetric product reaches.
inline constexpr double product_share = 0.65;
/// The share of the GEMM rate that orthogonalising tall blocks reaches.
inline constexpr double tall_share = 0.4;
/// What an element-wise kernel function counts for in flops.
inline constexpr double function_flops = 20;
/// Flops beyond the reduction to tridiagonal form when LAPACK finds all eigenvectors, over n³.
inline constexpr double all_vectors = 4.4;

/// Columns of a block.
[[nodiscard]] inline Index block_of(const Problem& p) { return p.precision == Precision::float32 ? 16 : 8; }
/// Flops of orthogonalising the basis against itself, block by block.
[[nodiscard]] double orthogonalisation(const Problem& problem);

[[nodiscard]] double seconds(const Problem& problem, Route route, const MachineRates& rates);

}  // namespace mercer::cost
