// K̃ = HKH without forming it.
#include "operator/centered.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

Vector<double> row_sums(const Block<double>& matrix) {
  constexpr Index together = 128;
  Vector<double> sums = Vector<double>::Zero(matrix.rows());
  for (Index j = 0; j < matrix.cols(); j += together)
    sums += matrix.middleCols(j, std::min(together, matrix.cols() - j)).rowwise().sum();
  return sums;
}

template <class T>
void subtract_column_means(BlockRef<T> x) {
  for (Index c = 0; c < x.cols(); ++c) x.col(c).array() -= T(x.col(c).template cast<double>().mean());
}

// tr HKH = tr K − 1ᵀK1/n
template <class T>
std::optional<double> CenteredOperator<T>::trace() const {
  const Vector<double>* sums = inner_.row_sums();
  const auto inner = inner_.trace();
  if (!sums || !inner) return std::nullopt;
  return *inner - sums->sum() / double(this->size());
}

// ‖HKH‖² = ‖K‖² − 2‖K1‖²/n + (1ᵀK1)²/n²
template <class T>
std::optional<double> CenteredOperator<T>::frobenius_squared() const {
  const Vector<double>* sums = inner_.row_sums();
  const auto inner = inner_.frobenius_squared();
  if (!sums || !inner) return std::nullopt;
  const double n = double(this->size()), total = sums->sum();
  return std::max(0.0, *inner - 2 * sums->squaredNorm() / n + total * total / (n * n));
}

template <class T>
double CenteredOperator<T>::cancellation() const {
  if (const auto inner = inner_.frobenius_squared()) return std::sqrt(*inner);
  const Vector<double>* sums = inner_.row_sums();
  return sums ? std::abs(sums->sum()) / double(this->size()) : 0;
}

namespace {

/// f(H v), without a copy where v is centred already.
template <class T, class F>
void with_centered(const BlockView<T>& v, const F& f) {
  constexpr double rounding = 4 * double(std::numeric_limits<T>::epsilon());
  bool centered = true;
  for (Index c = 0; c < v.cols() && centered; ++c) {
    const auto column = v.col(c).template cast<double>();
    centered = std::abs(column.mean()) * std::sqrt(double(v.rows())) <= rounding * column.norm();
  }
  if (centered) return f(v);
  Block<T> copy = v;
  subtract_column_means<T>(copy);
  f(copy);
}

}  // namespace

template <class T>
void CenteredOperator<T>::do_apply(const BlockView<T>& v, BlockRef<T> y, const Run& run) const {
  with_centered<T>(v, [&](const BlockView<T>& x) { inner_.apply(x, y, run); });
  subtract_column_means<T>(y);
}

template <class T>
void CenteredOperator<T>::do_apply_roughly(const BlockView<T>& v, BlockRef<T> y, const Run& run) const {
  with_centered<T>(v, [&](const BlockView<T>& x) { inner_.apply_roughly(x, y, run); });
  subtract_column_means<T>(y);
}

template <class T>
double CenteredOperator<T>::estimate_rough_error(const BlockView<T>& v, const Run& run) const {
  double error = 0;
  with_centered<T>(v, [&](const BlockView<T>& x) { error = inner_.rough_error(x, run); });
  return error;
}

template class CenteredOperator<float>;
template class CenteredOperator<double>;
template void subtract_column_means(BlockRef<float>);
template void subtract_column_means(BlockRef<double>);

}  // namespace mercer
