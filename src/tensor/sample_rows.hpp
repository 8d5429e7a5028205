// Samples of an N-way array as rows, their entries with the last index moving fastest (as numpy's
// reshape(n, -1) has them), and back.
#pragma once

#include <mercer/run.hpp>
#include <mercer/samples.hpp>
#include <mercer/tensor.hpp>

#include <optional>

namespace mercer {

/// The modes without the samples'.
[[nodiscard]] Shape other_modes(Index order, Index sample_mode);
/// This shape with so many samples.
[[nodiscard]] Shape with_samples(Shape shape, Index sample_mode, Index samples);

/// Rows, `row_stride` apart, as an array of this shape but for the number of samples.
template <class T>
[[nodiscard]] TensorView<T> array_of_rows(const T* rows, Index count, Index row_stride, const Shape& shape,
                                          Index sample_mode);
/// The samples of an array as rows: a copy, or the array's own memory where they lie as rows.
template <class T>
[[nodiscard]] Matrix<T> rows_of_array(const TensorView<T>& x, Index sample_mode, const Run& run = {});
template <class T>
[[nodiscard]] std::optional<Samples<T>> rows_in_place(const TensorView<T>& x, Index sample_mode);
/// The same of a sparse one; columns ascend in each row.
template <class T>
[[nodiscard]] SparseMatrix<T> rows_of_array(const SparseTensor<T>& x, Index sample_mode);

/// Writes x to memory with any strides.
template <class T>
void copy_to(const TensorView<T>& x, T* out, const Shape& strides, const Run& run = {});

}  // namespace mercer
