// One step of alternating least squares: the normal equations of one mode's factor, and their solution.
// Without weights all rows share KᵀK = ∗ of the other factors' Gram matrices (K their Khatri-Rao product,
// which is never formed); with weights row i has its own, H_i = Σ w k kᵀ over its entries, which is an MTTKRP
// of the weights with the self-products of the factors' rows.
#pragma once

#include <mercer/run.hpp>

#include "tensor/cp_data.hpp"
#include "tensor/kruskal.hpp"

namespace mercer {

template <class T>
struct NormalEquations {
  Index mode = 0;
  Matrix<T> right;         ///< (W ∗ X)₍ₙ₎ K
  Block<double> gram;      ///< KᵀK, or empty where there are weights:
  Matrix<T> packed_grams;  ///< H_i, the lower triangle row by row, a row each
};

/// For the mode's factor, with the others as they are (`rank` columns and their padding); weights may be
/// null.
template <class T>
[[nodiscard]] NormalEquations<T> normal_equations(Mttkrp<T>& values, Mttkrp<T>* weights,
                                                  const std::vector<Matrix<T>>& factors, Index rank,
                                                  Index mode, const Run& run);

/// Σ w (x − x̂)² for the model whose other factors the equations were made of, by the Gram trick:
/// Σ w x² − 2⟨W ∗ X, X̂⟩ + Σ w x̂².
template <class T>
[[nodiscard]] double squared_error(const NormalEquations<T>& equations, const CpData<T>& data,
                                   const Kruskal<T>& model, const Run& run);

/// The least-squares solution, one row an index, which is not negative if asked for; then `start` is where to
/// begin. Rows without any weight become zero.
template <class T>
[[nodiscard]] Matrix<double> solve(const NormalEquations<T>& equations, Index rank, bool nonnegative,
                                   Matrix<double> start, const Run& run);

/// Sets the mode's factor and λ to it.
template <class T>
void update_factor(const NormalEquations<T>& equations, bool nonnegative, Kruskal<T>& model, const Run& run);

/// How many of the pairs of components H_i is made of at once.
[[nodiscard]] Index pairs_at_once(Index pairs, double entries, Index kept_rows);

}  // namespace mercer
