// ‖x − y‖² of two rows, summed directly in double: no cancellation, however near the two are. Every search
// has its last word from here, so that all of them agree to the bit.
#pragma once

#include "graph/search_cost.hpp"

#include <mercer/samples.hpp>

#include <algorithm>

namespace mercer {

namespace row_distance {
/// By Highway, for long rows.
[[nodiscard]] double squared(const float* x, const float* y, Index d);
[[nodiscard]] double squared(const double* x, const double* y, Index d);

/// Summed in float, off by less than (d + 2) ε of the sum (no cancellation: all terms are squares); a
/// pointer, since it is called very often.
using InFloat = float (*)(const float* x, const float* y, Index d);
[[nodiscard]] InFloat in_float();
}  // namespace row_distance

template <class T>
[[nodiscard]] inline double squared_distance(const T* x, const T* y, Index d) {
  if (d >= 16) return row_distance::squared(x, y, d);
  double sum = 0;
  for (Index k = 0; k < d; ++k) {
    const double e = double(x[k]) - double(y[k]);
    sum += e * e;
  }
  return sum;
}

/// Rows of x against rows of y, both dense or both CSR with sorted columns. The samples must outlive it.
template <class T>
class RowDistance {
 public:
  RowDistance(const Samples<T>& x, const Samples<T>& y);

  [[nodiscard]] double operator()(Index i, Index j) const {
    if (sparse_) return of_sparse(i, j);
    return squared_distance(left_ + i * left_stride_, right_ + j * right_stride_, d_);
  }
  /// Row j of y will be asked for soon.
  void expect(Index j) const {
    if (sparse_) return;
    constexpr Index line = 64 / sizeof(T), most = 8192 / sizeof(T);  // a part of the nearest cache
    const T* const row = right_ + j * right_stride_;
    for (Index c = 0; c < std::min(d_, most); c += line) __builtin_prefetch(row + c);
  }
  /// What one of dense rows takes, of a core, where they come from memory.
  [[nodiscard]] double seconds() const { return look_seconds(double(d_) * sizeof(T)); }

 private:
  [[nodiscard]] double of_sparse(Index i, Index j) const;

  bool sparse_;
  Index d_, left_stride_ = 0, right_stride_ = 0;
  const T *left_ = nullptr, *right_ = nullptr;
  const Samples<T>*x_, *y_;
};

}  // namespace mercer
