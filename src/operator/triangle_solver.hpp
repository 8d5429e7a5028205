// TriangleSolver: L⁻¹ applied to many vectors at nearly the speed of a product.
#pragma once

#include "base/linalg.hpp"

#include <algorithm>
#include <vector>

namespace mercer {

/// X := L⁻¹X for many columns X. BLAS solves small triangles at a quarter of the speed of a product, so the
/// diagonal blocks are inverted beforehand where they are well conditioned, as they nearly always are.
template <class T>
class TriangleSolver {
 public:
  TriangleSolver() = default;
  explicit TriangleSolver(const Block<double>& lower) : lower_(lower.cast<T>()) {
    for (Index first = 0; first < lower.rows(); first += side) {
      const Index size = std::min(side, lower.rows() - first);
      const Block<double> corner = lower.block(first, first, size, size);
      Block<double> inverse = Block<double>::Identity(size, size);
      linalg::solve_lower<double>(linalg::Transpose::no, size, size, corner.data(), size, inverse.data(),
                                  size);
      const bool harmless = corner.norm() * inverse.norm() <= 100 * double(size);
      inverses_.push_back(harmless ? Block<T>(inverse.cast<T>()) : Block<T>());
    }
  }

  void solve(T* x, Index columns) const { solve(0, lower_.rows(), x, columns); }

 private:
  static constexpr Index side = 32;

  /// Rows [first, first + size): the upper half, its part of the lower half by a product, the lower half.
  void solve(Index first, Index size, T* x, Index columns) const {
    const Index m = lower_.rows();
    constexpr auto no = linalg::Transpose::no;
    if (size > side) {
      const Index half = (size / 2 + side - 1) / side * side, rest = size - half;
      solve(first, half, x, columns);
      linalg::gemm<T>(no, no, rest, columns, half, -1, lower_.data() + first * (m + 1) + half, m, x + first,
                      m, 1, x + first + half, m);
      solve(first + half, rest, x, columns);
      return;
    }
    const Block<T>& inverse = inverses_[static_cast<std::size_t>(first / side)];
    if (inverse.size() == 0) {
      linalg::solve_lower<T>(no, size, columns, lower_.data() + first * (m + 1), m, x + first, m);
      return;
    }
    thread_local std::vector<T> before;
    before.resize(static_cast<std::size_t>(size * columns));
    for (Index c = 0; c < columns; ++c) std::copy_n(x + c * m + first, size, before.data() + c * size);
    linalg::gemm<T>(no, no, size, columns, size, 1, inverse.data(), size, before.data(), size, 0, x + first,
                    m);
  }

  Block<T> lower_;
  std::vector<Block<T>> inverses_;  ///< empty: solve instead
};

}  // namespace mercer
