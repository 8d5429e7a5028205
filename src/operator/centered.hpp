// Centring in feature space: K̃ = HKH, H = I − 11ᵀ/n (mission row M3). The centred matrix is never
// written down: means are subtracted from V before and from K·V after.
#pragma once

#include <mercer/symmetric_operator.hpp>

namespace mercer {

template <class T>
class CenteredOperator final : public SymmetricOperator<T> {
 public:
  /// The inner operator must outlive this one. Trace and norm are known when its row sums are.
  explicit CenteredOperator(const SymmetricOperator<T>& inner)
      : SymmetricOperator<T>(inner.size()), inner_(inner) {}

  [[nodiscard]] std::optional<double> trace() const override;
  [[nodiscard]] std::optional<double> frobenius_squared() const override;
  [[nodiscard]] double cancellation() const override;
  [[nodiscard]] bool has_rough_product() const override { return inner_.has_rough_product(); }

 private:
  void do_apply(const BlockView<T>& v, BlockRef<T> y, const Run& run) const override;
  void do_apply_roughly(const BlockView<T>& v, BlockRef<T> y, const Run& run) const override;
  [[nodiscard]] double estimate_rough_error(const BlockView<T>& v, const Run& run) const override;

  const SymmetricOperator<T>& inner_;
};

/// Of a matrix that is written out, for its means. Columns join a long sum some hundred together: one after
/// the other equal elements would all round the same way.
[[nodiscard]] Vector<double> row_sums(const Block<double>& matrix);

/// Subtracts from each column its mean, taken in double: X := H X.
template <class T>
void subtract_column_means(BlockRef<T> x);

}  // namespace mercer
