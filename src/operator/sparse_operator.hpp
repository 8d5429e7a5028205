// A sparse symmetric matrix as an operator, and polynomials of it that lift its bottom out of the rest
// (Chebyshev filters; Zhou, Saad 2007).
#pragma once

#include <mercer/symmetric_operator.hpp>

namespace mercer {

/// out = α A x + β x + γ out for vectors that lie side by side in rows; as many columns as a multiple of 4.
void sparse_product(const SparseMatrix<double>& a, double alpha, const Matrix<double>& x, double beta,
                    double gamma, Matrix<double>& out, const Run& run);

/// The largest row sum of |A|: a bound on ‖A‖₂ of a symmetric A.
[[nodiscard]] double norm_bound(const SparseMatrix<double>& a);

/// A itself; borrowed, both triangles stored.
class SparseOperator final : public SymmetricOperator<double> {
 public:
  explicit SparseOperator(const SparseMatrix<double>& a) : SymmetricOperator<double>(a.rows()), a_(a) {}

  [[nodiscard]] std::optional<double> trace() const override;
  [[nodiscard]] std::optional<double> frobenius_squared() const override;

 private:
  void do_apply(const BlockView<double>& v, BlockRef<double> y, const Run& run) const override;
  const SparseMatrix<double>& a_;
};

/// P p(A) P with p(λ) = (1 + T₂ₘ(x))/(1 + T₂ₘ(x₀)), where x falls linearly from x₀ > 1 at λ = 0 over 1 at the
/// cut to −1 at the top, and P projects a known null vector out. p falls from 1 at 0 to the cut and lies
/// between 0 and its value there beyond.
class ChebyshevFilter final : public SymmetricOperator<double> {
 public:
  /// A ⪰ 0 (borrowed) of norm at most `top`; p(0)/p(cut) is at least `gain`. `null_vector`: of length 1, or
  /// empty.
  ChebyshevFilter(const SparseMatrix<double>& a, Vector<double> null_vector, double cut, double top,
                  double gain);

  [[nodiscard]] Index degree() const { return degree_; }
  /// The λ at most `cut` with p(λ) = value.
  [[nodiscard]] double preimage(double value) const;

 private:
  void do_apply(const BlockView<double>& v, BlockRef<double> y, const Run& run) const override;

  const SparseMatrix<double>& a_;
  Vector<double> null_vector_;
  double cut_, top_;
  Index degree_;
  double peak_;  ///< 1 + T₂ₘ(x₀)
};

}  // namespace mercer
