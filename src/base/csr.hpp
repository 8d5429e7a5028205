// Copies of row-compressed matrices that take no more memory than what they hold: Eigen's own assignment
// reserves room by the number of columns, which a file of a few bytes can say to be 10⁹.
#pragma once

#include <mercer/matrix.hpp>

#include <algorithm>
#include <cstdint>

namespace mercer {

/// Rows whose entries lie at [starts[i], starts[i + 1]) of `columns` and `values`.
template <class T, class U>
[[nodiscard]] SparseMatrix<T> csr_copy(Index rows, Index cols, const std::int64_t* starts,
                                       const std::int64_t* columns, const U* values) {
  SparseMatrix<T> out(rows, cols);
  const std::int64_t first = starts[0], stored = starts[rows] - first;
  std::transform(starts, starts + rows + 1, out.outerIndexPtr(), [&](std::int64_t s) { return s - first; });
  out.resizeNonZeros(stored);
  std::copy(columns + first, columns + first + stored, out.innerIndexPtr());
  std::transform(values + first, values + first + stored, out.valuePtr(),
                 [](U value) { return static_cast<T>(value); });
  return out;
}

}  // namespace mercer
