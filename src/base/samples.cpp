// Samples<T>: rows of dense or CSR memory that somebody owns.
#include "base/csr.hpp"

#include <mercer/error.hpp>
#include <mercer/samples.hpp>

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <vector>

namespace mercer {

template <class T>
Samples<T>::Samples(Matrix<T> dense) {
  auto owner = std::make_shared<const Matrix<T>>(std::move(dense));
  *this = borrow(owner->data(), owner->rows(), owner->cols(), owner->cols(), owner);
}

template <class T>
Samples<T>::Samples(SparseMatrix<T> sparse) {
  sparse.makeCompressed();
  auto owner = std::make_shared<const SparseMatrix<T>>(std::move(sparse));
  rows_ = owner->rows();
  cols_ = owner->cols();
  values_ = owner->valuePtr();
  outer_ = owner->outerIndexPtr();
  inner_ = owner->innerIndexPtr();
  owner_ = std::move(owner);
}

template <class T>
Samples<T> Samples<T>::borrow(const T* data, Index rows, Index cols, Index row_stride,
                              std::shared_ptr<const void> owner) {
  Samples out;
  out.rows_ = rows;
  out.cols_ = cols;
  out.values_ = data;
  out.row_stride_ = row_stride;
  out.owner_ = std::move(owner);
  return out;
}

template <class T>
typename Samples<T>::DenseView Samples<T>::dense() const {
  if (is_sparse()) throw std::logic_error("Samples::dense() of sparse samples");
  return DenseView(values_, rows_, cols_, Eigen::OuterStride<>(row_stride_));
}

template <class T>
typename Samples<T>::SparseView Samples<T>::sparse() const {
  if (!is_sparse()) throw std::logic_error("Samples::sparse() of dense samples");
  return SparseView(rows_, cols_, stored(), outer_, inner_, values_);
}

template <class T>
Index Samples<T>::stored() const {
  return is_sparse() ? outer_[rows_] - outer_[0] : rows_ * cols_;
}

template <class T>
std::size_t Samples<T>::bytes() const {
  const auto entry = sizeof(T) + (is_sparse() ? sizeof(std::int64_t) : 0);
  const auto rows_pointers = is_sparse() ? sizeof(std::int64_t) * static_cast<std::size_t>(rows() + 1) : 0;
  return entry * static_cast<std::size_t>(stored()) + rows_pointers;
}

template <class T>
Samples<T> Samples<T>::middle_rows(Index first, Index count) const {
  Samples out = *this;
  out.rows_ = count;
  if (is_sparse())
    out.outer_ += first;  // the offsets stay absolute into the same arrays
  else
    out.values_ += first * row_stride_;
  return out;
}

template <class T>
Matrix<T> Samples<T>::dense_rows(Index first, Index count) const {
  if (!is_sparse()) return dense().middleRows(first, count);
  Matrix<T> out = Matrix<T>::Zero(count, cols());
  const auto s = sparse();
  for (Index i = 0; i < count; ++i)
    for (auto p = s.outerIndexPtr()[first + i]; p < s.outerIndexPtr()[first + i + 1]; ++p)
      out(i, s.innerIndexPtr()[p]) += s.valuePtr()[p];
  return out;
}

template <class T>
Samples<T> Samples<T>::select_rows(const std::vector<Index>& which) const {
  const auto count = static_cast<Index>(which.size());
  if (!is_sparse()) {
    Matrix<T> out(count, cols());
    for (Index i = 0; i < count; ++i) out.row(i) = dense().row(which[static_cast<std::size_t>(i)]);
    return out;
  }
  const auto s = sparse();
  std::vector<std::int64_t> starts{0}, columns;
  std::vector<T> values;
  for (const Index row : which) {
    const std::int64_t begin = s.outerIndexPtr()[row], end = s.outerIndexPtr()[row + 1];
    columns.insert(columns.end(), s.innerIndexPtr() + begin, s.innerIndexPtr() + end);
    values.insert(values.end(), s.valuePtr() + begin, s.valuePtr() + end);
    starts.push_back(static_cast<std::int64_t>(values.size()));
  }
  return csr_copy<T>(count, cols(), starts.data(), columns.data(), values.data());
}

template <class T>
Samples<T> Samples<T>::in_the_form_of(const Samples& other) const {
  if (is_sparse() == other.is_sparse()) return *this;
  if (other.is_sparse()) return SparseMatrix<T>(to_dense().sparseView());
  return to_dense();
}

template <class T>
template <class U>
Samples<U> Samples<T>::cast() const {
  if constexpr (std::is_same_v<T, U>) {
    return *this;
  } else if (!is_sparse()) {
    return Matrix<U>(dense().template cast<U>());
  } else {
    const auto s = sparse();
    return csr_copy<U>(rows(), cols(), s.outerIndexPtr(), s.innerIndexPtr(), s.valuePtr());
  }
}

template <class T>
Index Samples<T>::longest_row() const {
  if (!is_sparse()) return cols();
  Index longest = 0;
  for (Index i = 0; i < rows(); ++i) longest = std::max<Index>(longest, outer_[i + 1] - outer_[i]);
  return longest;
}

template <class T>
void require_finite(const Samples<T>& samples, std::string_view what) {
  const auto fail = [&](Index row, Index col, T value) {
    throw Error(ErrorCode::bad_data, fmt::format("{}: row {}, column {} is {}", what, row, col, value),
                "rows and columns count from 0; every value must be a finite number");
  };
  if (!samples.is_sparse()) {
    const auto m = samples.dense();
    for (Index i = 0; i < m.rows(); ++i) {
      if (m.row(i).allFinite()) continue;
      for (Index j = 0; j < m.cols(); ++j)
        if (!std::isfinite(m(i, j))) fail(i, j, m(i, j));
    }
    return;
  }
  const auto s = samples.sparse();
  for (Index i = 0; i < s.rows(); ++i)
    for (auto p = s.outerIndexPtr()[i]; p < s.outerIndexPtr()[i + 1]; ++p)
      if (!std::isfinite(s.valuePtr()[p])) fail(i, s.innerIndexPtr()[p], s.valuePtr()[p]);
}

template class Samples<float>;
template class Samples<double>;
template Samples<float> Samples<float>::cast() const;
template Samples<double> Samples<float>::cast() const;
template Samples<float> Samples<double>::cast() const;
template Samples<double> Samples<double>::cast() const;
template void require_finite(const Samples<float>&, std::string_view);
template void require_finite(const Samples<double>&, std::string_view);

}  // namespace mercer
