// Element-wise parts of the kernels, vectorised through Highway with run-time dispatch. All work in
// place on n contiguous values.
#pragma once

#include <mercer/matrix.hpp>

namespace mercer::elementwise {

template <class T>
void exp_scaled(T* x, Index n, T scale);  ///< exp(scale·x), scale·x ≤ 0
template <class T>
void tanh_affine(T* x, Index n, T scale, T shift);  ///< tanh(scale·x + shift)
template <class T>
void power_affine(T* x, Index n, T scale, T shift, int degree);  ///< (scale·x + shift)^degree
template <class T>
void matern32(T* x, Index n, T inverse_length);  ///< of ‖x−y‖²
template <class T>
void matern52(T* x, Index n, T inverse_length);  ///< of ‖x−y‖²
template <class T>
void rational_quadratic(T* x, Index n, T scale, T alpha);  ///< (1 + scale·x)^−alpha
template <class T>
void scale(T* x, Index n, T factor);
template <class T>
void add(T* x, const T* y, Index n);
template <class T>
void multiply(T* x, const T* y, Index n);

/// One row of squared distances from dot products: max(0, a + b_j − 2 x_j). True when some result
/// is below `guard`·(a + b_j), where the subtraction has lost its digits.
template <class T>
[[nodiscard]] bool sqdist_from_dot(T* x, Index n, T a, const T* b, T guard);

/// Sums over the features of one pair of rows.
template <class T>
[[nodiscard]] T sqdist(const T* x, const T* y, Index d);
template <class T>
[[nodiscard]] T l1dist(const T* x, const T* y, Index d);
template <class T>
[[nodiscard]] T chi2(const T* x, const T* y, Index d);

}  // namespace mercer::elementwise
