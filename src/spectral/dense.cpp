// Eigenpairs of a matrix in memory by LAPACK: all of them by divide and conquer (syevd), or the few
// wanted ones by syevr when they are a small share. Computed in double whatever the element type.
#include <mercer/spectrum.hpp>

#include "base/linalg.hpp"
#include "base/parallel.hpp"
#include "spectral/orthonormal.hpp"

#include <algorithm>

namespace mercer {

template <class T>
Spectrum<T> dense_eigenpairs(Block<T> matrix, Index count, End end, const Run& run) {
  const ThreadScope threads(run);
  const Index n = matrix.rows();
  count = std::min(count, n);
  Spectrum<T> out;
  if (n == 0) return out;
  Block<double> a;
  if constexpr (std::is_same_v<T, double>)
    a = std::move(matrix);
  else
    a = matrix.template cast<double>();
  Vector<double> values;
  Block<double> vectors;
  if (4 * count >= n && n <= linalg::max_syevd) {
    linalg::syevd(a, values);
    vectors = std::move(a);
  } else if (end == End::largest) {
    linalg::syevr(a, n - count, n - 1, values, vectors);
  } else {
    linalg::syevr(a, 0, count - 1, values, vectors);
  }
  if (end == End::largest) {  // LAPACK's order is ascending
    out.values = values.tail(count).reverse();
    out.vectors = vectors.rightCols(count).rowwise().reverse().template cast<T>();
  } else {
    out.values = values.head(count);
    out.vectors = vectors.leftCols(count).template cast<T>();
  }
  fix_signs<T>(out.vectors);
  return out;
}

template <class T>
Index count_eigenvalues_above(const Matrix<T>& matrix, double shift) {
  Block<double> a = matrix.template cast<double>();
  a.diagonal().array() -= shift;
  return linalg::positive_inertia(a);
}

template Spectrum<float> dense_eigenpairs(Block<float>, Index, End, const Run&);
template Spectrum<double> dense_eigenpairs(Block<double>, Index, End, const Run&);
template Index count_eigenvalues_above(const Matrix<float>&, double);
template Index count_eigenvalues_above(const Matrix<double>&, double);

}  // namespace mercer
