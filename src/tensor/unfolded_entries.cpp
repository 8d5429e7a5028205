// Dense tensors as matrices, tile by tile.
#include "tensor/unfolded_entries.hpp"

#include "base/at.hpp"
#include "tensor/fibers.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace mercer {
namespace {

Index product_of(const Shape& shape, const Shape& modes, Index from, Index to) {
  Index out = 1;
  for (Index m = from; m < to; ++m) out *= shape[at(modes[at(m)])];
  return out;
}

/// The distance from column to column, if each column is one piece and the columns are equally far apart.
template <class T>
std::optional<Index> column_stride(const TensorView<T>& x, const Unfolding& u) {
  Index expected = 1, stride = 0;
  for (Index m = 0; m < x.order(); ++m) {
    const Index mode = u.modes[at(m)];
    if (x.size(mode) == 1) continue;
    if (m >= u.cut && stride == 0) expected = stride = x.stride(mode);
    if (x.stride(mode) != expected) return std::nullopt;
    expected *= x.size(mode);
  }
  if (stride != 0 && stride < u.rows) return std::nullopt;  // BLAS has no columns that overlap
  return stride == 0 ? u.rows : stride;
}

/// Where rows or columns [first, first + count) lie: those of the modes [from, to).
void offsets(const Unfolding& u, const Shape& strides, Index from, Index to, Index first, Index count,
             std::vector<Index>& out) {
  std::vector<Index> index(at(to - from));
  Index rest = first, place = 0;
  for (Index m = from; m < to; ++m) {
    const std::size_t mode = at(u.modes[at(m)]);
    index[at(m - from)] = rest % u.shape[mode];
    place += index[at(m - from)] * strides[mode];
    rest /= u.shape[mode];
  }
  out.resize(at(count));
  for (Index& offset : out) {
    offset = place;
    for (Index m = from; m < to; ++m) {
      const std::size_t mode = at(u.modes[at(m)]);
      place += strides[mode];
      if (++index[at(m - from)] < u.shape[mode]) break;
      place -= strides[mode] * u.shape[mode];
      index[at(m - from)] = 0;
    }
  }
}

template <class T>
class PlainEntries final : public UnfoldedEntries<T> {
 public:
  PlainEntries(const TensorView<T>& x, const Unfolding& unfolding)
      : UnfoldedEntries<T>(unfolding), x_(x), stride_(column_stride(x, unfolding)) {}

  typename UnfoldedEntries<T>::Tile tile(Index row, Index rows, Index column, Index columns,
                                         T* scratch) const override {
    if (stride_) return {x_.data() + row + column * *stride_, *stride_};
    thread_local std::vector<Index> down, across;
    const Unfolding& u = this->unfolding();
    offsets(u, x_.strides(), 0, u.cut, row, rows, down);
    offsets(u, x_.strides(), u.cut, x_.order(), column, columns, across);
    T* out = scratch;
    for (const Index j : across)
      for (const Index i : down) *out++ = x_.data()[j + i];
    return {scratch, rows};
  }

 private:
  TensorView<T> x_;
  std::optional<Index> stride_;
};

template <class T>
class KnownEntries final : public UnfoldedEntries<T> {
 public:
  KnownEntries(EntriesPointer<T> x, EntriesPointer<T> weights, Known what)
      : UnfoldedEntries<T>(x->unfolding()), x_(std::move(x)), weights_(std::move(weights)), what_(what) {}

  typename UnfoldedEntries<T>::Tile tile(Index row, Index rows, Index column, Index columns,
                                         T* scratch) const override {
    const auto x = x_->tile(row, rows, column, columns, scratch);
    typename UnfoldedEntries<T>::Tile w = x;
    if (weights_) {
      thread_local std::vector<T> more;
      more.resize(at(rows * columns));
      w = weights_->tile(row, rows, column, columns, more.data());
    }
    for (Index j = 0; j < columns; ++j)
      write(x.data + j * x.stride, w.data + j * w.stride, rows, scratch + j * rows);
    return {scratch, rows};
  }

 private:
  /// x may be `out` itself.
  void write(const T* x, const T* w, Index rows, T* out) const {
    if (!weights_ && what_ == Known::values)
      for (Index i = 0; i < rows; ++i) out[i] = std::isnan(x[i]) ? T(0) : x[i];
    else if (!weights_)
      for (Index i = 0; i < rows; ++i) out[i] = std::isnan(x[i]) ? T(0) : T(1);
    else if (what_ == Known::values)
      for (Index i = 0; i < rows; ++i) out[i] = w[i] == 0 || std::isnan(x[i]) ? T(0) : w[i] * x[i];
    else
      for (Index i = 0; i < rows; ++i) out[i] = std::isnan(x[i]) ? T(0) : w[i];
  }

  EntriesPointer<T> x_, weights_;
  Known what_;
};

}  // namespace

Index best_cut(const Shape& shape, const Shape& modes) {
  const auto order = static_cast<Index>(modes.size());
  Index best = 1, larger = 0;
  for (Index cut = 1; cut < std::max<Index>(2, order); ++cut) {
    const Index side = std::max(product_of(shape, modes, 0, cut), product_of(shape, modes, cut, order));
    if (larger == 0 || side < larger) best = cut, larger = side;
  }
  return best;
}

Unfolding::Unfolding(Shape shape_of_tensor, Shape modes_by_stride)
    : shape(std::move(shape_of_tensor)), modes(std::move(modes_by_stride)), cut(best_cut(shape, modes)) {
  rows = product_of(shape, modes, 0, cut);
  columns = product_of(shape, modes, cut, static_cast<Index>(modes.size()));
}

Shape Unfolding::index(Index row, Index column) const {
  Shape out(shape.size());
  for (Index m = 0; m < static_cast<Index>(modes.size()); ++m) {
    const std::size_t mode = at(modes[at(m)]);
    Index& rest = m < cut ? row : column;
    out[mode] = rest % shape[mode];
    rest /= shape[mode];
  }
  return out;
}

template <class T>
EntriesPointer<T> unfolded_entries(const TensorView<T>& x) {
  return unfolded_entries(x, Unfolding(x.shape(), modes_by_stride(x)));
}

template <class T>
EntriesPointer<T> unfolded_entries(const TensorView<T>& x, const Unfolding& unfolding) {
  return std::make_shared<PlainEntries<T>>(x, unfolding);
}

template <class T>
EntriesPointer<T> entries_with_gaps(EntriesPointer<T> x, EntriesPointer<T> weights, Known what) {
  return std::make_shared<KnownEntries<T>>(std::move(x), std::move(weights), what);
}

#define MERCER_INSTANTIATE(T)                                                             \
  template EntriesPointer<T> unfolded_entries<T>(const TensorView<T>&);                   \
  template EntriesPointer<T> unfolded_entries<T>(const TensorView<T>&, const Unfolding&); \
  template EntriesPointer<T> entries_with_gaps<T>(EntriesPointer<T>, EntriesPointer<T>, Known);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
