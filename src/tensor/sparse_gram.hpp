// X₍ₙ₎X₍ₙ₎ᵀ of a sparse array: entries that share a fibre, pair by pair.
#pragma once

#include <mercer/matrix.hpp>
#include <mercer/run.hpp>
#include <mercer/tensor.hpp>

namespace mercer {

/// Modes larger than this are left alone: Gram matrix and eigenvectors would cost more than sweeps.
inline constexpr Index largest_sparse_gram = 1500;
[[nodiscard]] constexpr bool has_sparse_gram(Index size) { return size <= largest_sparse_gram; }
[[nodiscard]] double sparse_gram_bytes(Index size, Index stored);

/// The lower triangle.
template <class T>
[[nodiscard]] Block<double> sparse_mode_gram(const SparseTensor<T>& x, Index mode, const Run& run);

}  // namespace mercer
