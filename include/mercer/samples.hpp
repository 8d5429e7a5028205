// Samples<T>: n rows of d features, dense or CSR, held without copying whatever owns the memory
// (a matrix, a memory-mapped file, the caller). Cheap to copy, never changed once made.
//
//     mercer::Samples<double> a = std::move(matrix);                 // takes the matrix over
//     mercer::Samples<double> b = sparse_matrix;                     // CSR
//     auto c = mercer::Samples<double>::borrow(pointer, n, d, d);    // the caller keeps it alive
#pragma once

#include <mercer/matrix.hpp>

#include <memory>
#include <string_view>
#include <vector>

namespace mercer {

template <class T>
class Samples {
 public:
  using DenseView = Eigen::Map<const Matrix<T>, 0, Eigen::OuterStride<>>;
  using SparseView = Eigen::Map<const SparseMatrix<T>>;

  Samples() = default;              ///< 0 x 0
  Samples(Matrix<T> dense);         // NOLINT(google-explicit-constructor)
  Samples(SparseMatrix<T> sparse);  // NOLINT(google-explicit-constructor)

  /// A view of memory that `owner` keeps alive (nullptr: the caller promises to).
  static Samples borrow(const T* data, Index rows, Index cols, Index row_stride,
                        std::shared_ptr<const void> owner = nullptr);

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index cols() const { return cols_; }
  [[nodiscard]] bool is_sparse() const { return outer_ != nullptr; }
  /// Number of stored entries: rows x cols when dense.
  [[nodiscard]] Index stored() const;
  [[nodiscard]] std::size_t bytes() const;

  /// The views; asking for the wrong one throws std::logic_error.
  [[nodiscard]] DenseView dense() const;
  [[nodiscard]] SparseView sparse() const;

  /// Stored entries of the fullest row; cols() when dense.
  [[nodiscard]] Index longest_row() const;

  /// Rows [first, first + count): a view that shares the owner.
  [[nodiscard]] Samples middle_rows(Index first, Index count) const;
  /// Rows [first, first + count) written out densely.
  [[nodiscard]] Matrix<T> dense_rows(Index first, Index count) const;
  [[nodiscard]] Matrix<T> to_dense() const { return dense_rows(0, rows()); }
  /// The rows named, in that order, with their own memory.
  [[nodiscard]] Samples select_rows(const std::vector<Index>& which) const;
  /// The same rows, sparse where `other` is and dense where it is not; no copy where they already are.
  [[nodiscard]] Samples in_the_form_of(const Samples& other) const;
  template <class U>
  [[nodiscard]] Samples<U> cast() const;

 private:
  Index rows_ = 0, cols_ = 0;
  const T* values_ = nullptr;            ///< dense rows, or the stored entries of CSR
  Index row_stride_ = 0;                 ///< dense only
  const std::int64_t* outer_ = nullptr;  ///< CSR: where each row begins; null when dense
  const std::int64_t* inner_ = nullptr;  ///< CSR: the column of each entry
  std::shared_ptr<const void> owner_;
};

/// Throws Error{bad_data} naming the row and column of the first NaN or infinity.
template <class T>
void require_finite(const Samples<T>& samples, std::string_view what = "the data");

extern template class Samples<float>;
extern template class Samples<double>;

}  // namespace mercer
