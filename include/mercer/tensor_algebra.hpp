// The algebra of N-way arrays (mission row M13), in the notation of Kolda and Bader: the columns of X₍ₙ₎ are
// the mode-n fibres, earlier modes' indices moving faster.
//
//     auto y = mercer::mode_product<double>(x, 1, a);                      // X ×₂ A: Y₍₂₎ = A X₍₂₎
//     auto g = mercer::mode_products<double>(x, {{0, u}, {2, w}}, true);   // X ×₁ Uᵀ ×₃ Wᵀ, cheapest order
#pragma once

#include <mercer/run.hpp>
#include <mercer/tensor.hpp>

#include <optional>
#include <vector>

namespace mercer {

/// X₍ₙ₎, I_n rows. A copy; unfolding_view() where the layout permits to look at it where it lies.
template <class T>
[[nodiscard]] Block<T> unfold(const TensorView<T>& x, Index mode);

template <class T>
using StridedBlock = Eigen::Map<const Block<T>, 0, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>>;
template <class T>
[[nodiscard]] std::optional<StridedBlock<T>> unfolding_view(const TensorView<T>& x, Index mode);

/// The tensor of this shape whose mode-n matricization this is.
template <class T>
[[nodiscard]] Tensor<T> fold(const BlockView<T>& unfolded, Index mode, const Shape& shape);

template <class T>
[[nodiscard]] Vector<T> vec(const TensorView<T>& x);

/// X ×ₙ A, or X ×ₙ Aᵀ when transposed.
template <class T>
[[nodiscard]] Tensor<T> mode_product(const TensorView<T>& x, Index mode, const BlockView<T>& a,
                                     bool transposed = false, const Run& run = {});
/// X ×ₙ vᵀ without its mode n: one mode fewer (order 1 stays, with one entry).
template <class T>
[[nodiscard]] Tensor<T> mode_vector_product(const TensorView<T>& x, Index mode, const Vector<T>& v,
                                            const Run& run = {});

template <class T>
struct ModeFactor {
  Index mode;
  Block<T> matrix;
};
/// All of these products (each mode at most once), the one that shrinks the most first.
template <class T>
[[nodiscard]] Tensor<T> mode_products(const TensorView<T>& x, const std::vector<ModeFactor<T>>& factors,
                                      bool transposed = false, const Run& run = {});

/// X₍ₙ₎ X₍ₙ₎ᵀ, both triangles, in double whatever T is.
template <class T>
[[nodiscard]] Block<double> mode_gram(const TensorView<T>& x, Index mode, const Run& run = {});

/// X ∘ Y: the modes of X, then those of Y.
template <class T>
[[nodiscard]] Tensor<T> outer(const TensorView<T>& x, const TensorView<T>& y);
/// A ⊗ B
template <class T>
[[nodiscard]] Block<T> kronecker(const BlockView<T>& a, const BlockView<T>& b);
/// A ⊙ B: column r is a_r ⊗ b_r.
template <class T>
[[nodiscard]] Block<T> khatri_rao(const BlockView<T>& a, const BlockView<T>& b);
/// X ∗ Y, element by element.
template <class T>
[[nodiscard]] Tensor<T> hadamard(const TensorView<T>& x, const TensorView<T>& y);
/// ⟨X, Y⟩ and ‖X‖, summed in double.
template <class T>
[[nodiscard]] double inner(const TensorView<T>& x, const TensorView<T>& y);
template <class T>
[[nodiscard]] double norm(const TensorView<T>& x, const Run& run = {});
template <class T>
[[nodiscard]] double norm(const SparseTensor<T>& x);

}  // namespace mercer
