// KernelTiles: k(x_i, y_j) by tiles, a block of x's rows against a block of y's. Everything that
// depends on one row alone is computed once, when it is made; evaluate() may run on many threads.
#pragma once

#include <mercer/kernel.hpp>

#include "kernel/primitives.hpp"

namespace mercer {

template <class T>
class KernelTiles {
 public:
  /// Tiles of x against itself.
  KernelTiles(Kernel kernel, const Samples<T>& x);
  /// Tiles of new rows x against the training rows y. Mixed dense and CSR input is brought to y's form.
  KernelTiles(Kernel kernel, const Samples<T>& x, const Samples<T>& y);

  /// Tiles of the same x against these rows of y, in this order; nothing of x is copied or computed anew.
  [[nodiscard]] KernelTiles columns(const std::vector<Index>& which) const;
  /// Tiles of these rows of y against themselves.
  [[nodiscard]] KernelTiles among(const std::vector<Index>& which) const;

  [[nodiscard]] Index rows() const { return left().rows.rows(); }
  [[nodiscard]] Index cols() const {
    return kernel_.is_precomputed() ? left().rows.cols() : right_.rows.rows();
  }

  /// out (rows x cols, row-major, contiguous) = k of rows [i0, i0 + rows) against [j0, j0 + cols).
  void evaluate(Index i0, Index rows, Index j0, Index cols, T* out) const;
  /// The tile of rows [i0, i0 + rows) against themselves, exactly symmetric. Throws Error{bad_data}
  /// when the kernel is not: that is how a user's lopsided function is found out.
  void evaluate_diagonal(Index i0, Index rows, T* out) const;
  /// out[i] = k(x_{i0+i}, y_{i0+i}): the diagonal alone.
  void diagonal(Index i0, Index rows, T* out) const;

 private:
  KernelTiles(Kernel kernel, bool same, RowSet<T> left, RowSet<T> right)
      : kernel_(std::move(kernel)), same_(same), left_(std::move(left)), right_(std::move(right)) {}
  [[nodiscard]] const RowSet<T>& left() const { return same_ ? right_ : left_; }

  Kernel kernel_;
  bool same_;
  RowSet<T> left_, right_;
};

/// By how much rounding may have moved k(x_i, y_j) as evaluated in T: the primitives may be off by a few ε of
/// the numbers that were summed, and what that does to the kernel is tried on the kernel itself. Rounding
/// inside of a user's function is not known, and taken for a few ε of its value.
template <class T>
[[nodiscard]] Matrix<double> value_rounding(const Kernel& kernel, const Samples<T>& x, const Samples<T>& y);

/// Which primitives a kernel is made of.
[[nodiscard]] PrimitiveSet primitives_of(const Kernel& kernel);

}  // namespace mercer
