// Outer, Kronecker, Khatri-Rao and Hadamard products.
#include <mercer/error.hpp>
#include <mercer/tensor_algebra.hpp>

#include "base/parallel.hpp"
#include "tensor/fibers.hpp"
#include "tensor/paired_walk.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mercer {
namespace {

/// Not initialised; throws where the numbers of rows and columns cannot be counted.
template <class T>
Block<T> product_block(Index a_rows, Index b_rows, Index a_cols, Index b_cols) {
  if (a_rows * b_cols != 0 && b_rows * a_cols != 0) (void)element_count({a_rows, b_rows, a_cols, b_cols});
  return Block<T>(a_rows * b_rows, a_cols * b_cols);
}

}  // namespace

template <class T>
Tensor<T> outer(const TensorView<T>& x, const TensorView<T>& y) {
  Shape shape = x.shape();
  shape.insert(shape.end(), y.shape().begin(), y.shape().end());
  PackedTensor<T> out(shape, first_fastest_modes(x.order() + y.order()));
  const Vector<T> left = vec(x), right = vec(y);
  Eigen::Map<Block<T>> matrix(out.data(), left.size(), right.size());  // vec X (vec Y)ᵀ
  const Index columns = std::max<Index>(1, (1 << 16) / left.size());
  const Index groups = (right.size() + columns - 1) / columns;
  parallel_for(groups, {}, [&](Index group) {
    const Index first = group * columns, count = std::min(columns, right.size() - first);
    for (Index j = first; j < first + count; ++j) matrix.col(j) = left * right[j];
  });
  return std::move(out).to_tensor();
}

template <class T>
Block<T> kronecker(const BlockView<T>& a, const BlockView<T>& b) {
  Block<T> out = product_block<T>(a.rows(), b.rows(), a.cols(), b.cols());
  for (Index j = 0; j < a.cols(); ++j)
    for (Index i = 0; i < a.rows(); ++i)
      out.block(i * b.rows(), j * b.cols(), b.rows(), b.cols()) = a(i, j) * b;
  return out;
}

template <class T>
Block<T> khatri_rao(const BlockView<T>& a, const BlockView<T>& b) {
  if (a.cols() != b.cols())
    throw Error(ErrorCode::usage,
                fmt::format("the Khatri-Rao product of a {} x {} and a {} x {} matrix", a.rows(), a.cols(),
                            b.rows(), b.cols()),
                "both need the same number of columns");
  Block<T> out = product_block<T>(a.rows(), b.rows(), a.cols(), 1);
  for (Index r = 0; r < a.cols(); ++r)
    for (Index i = 0; i < a.rows(); ++i) out.col(r).segment(i * b.rows(), b.rows()) = a(i, r) * b.col(r);
  return out;
}

template <class T>
Tensor<T> hadamard(const TensorView<T>& x, const TensorView<T>& y) {
  require_same_shape(x.shape(), y.shape(), "the element-wise product");
  Tensor<T> out(x);
  const PairedWalk walk(y.shape(), y.strides(), out.view().strides());
  parallel_for(walk.groups(), {}, [&](Index group) {
    walk.for_each_tile(group, [&](const PairedWalk::Tile& tile) {
      const T* from = y.data() + tile.first.offset;
      T* to = out.data() + tile.second.offset;
      for (Index j = 0; j < tile.outer; ++j)
        for (Index i = 0; i < tile.inner; ++i)
          to[i * tile.second.inner_stride + j * tile.second.outer_stride] *=
              from[i * tile.first.inner_stride + j * tile.first.outer_stride];
    });
  });
  return out;
}

#define MERCER_INSTANTIATE(T)                                             \
  template Tensor<T> outer(const TensorView<T>&, const TensorView<T>&);   \
  template Block<T> kronecker(const BlockView<T>&, const BlockView<T>&);  \
  template Block<T> khatri_rao(const BlockView<T>&, const BlockView<T>&); \
  template Tensor<T> hadamard(const TensorView<T>&, const TensorView<T>&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
