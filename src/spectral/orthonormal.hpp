// Orthonormal blocks of vectors: against a basis by classical Gram-Schmidt (twice is enough), among
// themselves by Cholesky QR, or Householder's where they are nearly dependent. Directions that vanish are
// replaced by fresh random ones, so that a Krylov space never ends before it holds what is sought.
#pragma once

#include <mercer/matrix.hpp>

#include "base/random.hpp"

namespace mercer {

/// w := w − Q Qᵀ w; returns Qᵀ w.
template <class T>
Block<T> project_out(const BlockView<T>& basis, BlockRef<T> w);

/// Makes w orthonormal and orthogonal to the basis. Returns B (b x b) with w_before ≈ w_after·B, up
/// to what lay in the basis. Columns shorter than `negligible` are replaced by random directions.
/// basis.cols() + w.cols() must not exceed the number of rows.
template <class T>
Block<double> orthonormalize(const BlockView<T>& basis, BlockRef<T> w, double negligible, Random& random);

/// Directions u = X̃ᵀv/√θ as they were computed: what rounding has left of strong ones in weak ones, where θ
/// is small, is taken out of these.
template <class T>
void make_orthonormal(Block<T>& directions, std::uint64_t seed);

/// Fills w with independent standard normal numbers.
template <class T>
void fill_random(BlockRef<T> w, Random& random);

/// Each column's largest-magnitude entry becomes positive, ties to the lowest index.
template <class T>
void fix_signs(BlockRef<T> vectors);

}  // namespace mercer
