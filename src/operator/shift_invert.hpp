// (A + σI)⁻¹ of a sparse positive semidefinite matrix, by its Cholesky factor (CHOLMOD; Chen, Davis, Hager,
// Rajamanickam 2008), a known null vector projected out on both sides: what turns the bottom of A, crowded
// and far from the top, into a top that stands out.
#pragma once

#include <mercer/symmetric_operator.hpp>

#include <memory>

namespace mercer {

/// What the factor will cost, known from its pattern alone.
struct FactorCost {
  double flops = 0;  ///< of the factorisation
  double entries = 0;
  double bytes = 0;
};

/// How many eigenvalues lie below a number, by Sylvester's law.
struct Inertia {
  Index below = 0;
  double error = 0;  ///< the count is that of a matrix no farther than this (in norm) from A
};

class ShiftInvert final : public SymmetricOperator<double> {
 public:
  /// Orders and analyses A (symmetric, both triangles stored; borrowed). `null_vector`: of length 1, or
  /// empty.
  ShiftInvert(const SparseMatrix<double>& a, Vector<double> null_vector, const Run& run);
  ~ShiftInvert() override;

  [[nodiscard]] const FactorCost& cost() const { return cost_; }
  /// Factors A + shift·I; false where that is not positive definite to rounding. Small factors do not depend
  /// on the number of threads; in the last digits those of more than 10¹¹ operations may.
  [[nodiscard]] bool factor(double shift, const Run& run);
  [[nodiscard]] double shift() const { return shift_; }

  /// Factors A − shift·I = LDLᵀ without pivots beside the factor there is, and counts the negative ones. The
  /// error follows from |L||D||L|ᵀ (Higham 2002, Theorem 10.3), and is infinite where a pivot vanishes.
  [[nodiscard]] Inertia inertia(double shift, const Run& run) const;

 private:
  void do_apply(const BlockView<double>& v, BlockRef<double> y, const Run& run) const override;

  struct Cholmod;
  std::unique_ptr<Cholmod> cholmod_;
  Vector<double> null_vector_;
  FactorCost cost_;
  double shift_ = 0;
};

}  // namespace mercer
