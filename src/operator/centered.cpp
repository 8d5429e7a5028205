// K̃ = HKH without forming it.
#include "operator/centered.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

template <class T>
void subtract_column_means(BlockRef<T> x) {
  for (Index c = 0; c < x.cols(); ++c) x.col(c).array() -= T(x.col(c).template cast<double>().mean());
}

template <class T>
CenteredOperator<T>::CenteredOperator(const SymmetricOperator<T>& inner, const Vector<double>& row_sums)
    : SymmetricOperator<T>(inner.size()), inner_(inner) {
  const double n = double(inner.size()), total = row_sums.sum();
  cancellation_ = inner.frobenius_squared() ? std::sqrt(*inner.frobenius_squared()) : std::abs(total) / n;
  // tr HKH = tr K − 1ᵀK1/n;  ‖HKH‖² = ‖K‖² − 2‖K1‖²/n + (1ᵀK1)²/n²
  if (const auto t = inner.trace()) trace_ = *t - total / n;
  if (const auto f = inner.frobenius_squared())
    frobenius_squared_ = std::max(0.0, *f - 2 * row_sums.squaredNorm() / n + total * total / (n * n));
}

template <class T>
void CenteredOperator<T>::do_apply(const BlockView<T>& v, BlockRef<T> y, const Run& run) const {
  Block<T> centered = v;
  subtract_column_means<T>(centered);
  inner_.apply(centered, y, run);
  subtract_column_means<T>(y);
}

template <class T>
void CenteredOperator<T>::do_apply_roughly(const BlockView<T>& v, BlockRef<T> y, const Run& run) const {
  Block<T> centered = v;
  subtract_column_means<T>(centered);
  inner_.apply_roughly(centered, y, run);
  subtract_column_means<T>(y);
}

template class CenteredOperator<float>;
template class CenteredOperator<double>;
template void subtract_column_means(BlockRef<float>);
template void subtract_column_means(BlockRef<double>);

}  // namespace mercer
