// The only caller of BLAS and LAPACK. Thin overloads for float and double; column-major unless said.
#pragma once

#include <mercer/matrix.hpp>

#include <vector>

namespace mercer::linalg {

enum class Transpose { no, yes };

/// C = alpha op(A) op(B) + beta C on column-major arrays; op(A) is m x k, op(B) is k x n.
template <class T>
void gemm(Transpose ta, Transpose tb, Index m, Index n, Index k, T alpha, const T* a, Index lda, const T* b,
          Index ldb, T beta, T* c, Index ldc);

/// Lower triangle of C (n x n, column-major) = alpha A Aᵀ + beta C, A is n x k; or Aᵀ A when
/// transposed, A then k x n.
template <class T>
void syrk(Transpose ta, Index n, Index k, T alpha, const T* a, Index lda, T beta, T* c, Index ldc);

/// y = A x, or Aᵀ x when transposed, A being m x n, column-major.
template <class T>
void gemv(Transpose ta, Index m, Index n, const T* a, Index lda, const T* x, T* y);

/// Σ x_i y_i, summed in T.
template <class T>
[[nodiscard]] T dot(Index n, const T* x, const T* y);

/// X := L⁻¹ X, or L⁻ᵀ X when transposed, for a lower triangular L (m x m) and X (m x n), column-major.
template <class T>
void solve_lower(Transpose tl, Index m, Index n, const T* l, Index ldl, T* x, Index ldx);

// Small dense problems are solved in double, whatever the element type of the large one.

/// Eigenvalues ascending; eigenvectors of the lower triangle replace the matrix (divide & conquer).
/// LAPACK counts the workspace of 2n² in 32 bits: at most max_syevd rows.
void syevd(Block<double>& matrix, Vector<double>& values);
constexpr Index max_syevd = 32000;

/// Eigenpairs number first .. last (0-based, ascending) of the lower triangle, which is destroyed.
void syevr(Block<double>& matrix, Index first, Index last, Vector<double>& values, Block<double>& vectors);

/// A v = λ B v for symmetric A and positive definite B (lower triangles; both are destroyed): eigenvalues
/// ascending, the vectors, vᵀBv = 1, replace A. What discriminants are checked against.
void sygvd(Block<double>& a, Block<double>& b, Vector<double>& values);

/// Householder QR: w (n x b, n >= b) becomes Q with orthonormal columns; returns the upper triangle R.
template <class T>
[[nodiscard]] Block<T> qr(BlockRef<T> w);

/// The same without Q: returns R, w is destroyed.
template <class T>
[[nodiscard]] Block<T> qr_triangle(BlockRef<T> w);

/// Singular values, descending; the left singular vectors replace the square matrix.
void svd(Block<double>& matrix, Vector<double>& values);

/// Singular values, descending, and right singular vectors of a square matrix D₁CD₂ by Jacobi's rotations
/// (Drmač and Veselić 2008): relative to each value itself, however far apart D₁ and D₂ spread them, where C
/// is well conditioned. The matrix is destroyed.
void graded_svd(Block<double>& matrix, Vector<double>& values, Block<double>& right);

/// The lower triangle becomes its Cholesky factor; the upper one is set to zero. How many leading rows
/// are positive definite: all of them unless rounding or the matrix itself forbids.
[[nodiscard]] Index cholesky(Block<double>& matrix);

/// Cholesky with complete pivoting of the symmetric matrix in the lower triangle: the largest diagonal
/// element left comes next, and none of at most `least` is taken. The leading rank x rank triangle becomes
/// the factor of the rows `order[0 .. rank)`; what stands beyond it means nothing.
struct PivotOrder {
  std::vector<Index> order;
  Index rank = 0;
};
[[nodiscard]] PivotOrder pivoted_cholesky(Block<double>& matrix, double least);

/// Number of positive eigenvalues of the symmetric matrix in the lower triangle, by LDLᵀ.
[[nodiscard]] Index positive_inertia(Block<double>& matrix);

// The same products on Eigen's column-major blocks.

/// C = Aᵀ B
template <class T>
[[nodiscard]] Block<T> transposed_times(const BlockView<T>& a, const BlockView<T>& b);
/// C += alpha A B
template <class T>
void add_product(T alpha, const BlockView<T>& a, const BlockView<T>& b, BlockRef<T> c);
/// A := A B in place, for a tall A and a small square B.
template <class T>
void multiply_right(BlockRef<T> a, const BlockView<T>& b);

}  // namespace mercer::linalg
