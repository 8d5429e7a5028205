// Kruskal<T>: Σ_r λ_r a_r ∘ b_r ∘ c_r ... while it is being fitted. Factors are kept row by row, each row
// padded with zeros to a multiple of 8 numbers: the products that the fit is made of run over these rows.
#pragma once

#include <mercer/matrix.hpp>
#include <mercer/run.hpp>
#include <mercer/tensor.hpp>

#include <vector>

namespace mercer {

inline constexpr Index row_padding = 8;
[[nodiscard]] constexpr Index padded(Index columns) {
  return (columns + row_padding - 1) / row_padding * row_padding;
}

template <class T>
struct Kruskal {
  Index rank = 0;
  Vector<double> weights;          ///< λ ≥ 0
  std::vector<Matrix<T>> factors;  ///< one a mode, I_n x padded(rank); columns of unit length

  [[nodiscard]] Matrix<T>& factor(Index mode) { return factors[static_cast<std::size_t>(mode)]; }
  [[nodiscard]] const Matrix<T>& factor(Index mode) const { return factors[static_cast<std::size_t>(mode)]; }
};

/// The block with padded rows.
template <class T>
[[nodiscard]] Matrix<T> padded_rows(const BlockView<T>& block);

/// λ_r = ‖column r‖ and columns of unit length; a column of zeros leaves the factor's as it was, with λ_r =
/// 0. `scaled` has `rank` columns.
template <class T>
void set_factor(Kruskal<T>& model, Index mode, const Matrix<double>& scaled);

/// AᵀA without the padding, in double.
template <class T>
[[nodiscard]] Block<double> gram_of_rows(const Matrix<T>& rows, Index rank, const Run& run);

/// ‖X̂‖² = λᵀ (AᵀA ∗ BᵀB ∗ ...) λ
template <class T>
[[nodiscard]] double squared_norm(const Kruskal<T>& model, const Run& run);

/// Rows first .. first + count of A ⊙ B ⊙ ..., where the index of the first matrix moves fastest; one row of
/// ones where there is no matrix.
template <class T>
void khatri_rao_rows(const std::vector<const Matrix<T>*>& matrices, Index first, Index count, Index columns,
                     T* out);

/// λ descending, and the largest entry of each column positive but for the sample mode.
template <class T>
void bring_into_normal_form(Kruskal<T>& model, Index sample_mode);

/// X̂ ×₁ P₁ ×₂ P₂ ... = Σ_r λ_r P₁a_r ∘ P₂b_r ∘ ..., first index fastest.
template <class T>
[[nodiscard]] Vector<double> core_of(const Kruskal<T>& model, const std::vector<Block<T>>& matrices);

/// X̂, first index fastest.
template <class T>
[[nodiscard]] Tensor<T> full_tensor(const Kruskal<T>& model, const Run& run);

/// Rows [first, first + count) of A ⊙ B ⊙ ... diag(λ), times the rows of the others: a tile of X̂ as a matrix,
/// column-major with `rows` rows. `k_left` (rows x columns, λ already in) and `k_right` as khatri_rao_rows
/// has them.
template <class T>
void tile_of_model(const T* k_left, Index rows, const T* k_right, Index columns, Index width, T* out,
                   Index stride);

}  // namespace mercer
