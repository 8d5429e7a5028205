// Dense N-way arrays: shapes, views, and the array that owns its elements.
#include <mercer/error.hpp>
#include <mercer/tensor.hpp>

#include "base/at.hpp"
#include "tensor/fibers.hpp"
#include "tensor/reorder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace mercer {
namespace {

Shape reversed(Shape modes) {
  std::reverse(modes.begin(), modes.end());
  return modes;
}

/// Where the element at this index lies.
Index offset_of(const Shape& index, const Shape& shape, const Shape& strides) {
  if (index.size() != shape.size())
    throw Error(ErrorCode::usage, fmt::format("{} indices for a {} tensor", index.size(), to_string(shape)),
                fmt::format("it has {} modes", shape.size()));
  Index offset = 0;
  for (std::size_t m = 0; m < shape.size(); ++m) {
    if (index[m] < 0 || index[m] >= shape[m])
      throw Error(ErrorCode::usage,
                  fmt::format("index {} in mode {} of a {} tensor", index[m], m, to_string(shape)),
                  fmt::format("indices of this mode count from 0 to {}", shape[m] - 1));
    offset += index[m] * strides[m];
  }
  return offset;
}

}  // namespace

std::string to_string(const Shape& shape) { return fmt::format("{}", fmt::join(shape, " x ")); }

Index element_count(const Shape& shape) {
  if (shape.empty()) throw Error(ErrorCode::usage, "a tensor without modes", "its order must be at least 1");
  for (std::size_t m = 0; m < shape.size(); ++m)
    if (shape[m] < 1)
      throw Error(ErrorCode::usage, fmt::format("mode {} of a {} tensor is empty", m, to_string(shape)),
                  "every mode needs a size of at least 1");
  Index count = 1;
  for (const Index size : shape) {
    if (count > std::numeric_limits<Index>::max() / size)
      throw Error(ErrorCode::usage,
                  fmt::format("a {} tensor has more elements than can be counted", to_string(shape)),
                  "check its sizes");
    count *= size;
  }
  return count;
}

template <class T>
TensorView<T>::TensorView(const T* data, Shape shape, Shape strides, std::shared_ptr<const void> owner)
    : data_(data),
      shape_(std::move(shape)),
      strides_(std::move(strides)),
      count_(element_count(shape_)),
      owner_(std::move(owner)) {
  if (strides_.size() != shape_.size())
    throw Error(ErrorCode::usage,
                fmt::format("{} strides for a {} tensor", strides_.size(), to_string(shape_)),
                "one stride a mode");
}

template <class T>
TensorView<T> TensorView<T>::first_fastest(const T* data, Shape shape, std::shared_ptr<const void> owner) {
  if (shape.empty()) return {};  // an empty Tensor has an empty view
  (void)element_count(shape);
  Shape strides = packed_strides(shape, first_fastest_modes(static_cast<Index>(shape.size())));
  return {data, std::move(shape), std::move(strides), std::move(owner)};
}

template <class T>
TensorView<T> TensorView<T>::last_fastest(const T* data, Shape shape, std::shared_ptr<const void> owner) {
  (void)element_count(shape);
  Shape strides = packed_strides(shape, reversed(first_fastest_modes(static_cast<Index>(shape.size()))));
  return {data, std::move(shape), std::move(strides), std::move(owner)};
}

template <class T>
T TensorView<T>::operator()(const Shape& index) const {
  return data_[offset_of(index, shape_, strides_)];
}

template <class T>
TensorView<T> TensorView<T>::slice(Index mode, Index i) const {
  TensorView out = range(mode, i, 1);
  if (order() == 1) return out;
  out.shape_.erase(out.shape_.begin() + mode);
  out.strides_.erase(out.strides_.begin() + mode);
  return out;
}

template <class T>
TensorView<T> TensorView<T>::range(Index mode, Index first, Index count) const {
  require_mode(shape_, mode);
  if (first < 0 || count < 1 || first > size(mode) - count)
    throw Error(ErrorCode::usage,
                fmt::format("indices {} to {} in mode {} of a {} tensor", first, first + count - 1, mode,
                            to_string(shape_)),
                fmt::format("indices of this mode count from 0 to {}", size(mode) - 1));
  TensorView out = *this;
  out.data_ += first * stride(mode);
  out.shape_[at(mode)] = count;
  out.count_ = count_ / size(mode) * count;
  return out;
}

template <class T>
TensorView<T> TensorView<T>::reordered(const Shape& modes) const {
  Shape sorted = modes;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != first_fastest_modes(order()))
    throw Error(ErrorCode::usage,
                fmt::format("modes {} are no order of the modes of a {} tensor", fmt::join(modes, ", "),
                            to_string(shape_)),
                fmt::format("name each of the modes 0 to {} once", order() - 1));
  TensorView out = *this;
  for (std::size_t m = 0; m < modes.size(); ++m) {
    out.shape_[m] = size(modes[m]);
    out.strides_[m] = stride(modes[m]);
  }
  return out;
}

template <class T>
bool TensorView<T>::packed() const {
  Index expected = 1;
  for (const Index mode : modes_by_stride(*this)) {
    if (size(mode) == 1) continue;
    if (stride(mode) != expected) return false;
    expected *= size(mode);
  }
  return true;
}

template <class T>
Tensor<T>::Tensor(Shape shape) : shape_(std::move(shape)), values_(Vector<T>::Zero(element_count(shape_))) {}

template <class T>
Tensor<T>::Tensor(const TensorView<T>& x) {
  if (x.order() == 0) return;
  PackedTensor<T> copy(x.shape(), first_fastest_modes(x.order()));
  copy_in_order(x, copy.modes(), copy.data());
  *this = std::move(copy).to_tensor();
}

template <class T>
Tensor<T>::Tensor(Shape shape, Vector<T> values) : shape_(std::move(shape)), values_(std::move(values)) {
  if (values_.size() != element_count(shape_))
    throw Error(ErrorCode::usage, fmt::format("{} values for a {} tensor", values_.size(), to_string(shape_)),
                fmt::format("it has {} elements", element_count(shape_)));
}

template <class T>
T& Tensor<T>::operator()(const Shape& index) {
  const Shape strides = packed_strides(shape_, first_fastest_modes(order()));
  return values_[offset_of(index, shape_, strides)];
}

template class TensorView<float>;
template class TensorView<double>;
template class Tensor<float>;
template class Tensor<double>;

}  // namespace mercer
