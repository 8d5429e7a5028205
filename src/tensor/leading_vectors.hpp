// Leading left singular vectors of a matrix whose one side is small, by the Gram matrix of that side; and
// which of them to keep.
#pragma once

#include <mercer/matrix.hpp>
#include <mercer/run.hpp>

namespace mercer {

/// What is to be kept: so many directions, or (rank 0) as few as leave out no more than `budget` of ‖A‖².
struct Truncation {
  Index rank = 0;
  double budget = 0;
};

/// Orthonormal columns, each one's largest entry positive; singular values descending, all or the leading
/// ones; and ‖A‖² − ‖UᵀA‖².
struct LeftVectors {
  Block<double> vectors;
  Vector<double> values;
  double tail = 0;
};

/// How many of these singular values (all of them, descending) to keep: at least one.
[[nodiscard]] Index rank_to_keep(const Vector<double>& values, const Truncation& truncation);
/// Σ_{i ≥ kept} σ_i², small ones first.
[[nodiscard]] double squared_tail(const Vector<double>& values, Index kept);

/// From A Aᵀ, whose lower triangle is given. Values below 1e-8 of the largest are rounding.
[[nodiscard]] LeftVectors vectors_of_gram(Block<double> gram, const Truncation& truncation);
/// From A itself, by the smaller of A Aᵀ and AᵀA; rank ≤ min(rows, columns).
[[nodiscard]] LeftVectors leading_left_vectors(const BlockView<double>& a, Index rank, const Run& run);

/// The columns become orthonormal, and each one's largest entry positive.
void make_orthonormal(Block<double>& columns);

}  // namespace mercer
