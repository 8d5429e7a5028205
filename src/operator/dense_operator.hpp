// A symmetric matrix in memory as an operator.
#pragma once

#include <mercer/symmetric_operator.hpp>

namespace mercer {

template <class T>
class DenseOperator final : public SymmetricOperator<T> {
 public:
  /// The full symmetric matrix, both triangles.
  explicit DenseOperator(Block<T> matrix);

  // Columns' sums are added up with more digits: the certificate allows for no rounding that grows with n².
  [[nodiscard]] std::optional<double> trace() const override {
    return double(matrix_.diagonal().template cast<long double>().sum());
  }
  [[nodiscard]] std::optional<double> frobenius_squared() const override {
    long double squares = 0;
    for (Index j = 0; j < matrix_.cols(); ++j)
      squares += matrix_.col(j).template cast<double>().squaredNorm();
    return double(squares);
  }
  [[nodiscard]] const Block<T>& matrix() const { return matrix_; }

 private:
  void do_apply(const BlockView<T>& v, BlockRef<T> y, const Run& run) const override;

  Block<T> matrix_;
};

}  // namespace mercer
