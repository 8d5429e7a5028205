// Tiles of the primitive quantities (dot products, distances) between two sets of rows, dense or
// CSR: BLAS-3 where there is an inner product, Highway where there is not.
#pragma once

#include <mercer/samples.hpp>

#include "kernel/primitive.hpp"

namespace mercer {

/// What one side of a tile needs to know of its rows.
template <class T>
struct RowSet {
  Samples<T> rows;     ///< as given
  Samples<T> shifted;  ///< rows − shift, for squared distances far from the origin; else = rows
  Vector<T> norms;     ///< ‖row − shift‖², when squared distances are needed
  Vector<T> lengths;   ///< ‖row‖, when cosines are needed
};

/// Subtracting a common point changes no distance, but keeps the digits of ‖x‖² + ‖y‖² − 2x·y when
/// the data lies far from the origin. The mean if that matters, otherwise empty.
template <class T>
[[nodiscard]] Vector<double> distance_shift(const Samples<T>& rows);

/// ‖mean‖² beside the mean squared distance from it; 0 for sparse rows, which are not moved.
template <class T>
[[nodiscard]] double squared_offset(const Samples<T>& rows);

template <class T>
[[nodiscard]] RowSet<T> make_row_set(const Samples<T>& rows, PrimitiveSet needs, const Vector<double>& shift);

/// out (rows x cols, row-major, contiguous) = the primitive of x's rows [i0, i0 + rows) and y's
/// rows [j0, j0 + cols).
template <class T>
void primitive_tile(Primitive primitive, const RowSet<T>& x, Index i0, Index rows, const RowSet<T>& y,
                    Index j0, Index cols, T* out);

/// How far rounding may have moved what primitive_tile gave in `values`; both sets need their lengths.
template <class T>
void primitive_rounding(Primitive primitive, const RowSet<T>& x, Index i0, Index rows, const RowSet<T>& y,
                        Index j0, Index cols, const T* values, T* out);

}  // namespace mercer
