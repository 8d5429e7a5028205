// SymmetricOperator<T>: a symmetric n x n matrix known by what it does to a block of vectors.
// Every spectral method here is such an operator and a few of its eigenpairs.
//
// To write one, derive, pass n to the constructor and override do_apply (Y = A·V, both n x b).
#pragma once

#include <mercer/matrix.hpp>
#include <mercer/run.hpp>

#include <optional>

namespace mercer {

template <class T>
class SymmetricOperator {
 public:
  explicit SymmetricOperator(Index size) : size_(size) {}
  virtual ~SymmetricOperator() = default;
  SymmetricOperator(const SymmetricOperator&) = delete;
  SymmetricOperator& operator=(const SymmetricOperator&) = delete;

  [[nodiscard]] Index size() const { return size_; }

  /// Y = A V. V and Y are size() x b and must not overlap.
  void apply(const BlockView<T>& v, BlockRef<T> y, const Run& run = {}) const;

  /// The same where float's accuracy is enough: cheaper, if has_rough_product().
  void apply_roughly(const BlockView<T>& v, BlockRef<T> y, const Run& run = {}) const;
  [[nodiscard]] virtual bool has_rough_product() const { return false; }

  /// Σ A_ii and Σ A_ij² where they are known exactly: what the certificate is made of.
  [[nodiscard]] virtual std::optional<double> trace() const { return std::nullopt; }
  [[nodiscard]] virtual std::optional<double> frobenius_squared() const { return std::nullopt; }
  /// The size of what cancels inside the operator (K's norm where A = HKH): products, trace and
  /// Frobenius norm are right to rounding of this, not of A itself. 0: nothing cancels.
  [[nodiscard]] virtual double cancellation() const { return 0; }

 private:
  virtual void do_apply(const BlockView<T>& v, BlockRef<T> y, const Run& run) const = 0;
  virtual void do_apply_roughly(const BlockView<T>& v, BlockRef<T> y, const Run& run) const {
    do_apply(v, y, run);
  }

  Index size_;
};

extern template class SymmetricOperator<float>;
extern template class SymmetricOperator<double>;

}  // namespace mercer
