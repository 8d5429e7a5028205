// N-way arrays (mission row M13): Tensor<T> owns one, TensorView<T> looks at one, SparseTensor<T> keeps the
// entries that are not zero. Modes and indices count from 0; sizes are 64-bit; any order from 1.
//
//     mercer::Tensor<double> x({5, 201, 61});
//     x({0, 3, 7}) = 1.5;
//     auto sample = x.view().slice(0, 2);      // 201 x 61, no copy
#pragma once

#include <mercer/matrix.hpp>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace mercer {

using Shape = std::vector<Index>;

/// "5 x 201 x 61"
[[nodiscard]] std::string to_string(const Shape& shape);
/// Elements of an array of this shape; throws Error{usage} for order 0, a size below 1, or more elements than
/// can be counted.
[[nodiscard]] Index element_count(const Shape& shape);

/// Read-only; any strides, so that slices, ranges and reordered modes are views too. Cheap to copy.
template <class T>
class TensorView {
 public:
  TensorView() = default;
  /// Strides in elements; `owner` keeps the memory alive (nullptr: the caller promises to).
  TensorView(const T* data, Shape shape, Shape strides, std::shared_ptr<const void> owner = nullptr);
  /// Packed memory whose first, or whose last index moves fastest.
  static TensorView first_fastest(const T* data, Shape shape, std::shared_ptr<const void> owner = nullptr);
  static TensorView last_fastest(const T* data, Shape shape, std::shared_ptr<const void> owner = nullptr);

  [[nodiscard]] Index order() const { return static_cast<Index>(shape_.size()); }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] const Shape& strides() const { return strides_; }
  [[nodiscard]] Index size(Index mode) const { return shape_[static_cast<std::size_t>(mode)]; }
  [[nodiscard]] Index stride(Index mode) const { return strides_[static_cast<std::size_t>(mode)]; }
  [[nodiscard]] Index count() const { return count_; }  ///< elements
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] T operator()(const Shape& index) const;

  /// The entries whose index in `mode` is i: one mode fewer (order 1 stays, with one entry).
  [[nodiscard]] TensorView slice(Index mode, Index i) const;
  [[nodiscard]] TensorView range(Index mode, Index first, Index count) const;
  /// Mode m of the result is mode modes[m] of this.
  [[nodiscard]] TensorView reordered(const Shape& modes) const;
  /// Do the elements fill one piece of memory, in whatever order of the modes? Then nothing need be copied.
  [[nodiscard]] bool packed() const;

 private:
  const T* data_ = nullptr;
  Shape shape_, strides_;
  Index count_ = 0;
  std::shared_ptr<const void> owner_;
};

/// Owns its elements, first index fastest: x_(i,j,k) lies at i + I(j + Jk), as vec(X) has it.
template <class T>
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(Shape shape);           ///< zeros
  explicit Tensor(const TensorView<T>&);  ///< a copy
  Tensor(Shape shape, Vector<T> values);  ///< vec(X) = values, taken over

  [[nodiscard]] Index order() const { return static_cast<Index>(shape_.size()); }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] Index size(Index mode) const { return shape_[static_cast<std::size_t>(mode)]; }
  [[nodiscard]] Index count() const { return values_.size(); }
  [[nodiscard]] T* data() { return values_.data(); }
  [[nodiscard]] const T* data() const { return values_.data(); }
  [[nodiscard]] T& operator()(const Shape& index);
  [[nodiscard]] T operator()(const Shape& index) const { return view()(index); }
  /// vec(X); writable.
  [[nodiscard]] Vector<T>& values() { return values_; }
  [[nodiscard]] const Vector<T>& values() const { return values_; }

  [[nodiscard]] TensorView<T> view() const { return TensorView<T>::first_fastest(data(), shape_); }
  operator TensorView<T>() const { return view(); }  // NOLINT(google-explicit-constructor)

 private:
  Shape shape_;
  Vector<T> values_;
};

/// Entries one by one, as they come from a file or a program: index[mode][entry] and values[entry].
template <class T>
struct Coordinates {
  Shape shape;
  std::vector<std::vector<std::uint32_t>> index;
  std::vector<T> values;
};

/// The entries of a tensor that are stored; all others are zero (or unknown, where a fit is told so). Kept as
/// a tree of fibres: the modes from the smallest to the largest, each index once for all entries that share
/// it and the ones before. Indices are 32-bit.
template <class T>
class SparseTensor {
 public:
  SparseTensor() = default;
  /// Sorts them; entries at the same place are added up. Throws Error{bad_data} for an index outside of the
  /// shape, Error{usage} for arrays of different lengths.
  explicit SparseTensor(Coordinates<T> entries);
  /// The entries that are not zero.
  explicit SparseTensor(const TensorView<T>& dense);

  [[nodiscard]] Index order() const { return static_cast<Index>(shape_.size()); }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] Index size(Index mode) const { return shape_[static_cast<std::size_t>(mode)]; }
  [[nodiscard]] Index stored() const { return static_cast<Index>(values_.size()); }
  [[nodiscard]] std::size_t bytes() const;

  /// use(index, value) for each stored entry, in the order of the tree.
  void for_each(const std::function<void(const Shape& index, T value)>& use) const;
  [[nodiscard]] Coordinates<T> coordinates() const;
  [[nodiscard]] Tensor<T> to_dense() const;

  /// The tree: level l is mode modes()[l]; node p of it has index(l)[p], and its children are nodes
  /// first_child(l)[p] .. first_child(l)[p + 1] of the next level. The nodes of the last level are the
  /// entries.
  [[nodiscard]] const Shape& modes() const { return modes_; }
  [[nodiscard]] const std::vector<std::uint32_t>& index(Index level) const {
    return index_[static_cast<std::size_t>(level)];
  }
  [[nodiscard]] const std::vector<Index>& first_child(Index level) const {
    return first_child_[static_cast<std::size_t>(level)];
  }
  [[nodiscard]] const std::vector<T>& values() const { return values_; }
  /// The same tree with other values, e.g. ones.
  [[nodiscard]] SparseTensor with_values(std::vector<T> values) const;

 private:
  Shape shape_, modes_;
  std::vector<std::vector<std::uint32_t>> index_;
  std::vector<std::vector<Index>> first_child_;  ///< for all levels but the last
  std::vector<T> values_;
};

extern template class TensorView<float>;
extern template class TensorView<double>;
extern template class Tensor<float>;
extern template class Tensor<double>;
extern template class SparseTensor<float>;
extern template class SparseTensor<double>;

}  // namespace mercer
