// Matricization and its inverse: copies in the order of modes that makes the matrix column-major.
#include <mercer/error.hpp>
#include <mercer/tensor_algebra.hpp>

#include "tensor/fibers.hpp"
#include "tensor/reorder.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mercer {
namespace {

/// Mode n, then the others in their order: X₍ₙ₎ is a packed array of these modes.
Shape unfolded_modes(Index order, Index mode) {
  Shape modes = first_fastest_modes(order);
  std::rotate(modes.begin(), modes.begin() + mode, modes.begin() + mode + 1);
  return modes;
}

}  // namespace

template <class T>
Block<T> unfold(const TensorView<T>& x, Index mode) {
  require_mode(x.shape(), mode);
  Block<T> out(x.size(mode), x.count() / x.size(mode));
  copy_in_order(x, unfolded_modes(x.order(), mode), out.data());
  return out;
}

template <class T>
std::optional<StridedBlock<T>> unfolding_view(const TensorView<T>& x, Index mode) {
  require_mode(x.shape(), mode);
  Index columns = 1, stride = 1;  // of the other modes as one
  for (Index m = 0; m < x.order(); ++m) {
    if (m == mode || x.size(m) == 1) continue;
    if (columns == 1)
      stride = x.stride(m);
    else if (x.stride(m) != stride * columns)
      return std::nullopt;
    columns *= x.size(m);
  }
  return StridedBlock<T>(x.data(), x.size(mode), columns,
                         Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>(stride, x.stride(mode)));
}

template <class T>
Tensor<T> fold(const BlockView<T>& unfolded, Index mode, const Shape& shape) {
  const Index count = element_count(shape);
  require_mode(shape, mode);
  const Index rows = shape[static_cast<std::size_t>(mode)];
  if (unfolded.rows() != rows || unfolded.cols() != count / rows)
    throw Error(ErrorCode::usage,
                fmt::format("a {} x {} matrix is no mode-{} matricization of a {} tensor", unfolded.rows(),
                            unfolded.cols(), mode, to_string(shape)),
                fmt::format("that has {} rows and {} columns", rows, count / rows));
  Shape strides(shape.size());
  Index stride = unfolded.outerStride();
  for (std::size_t m = 0; m < shape.size(); ++m) {
    if (static_cast<Index>(m) == mode) {
      strides[m] = 1;
    } else {
      strides[m] = stride;
      stride *= shape[m];
    }
  }
  return Tensor<T>(TensorView<T>(unfolded.data(), shape, strides));
}

template <class T>
Vector<T> vec(const TensorView<T>& x) {
  Vector<T> out(x.count());
  copy_in_order(x, first_fastest_modes(x.order()), out.data());
  return out;
}

#define MERCER_INSTANTIATE(T)                                                          \
  template Block<T> unfold(const TensorView<T>&, Index);                               \
  template std::optional<StridedBlock<T>> unfolding_view(const TensorView<T>&, Index); \
  template Tensor<T> fold(const BlockView<T>&, Index, const Shape&);                   \
  template Vector<T> vec(const TensorView<T>&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
