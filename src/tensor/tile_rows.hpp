// The inner loops of dense MTTKRP, on rows of `columns` numbers (a multiple of 8), compiled for each
// instruction set. BLAS would pack the tensor's tile for a product that has few columns, which costs more
// than the product.
#pragma once

#include <mercer/matrix.hpp>

namespace mercer::tile_rows {

/// y(p,:) += Σ_q x(p,q) k(q,:) for a column-major tile of x.
template <class T>
void multiply(const T* x, Index rows, Index depth, Index stride, const T* k, T* y, Index columns);

/// y(p,:) += Σ_q x(q,p) k(q,:), the same with the transposed tile.
template <class T>
void multiply_transposed(const T* x, Index rows, Index depth, Index stride, const T* k, T* y, Index columns);

/// y(p,:) += x(p,:) ∗ k for `rows` rows and one row k.
template <class T>
void add_scaled(const T* x, Index rows, const T* k, T* y, Index columns);

/// y += Σ_q x(q,:) ∗ k(q,:), one row.
template <class T>
void add_products(const T* x, const T* k, Index depth, T* y, Index columns);

}  // namespace mercer::tile_rows
