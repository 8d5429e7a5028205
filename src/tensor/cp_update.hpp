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

/// For the mode's factor, with the others as they are.
template <class T>
[[nodiscard]] NormalEquations<T> normal_equations(CpData<T>& data, const Kruskal<T>& model, Index mode,
                                                  const Run& run);

/// Σ w (x − x̂)² for the model whose other factors the equations were made of, by the Gram trick:
/// Σ w x² − 2⟨W ∗ X, X̂⟩ + Σ w x̂².
template <class T>
[[nodiscard]] double squared_error(const NormalEquations<T>& equations, const CpData<T>& data,
                                   const Kruskal<T>& model, const Run& run);

/// Sets the mode's factor and λ to the least-squares solution, which is not negative if asked for. Rows
/// without any weight become zero.
template <class T>
void update_factor(const NormalEquations<T>& equations, bool nonnegative, Kruskal<T>& model, const Run& run);

/// right := Z with Z·gram = right. Directions in which gram says nothing, given numbers known to a relative
/// `epsilon`, are left out.
void solve_rows(const Block<double>& gram, Matrix<double>& right, double epsilon, const Run& run);

/// The same with x ≥ 0; `rows` holds where to begin and then the solution.
void solve_rows_nonnegative(const Block<double>& gram, const Matrix<double>& right, Matrix<double>& rows,
                            const Run& run);

/// One row with its own matrix; not negative if asked for, from `row` on.
void solve_row(const Block<double>& gram, const Vector<double>& right, bool nonnegative, double epsilon,
               Vector<double>& row);

}  // namespace mercer
