// A symmetric matrix in memory as an operator.
#pragma once

#include <mercer/symmetric_operator.hpp>

namespace mercer {

template <class T>
class DenseOperator final : public SymmetricOperator<T> {
 public:
  /// The full symmetric matrix, both triangles.
  explicit DenseOperator(Block<T> matrix);

  [[nodiscard]] std::optional<double> trace() const override {
    return matrix_.diagonal().template cast<double>().sum();
  }
  [[nodiscard]] std::optional<double> frobenius_squared() const override {
    return matrix_.template cast<double>().squaredNorm();
  }
  [[nodiscard]] const Block<T>& matrix() const { return matrix_; }

 private:
  void do_apply(const BlockView<T>& v, BlockRef<T> y, const Run& run) const override;

  Block<T> matrix_;
};

}  // namespace mercer
