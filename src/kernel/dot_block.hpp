// Inner products of the rows of two blocks: out = A Bᵀ, for tiles of points with few features. BLAS would
// spend much of its time on rearranging these.
#pragma once

#include <mercer/matrix.hpp>

namespace mercer {

constexpr Index dot_block_length = 128;  ///< features at most

/// Is a block of this size sooner done here than by BLAS?
[[nodiscard]] constexpr bool suits_dot_block(Index rows, Index cols, Index length) {
  return rows >= 64 && rows <= 512 && cols >= 64 && length <= dot_block_length;
}

/// out (rows x cols, row-major) = A Bᵀ, where the rows of A and B, `length` long, begin `stride_a` and
/// `stride_b` apart.
void dot_block(const double* a, Index stride_a, Index rows, const double* b, Index stride_b, Index cols,
               Index length, double* out);
void dot_block(const float* a, Index stride_a, Index rows, const float* b, Index stride_b, Index cols,
               Index length, float* out);

}  // namespace mercer
