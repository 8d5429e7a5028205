// Where the fibres of a tensor lie. What every algorithm on dense tensors builds on:
//
// A packed tensor is one piece of memory in which the modes follow each other in some order, the fastest
// first. For mode n that memory is an array fast x Iₙ x slow, where `fast` is the product of the sizes of the
// modes that move faster than n, and `slow` of those that move slower. So, with x = the data,
//
//     block s is the column-major matrix  x + s·fast·Iₙ,  fast x Iₙ, leading dimension fast;
//     fibre (f, s) is                     x + f + s·fast·Iₙ,  Iₙ entries, stride fast.
//
// X ×ₙ A is block·Aᵀ for each block, X₍ₙ₎X₍ₙ₎ᵀ is Σ blockᵀ·block: BLAS does both where the data lies,
// whatever the order of the modes, and no unfolding is ever written down. (For fast = 1 all blocks are the
// columns of one matrix Iₙ x slow.) The columns of X₍ₙ₎ in Kolda's order are the fibres only up to their
// order, which sums over all fibres do not see.
//
// Chains of operations pass a PackedTensor on: its own memory in its own order of modes. Only who must hand
// out a Tensor, first index fastest, calls to_tensor() at the end.
#pragma once

#include <mercer/run.hpp>
#include <mercer/tensor.hpp>

namespace mercer {

/// Throws Error{usage} unless 0 <= mode < order.
void require_mode(const Shape& shape, Index mode);
/// Throws Error{usage} unless both shapes are the same; `what` is what cannot be done.
void require_same_shape(const Shape& x, const Shape& y, const char* what);

/// {0, 1, ...}: the order of the modes in memory whose first index moves fastest.
[[nodiscard]] Shape first_fastest_modes(Index order);
/// Strides of packed memory of this shape whose modes follow each other as in `modes`, the fastest first.
[[nodiscard]] Shape packed_strides(const Shape& shape, const Shape& modes);

/// The modes by their strides, the fastest first.
template <class T>
[[nodiscard]] Shape modes_by_stride(const TensorView<T>& x);

/// The memory of a packed tensor as seen from one mode.
struct ModeSplit {
  Index fast;  ///< product of the sizes of the faster modes: the stride of the mode's fibres
  Index size;  ///< Iₙ
  Index slow;  ///< product of the sizes of the slower modes

  [[nodiscard]] Index block() const { return fast * size; }   ///< elements of one block
  [[nodiscard]] Index fibers() const { return fast * slow; }  ///< fibre c = f + fast·s is fibre (f, s)
};

/// For memory whose modes follow each other as in `modes`, and for a packed view.
[[nodiscard]] ModeSplit split(const Shape& shape, const Shape& modes, Index mode);
template <class T>
[[nodiscard]] ModeSplit split(const TensorView<T>& packed, Index mode);

/// The view itself where it is packed; otherwise a copy in the view's own order of modes, which the returned
/// view keeps alive.
template <class T>
[[nodiscard]] TensorView<T> packed_copy_if_needed(const TensorView<T>& x, const Run& run = {});

/// A tensor that owns packed memory in any order of its modes.
template <class T>
class PackedTensor {
 public:
  PackedTensor() = default;
  /// Not initialised; modes: the fastest first.
  PackedTensor(Shape shape, Shape modes);

  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] const Shape& modes() const { return modes_; }
  [[nodiscard]] Index order() const { return static_cast<Index>(shape_.size()); }
  [[nodiscard]] Index size(Index mode) const { return shape_[static_cast<std::size_t>(mode)]; }
  [[nodiscard]] Index count() const { return values_.size(); }
  [[nodiscard]] T* data() { return values_.data(); }
  [[nodiscard]] const T* data() const { return values_.data(); }
  [[nodiscard]] ModeSplit split(Index mode) const { return mercer::split(shape_, modes_, mode); }

  /// Valid as long as this lives and is not moved.
  [[nodiscard]] TensorView<T> view() const { return {data(), shape_, packed_strides(shape_, modes_)}; }
  operator TensorView<T>() const { return view(); }  // NOLINT(google-explicit-constructor)

  /// First index fastest: the memory itself where it is in that order, reordered otherwise.
  [[nodiscard]] Tensor<T> to_tensor(const Run& run = {}) &&;

 private:
  Shape shape_, modes_;
  Vector<T> values_;
};

/// Half-open.
struct Span {
  Index first, last;
  [[nodiscard]] Index count() const { return last - first; }
};

/// Copies the entries `entries` of the fibres `fibers` (numbered f + fast·s) to the columns of `out`, which
/// has entries.count() rows. For what BLAS cannot reach where it lies: short blocks, another precision.
template <class From, class To>
void gather_fibers(const From* x, const ModeSplit& split, Span fibers, Span entries, To* out);
/// The inverse for whole fibres: the columns of `in` become the fibres.
template <class T>
void scatter_fibers(const T* in, const ModeSplit& split, Span fibers, T* x);

}  // namespace mercer
