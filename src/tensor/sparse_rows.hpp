// Sparse samples in the bases of their modes: rows of CSR, entries with the last index fastest, never made
// dense.
#pragma once

#include <mercer/run.hpp>
#include <mercer/samples.hpp>
#include <mercer/tensor.hpp>

#include <vector>

namespace mercer {

/// X ×ₙ Uₙᵀ of each row, an array of the modes that `factors` belong to: a row of ΠRₙ numbers, earlier modes
/// faster.
template <class T>
[[nodiscard]] Matrix<double> project_sparse_rows(const Samples<T>& rows, const std::vector<Block<T>>& factors,
                                                 const Run& run);

}  // namespace mercer
