// The scatter matrix X̃ᵀX̃ (d x d) or the linear Gram matrix X̃X̃ᵀ (n x n) of dense or CSR data, applied
// without forming it and without filling in zeros: X̃ = X − 1μᵀ acts as X V − 1(μᵀV) (rows M1, M2).
#pragma once

#include <mercer/samples.hpp>
#include <mercer/symmetric_operator.hpp>

namespace mercer {

enum class Side { features, samples };

template <class T>
class ScatterOperator final : public SymmetricOperator<T> {
 public:
  /// `mean` is subtracted from each row; zeros for the uncentred problem.
  ScatterOperator(const Samples<T>& samples, Vector<double> mean, Side side);

  [[nodiscard]] std::optional<double> trace() const override { return trace_; }

 private:
  void do_apply(const BlockView<T>& v, BlockRef<T> y, const Run& run) const override;

  Samples<T> samples_;
  Vector<double> mean_;
  Side side_;
  double trace_;
};

/// X̃ V: n x b from d x b.
template <class T>
[[nodiscard]] Block<T> centered_times(const Samples<T>& x, const Vector<double>& mean, const BlockView<T>& v);
/// X̃ᵀ W: d x b from n x b.
template <class T>
[[nodiscard]] Block<T> centered_transposed_times(const Samples<T>& x, const Vector<double>& mean,
                                                 const BlockView<T>& w);
/// Σ‖x_i − μ‖², in double.
template <class T>
[[nodiscard]] double total_scatter(const Samples<T>& x, const Vector<double>& mean);
/// The same about the mean itself, where `mean` is it but for rounding: far from the origin that would count.
template <class T>
[[nodiscard]] double scatter_about_the_mean(const Samples<T>& x, const Vector<double>& mean);
/// Of n products that BLAS adds up some hundred at a time, relative to the sum of their sizes. Where they are
/// alike, as in constant columns or equal rows, every addition rounds the same way (Higham 2002,
/// section 3.1).
[[nodiscard]] double rounding_of_sums(double n);
/// Of n products that are added up one after the other.
[[nodiscard]] double rounding_of_long_sums(double n);
/// Column means in double.
template <class T>
[[nodiscard]] Vector<double> column_means(const Samples<T>& x);
/// X̃ᵀX̃ or X̃X̃ᵀ written out, in double.
template <class T>
[[nodiscard]] Block<double> scatter_matrix(const Samples<T>& x, const Vector<double>& mean, Side side,
                                           const Run& run);

}  // namespace mercer
