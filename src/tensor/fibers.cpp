// Packed tensors as seen from one mode.
#include "tensor/fibers.hpp"

#include "base/at.hpp"
#include "base/pages.hpp"
#include "tensor/reorder.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace mercer {
namespace {

/// A tile of a transposition that stays in the first cache.
constexpr Index square = 16;

/// Calls use(f, s, c, count) for each run of fibres (f .. f + count, s), c being the first one's place.
template <class Use>
void for_each_run(const ModeSplit& split, Span fibers, const Use& use) {
  for (Index c = fibers.first; c < fibers.last;) {
    const Index f = c % split.fast, s = c / split.fast;
    const Index count = std::min(split.fast - f, fibers.last - c);
    use(f, s, c - fibers.first, count);
    c += count;
  }
}

}  // namespace

void require_mode(const Shape& shape, Index mode) {
  if (mode >= 0 && mode < static_cast<Index>(shape.size())) return;
  throw Error(ErrorCode::usage, fmt::format("a {} tensor has no mode {}", to_string(shape), mode),
              fmt::format("modes count from 0 to {}", static_cast<Index>(shape.size()) - 1));
}

void require_same_shape(const Shape& x, const Shape& y, const char* what) {
  if (x == y) return;
  throw Error(ErrorCode::usage, fmt::format("{} of a {} and a {} tensor", what, to_string(x), to_string(y)),
              "both need the same shape");
}

Shape first_fastest_modes(Index order) {
  Shape modes(at(order));
  std::iota(modes.begin(), modes.end(), Index(0));
  return modes;
}

Shape packed_strides(const Shape& shape, const Shape& modes) {
  Shape strides(shape.size());
  Index stride = 1;
  for (const Index mode : modes) {
    strides[at(mode)] = stride;
    stride *= shape[at(mode)];
  }
  return strides;
}

template <class T>
Shape modes_by_stride(const TensorView<T>& x) {
  Shape modes = first_fastest_modes(x.order());
  std::stable_sort(modes.begin(), modes.end(), [&](Index a, Index b) { return x.stride(a) < x.stride(b); });
  return modes;
}

ModeSplit split(const Shape& shape, const Shape& modes, Index mode) {
  ModeSplit out{1, shape[at(mode)], 1};
  bool before = true;
  for (const Index m : modes) {
    if (m == mode)
      before = false;
    else
      (before ? out.fast : out.slow) *= shape[at(m)];
  }
  return out;
}

template <class T>
ModeSplit split(const TensorView<T>& packed, Index mode) {
  return split(packed.shape(), modes_by_stride(packed), mode);
}

template <class T>
TensorView<T> packed_copy_if_needed(const TensorView<T>& x, const Run& run) {
  if (x.packed()) return x;
  const auto copy = std::make_shared<PackedTensor<T>>(x.shape(), modes_by_stride(x));
  copy_in_order(x, copy->modes(), copy->data(), run);
  const TensorView<T> view = copy->view();
  return {view.data(), view.shape(), view.strides(), copy};
}

template <class T>
PackedTensor<T>::PackedTensor(Shape shape, Shape modes)
    : shape_(std::move(shape)), modes_(std::move(modes)), values_(element_count(shape_)) {
  ask_for_huge_pages(values_.data(), at(values_.size()) * sizeof(T));
}

template <class T>
Tensor<T> PackedTensor<T>::to_tensor(const Run& run) && {
  const Shape wanted = first_fastest_modes(order());
  // Modes of size 1 may stand anywhere: what counts is where the elements lie.
  Shape here = modes_;
  std::erase_if(here, [&](Index mode) { return size(mode) == 1; });
  if (std::is_sorted(here.begin(), here.end())) return Tensor<T>(std::move(shape_), std::move(values_));
  PackedTensor out(shape_, wanted);
  copy_in_order(view(), wanted, out.data(), run);
  return Tensor<T>(std::move(out.shape_), std::move(out.values_));
}

template <class From, class To>
void gather_fibers(const From* x, const ModeSplit& split, Span fibers, Span entries, To* out) {
  const Index rows = entries.count();
  for_each_run(split, fibers, [&](Index f, Index s, Index c, Index count) {
    const From* from = x + f + split.fast * entries.first + split.block() * s;
    To* to = out + rows * c;
    for (Index j0 = 0; j0 < count; j0 += square)
      for (Index i0 = 0; i0 < rows; i0 += square)
        for (Index j = j0; j < std::min(count, j0 + square); ++j)
          for (Index i = i0; i < std::min(rows, i0 + square); ++i)
            to[i + rows * j] = static_cast<To>(from[j + split.fast * i]);
  });
}

template <class T>
void scatter_fibers(const T* in, const ModeSplit& split, Span fibers, T* x) {
  for_each_run(split, fibers, [&](Index f, Index s, Index c, Index count) {
    T* to = x + f + split.block() * s;
    const T* from = in + split.size * c;
    for (Index i0 = 0; i0 < split.size; i0 += square)
      for (Index j0 = 0; j0 < count; j0 += square)
        for (Index i = i0; i < std::min(split.size, i0 + square); ++i)
          for (Index j = j0; j < std::min(count, j0 + square); ++j)
            to[j + split.fast * i] = from[i + split.size * j];
  });
}

#define MERCER_INSTANTIATE(T)                                                     \
  template Shape modes_by_stride(const TensorView<T>&);                           \
  template ModeSplit split(const TensorView<T>&, Index);                          \
  template TensorView<T> packed_copy_if_needed(const TensorView<T>&, const Run&); \
  template class PackedTensor<T>;                                                 \
  template void gather_fibers(const T*, const ModeSplit&, Span, Span, double*);   \
  template void scatter_fibers(const T*, const ModeSplit&, Span, T*);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE
template void gather_fibers(const float*, const ModeSplit&, Span, Span, float*);

}  // namespace mercer
