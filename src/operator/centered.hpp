// Centring in feature space: K̃ = HKH, H = I − 11ᵀ/n (mission row M3). The centred matrix is never
// written down: means are subtracted from V before and from K·V after.
#pragma once

#include <mercer/symmetric_operator.hpp>

namespace mercer {

template <class T>
class CenteredOperator final : public SymmetricOperator<T> {
 public:
  /// `row_sums` is inner·1. The inner operator must outlive this one.
  CenteredOperator(const SymmetricOperator<T>& inner, const Vector<double>& row_sums);

  [[nodiscard]] std::optional<double> trace() const override { return trace_; }
  [[nodiscard]] std::optional<double> frobenius_squared() const override { return frobenius_squared_; }
  [[nodiscard]] double cancellation() const override { return cancellation_; }
  [[nodiscard]] bool has_rough_product() const override { return inner_.has_rough_product(); }

 private:
  void do_apply(const BlockView<T>& v, BlockRef<T> y, const Run& run) const override;
  void do_apply_roughly(const BlockView<T>& v, BlockRef<T> y, const Run& run) const override;

  const SymmetricOperator<T>& inner_;
  std::optional<double> trace_, frobenius_squared_;
  double cancellation_ = 0;
};

/// Subtracts from each column its mean, taken in double: X := H X.
template <class T>
void subtract_column_means(BlockRef<T> x);

}  // namespace mercer
