// What a route costs: the constants of the solver that the planner counts with, all in one place, and the
// seconds that follow from them and the machine's rates.
#pragma once

#include "plan/machine_rates.hpp"
#include "plan/planner.hpp"

#include <algorithm>

namespace mercer::cost {

/// Below this size LAPACK is quicker than anything iterative.
inline constexpr Index small = 384;

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

/// Passes when tiles are evaluated anew: Davidson's, from a guess by landmarks.
/// Half of that where the data has few dimensions.
inline constexpr double tiled_passes = 10, exact_passes = 3;

/// Columns of a block.
[[nodiscard]] inline Index block_of(const Problem& p) {
  return p.precision == Precision::float32 && p.apply_flops > 0 ? 16 : 8;
}
/// Vectors that block Krylov holds at its largest: the basis, and beside it what is kept of it at a restart
/// or what the refinement works with. `basis` as in EigenRequest; `one_sided`: nothing lies below zero.
[[nodiscard]] double krylov_vectors(Index n, Index count, Index block, Index basis, bool one_sided);
/// Columns of Davidson's passes: residuals or start vectors, and random probes.
[[nodiscard]] inline Index davidson_block(Index count) { return (count + 17) / 8 * 8; }
/// The least room for its basis with which it does not go round in circles.
[[nodiscard]] inline Index davidson_basis(Index count) { return 4 * count + 10; }
/// Vectors that Davidson holds: basis and images, and besides a pass in and out with the wanted ones, or a
/// copy of what is kept where the basis is full.
[[nodiscard]] inline double davidson_vectors(Index basis, Index count) {
  const double pass = 2 * double(davidson_block(count)) + 3 * double(count),
               copy = double(basis) - 2 * double(count) + double(davidson_block(count));
  return 2 * double(basis) + std::max(pass, copy);
}
/// Flops of orthogonalising the basis against itself, block by block.
[[nodiscard]] double orthogonalisation(const Problem& problem);

[[nodiscard]] double seconds(const Problem& problem, Route route, const MachineRates& rates);

}  // namespace mercer::cost
