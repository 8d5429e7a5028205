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
  /// About how far off the rough product of these vectors is: the largest ‖error‖ of a column.
  [[nodiscard]] double rough_error(const BlockView<T>& v, const Run& run = {}) const;

  /// Σ A_ii and Σ A_ij² where they are known exactly, perhaps only after the first product: what the
  /// certificate is made of.
  [[nodiscard]] virtual std::optional<double> trace() const { return std::nullopt; }
  [[nodiscard]] virtual std::optional<double> frobenius_squared() const { return std::nullopt; }
  /// A·1, where it is known.
  [[nodiscard]] virtual const Vector<double>* row_sums() const { return nullptr; }
  /// The size of what cancels inside the operator (K's norm where A = HKH): products, trace and
  /// Frobenius norm are right to rounding of this, not of A itself. 0: nothing cancels.
  [[nodiscard]] virtual double cancellation() const { return 0; }

 private:
  virtual void do_apply(const BlockView<T>& v, BlockRef<T> y, const Run& run) const = 0;
  virtual void do_apply_roughly(const BlockView<T>& v, BlockRef<T> y, const Run& run) const {
    do_apply(v, y, run);
  }
  /// By both products, unless there is a cheaper way.
  [[nodiscard]] virtual double estimate_rough_error(const BlockView<T>& v, const Run& run) const;

  Index size_;
};

extern template class SymmetricOperator<float>;
extern template class SymmetricOperator<double>;

}  // namespace mercer
