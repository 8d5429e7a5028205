// Copies between arrays and rows, none where rows are what lies in memory.
#include "tensor/sample_rows.hpp"

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "tensor/fibers.hpp"
#include "tensor/paired_walk.hpp"
#include "tensor/reorder.hpp"

#include <algorithm>

namespace mercer {
namespace {

/// The modes of rows in memory, the fastest first.
Shape row_modes(Index order, Index sample_mode) {
  Shape modes = other_modes(order, sample_mode);
  std::reverse(modes.begin(), modes.end());
  modes.push_back(sample_mode);
  return modes;
}

Index row_length(const Shape& shape, Index sample_mode) {
  Index length = 1;
  for (const Index mode : other_modes(static_cast<Index>(shape.size()), sample_mode))
    length *= shape[at(mode)];
  return length;
}

}  // namespace

Shape other_modes(Index order, Index sample_mode) {
  Shape modes = first_fastest_modes(order);
  modes.erase(modes.begin() + sample_mode);
  return modes;
}

Shape with_samples(Shape shape, Index sample_mode, Index samples) {
  shape[at(sample_mode)] = samples;
  return shape;
}

template <class T>
TensorView<T> array_of_rows(const T* rows, Index count, Index row_stride, const Shape& shape,
                            Index sample_mode) {
  const Shape full = with_samples(shape, sample_mode, count);
  Shape strides = packed_strides(full, row_modes(static_cast<Index>(shape.size()), sample_mode));
  strides[at(sample_mode)] = row_stride;
  return {rows, full, strides};
}

template <class T>
Matrix<T> rows_of_array(const TensorView<T>& x, Index sample_mode, const Run& run) {
  const Index samples = x.size(sample_mode);
  Matrix<T> out(samples, x.count() / samples);
  copy_in_order(x, row_modes(x.order(), sample_mode), out.data(), run);
  return out;
}

template <class T>
std::optional<Samples<T>> rows_in_place(const TensorView<T>& x, Index sample_mode) {
  const Index samples = x.size(sample_mode), length = x.count() / samples;
  const Shape wanted = packed_strides(x.shape(), row_modes(x.order(), sample_mode));
  for (const Index mode : other_modes(x.order(), sample_mode))
    if (x.size(mode) > 1 && x.stride(mode) != wanted[at(mode)]) return std::nullopt;
  const Index stride = samples > 1 ? x.stride(sample_mode) : length;
  if (stride < length) return std::nullopt;
  return Samples<T>::borrow(x.data(), samples, length, stride);
}

template <class T>
SparseMatrix<T> rows_of_array(const SparseTensor<T>& x, Index sample_mode) {
  const Shape places = packed_strides(x.shape(), row_modes(x.order(), sample_mode));
  const Shape others = other_modes(x.order(), sample_mode);
  SparseMatrix<T> out(x.size(sample_mode), row_length(x.shape(), sample_mode));
  out.resizeNonZeros(x.stored());
  std::int64_t* starts = out.outerIndexPtr();
  std::fill_n(starts, out.rows() + 1, 0);
  x.for_each([&](const Shape& index, T) { ++starts[index[at(sample_mode)] + 1]; });
  for (Index i = 0; i < out.rows(); ++i) starts[i + 1] += starts[i];

  std::vector<std::pair<std::int64_t, T>> entries(at(x.stored()));
  std::vector<std::int64_t> next(starts, starts + out.rows());
  x.for_each([&](const Shape& index, T value) {
    std::int64_t column = 0;
    for (const Index mode : others) column += index[at(mode)] * places[at(mode)];
    entries[at(next[at(index[at(sample_mode)])]++)] = {column, value};
  });
  for (Index i = 0; i < out.rows(); ++i)
    std::sort(entries.begin() + starts[i], entries.begin() + starts[i + 1],
              [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t e = 0; e < entries.size(); ++e) {
    out.innerIndexPtr()[e] = entries[e].first;
    out.valuePtr()[e] = entries[e].second;
  }
  return out;
}

template <class T>
void copy_to(const TensorView<T>& x, T* out, const Shape& strides, const Run& run) {
  const PairedWalk walk(x.shape(), x.strides(), strides);
  parallel_for(walk.groups(), run, [&](Index group) {
    walk.for_each_tile(group, [&](const PairedWalk::Tile& tile) {
      const T* from = x.data() + tile.first.offset;
      T* to = out + tile.second.offset;
      for (Index j = 0; j < tile.outer; ++j)
        for (Index i = 0; i < tile.inner; ++i)
          to[i * tile.second.inner_stride + j * tile.second.outer_stride] =
              from[i * tile.first.inner_stride + j * tile.first.outer_stride];
    });
  });
}

#define MERCER_INSTANTIATE(T)                                                        \
  template TensorView<T> array_of_rows(const T*, Index, Index, const Shape&, Index); \
  template Matrix<T> rows_of_array(const TensorView<T>&, Index, const Run&);         \
  template std::optional<Samples<T>> rows_in_place(const TensorView<T>&, Index);     \
  template SparseMatrix<T> rows_of_array(const SparseTensor<T>&, Index);             \
  template void copy_to(const TensorView<T>&, T*, const Shape&, const Run&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
