// Sparse tensors as trees of fibres (compressed sparse fibres: Smith, Karypis 2015), built from coordinates
// with little memory beside them: they are sorted where they lie, the last level keeps their array, and each
// other level's is freed as soon as its nodes are known.
#include <mercer/error.hpp>
#include <mercer/tensor.hpp>

#include "base/at.hpp"
#include "tensor/entry_sort.hpp"
#include "tensor/fibers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace mercer {
namespace {

/// The sizes may multiply to more than can be counted: a sparse tensor never is written out.
void require_sparse_shape(const Shape& shape) {
  if (shape.empty()) (void)element_count(shape);
  for (std::size_t m = 0; m < shape.size(); ++m)
    if (shape[m] < 1 || shape[m] - 1 > std::numeric_limits<std::uint32_t>::max())
      throw Error(ErrorCode::usage,
                  fmt::format("mode {} of a sparse {} tensor has size {}", m, to_string(shape), shape[m]),
                  "sizes go from 1 to 4294967296");
}

template <class T>
void require_good_entries(const Coordinates<T>& entries) {
  require_sparse_shape(entries.shape);
  const std::size_t order = entries.shape.size(), count = entries.values.size();
  if (entries.index.size() != order)
    throw Error(
        ErrorCode::usage,
        fmt::format("{} arrays of indices for a {} tensor", entries.index.size(), to_string(entries.shape)),
        "one a mode");
  for (std::size_t m = 0; m < order; ++m)
    if (entries.index[m].size() != count)
      throw Error(ErrorCode::usage,
                  fmt::format("{} indices of mode {} for {} values", entries.index[m].size(), m, count),
                  "every entry needs an index in each mode");
  for (std::size_t m = 0; m < order; ++m) {
    const auto& index = entries.index[m];
    const auto wrong = std::find_if(index.begin(), index.end(),
                                    [&](std::uint32_t i) { return Index(i) >= entries.shape[m]; });
    if (wrong != index.end())
      throw Error(ErrorCode::bad_data,
                  fmt::format("entry {} has index {} in mode {} of a {} tensor", wrong - index.begin(),
                              *wrong, m, to_string(entries.shape)),
                  fmt::format("indices of this mode count from 0 to {}", entries.shape[m] - 1));
  }
}

/// The modes from the smallest to the largest.
Shape modes_by_size(const Shape& shape) {
  Shape modes = first_fastest_modes(static_cast<Index>(shape.size()));
  std::stable_sort(modes.begin(), modes.end(), [&](Index a, Index b) { return shape[at(a)] < shape[at(b)]; });
  return modes;
}

/// Adds up neighbours at the same place; begins[e]: entry e differs from the one before.
template <class T>
void add_up(std::vector<std::uint32_t>& index, std::vector<T>& values, const std::vector<bool>& begins) {
  std::size_t kept = 0;
  for (std::size_t e = 0; e < values.size();) {
    double sum = 0;
    const std::uint32_t i = index[e];
    do sum += static_cast<double>(values[e++]);
    while (e < values.size() && !begins[e]);
    index[kept] = i;
    values[kept++] = static_cast<T>(sum);
  }
  if (kept == values.size()) return;
  index.resize(kept);
  index.shrink_to_fit();
  values.resize(kept);
  values.shrink_to_fit();
}

/// use(entry, index) for all entries of the tree, in order.
template <class T, class Use>
void walk(const SparseTensor<T>& x, const Use& use) {
  const Index last = x.order() - 1;
  Shape node(x.shape().size(), -1), index(x.shape().size());  // where the walk is on each level
  for (Index e = 0; e < x.stored(); ++e) {
    node[at(last)] = e;
    index[at(x.modes()[at(last)])] = x.index(last)[at(e)];
    for (Index l = last - 1; l >= 0; --l) {
      Index& here = node[at(l)];
      if (here >= 0 && x.first_child(l)[at(here + 1)] > node[at(l + 1)]) break;
      ++here;
      index[at(x.modes()[at(l)])] = x.index(l)[at(here)];
    }
    use(e, index);
  }
}

/// The non-zero elements, in the order in which they lie.
template <class T>
Coordinates<T> nonzeros(const TensorView<T>& x) {
  require_sparse_shape(x.shape());
  const Shape modes = modes_by_stride(x);
  Coordinates<T> out{x.shape(), std::vector<std::vector<std::uint32_t>>(x.shape().size()), {}};
  const auto for_each = [&](const auto& use) {
    Shape index(x.shape().size());
    const T* element = x.data();
    for (Index e = 0; e < x.count(); ++e) {
      if (*element != T(0)) use(index, *element);
      for (const Index mode : modes) {
        element += x.stride(mode);
        if (++index[at(mode)] < x.size(mode)) break;
        element -= x.stride(mode) * x.size(mode);
        index[at(mode)] = 0;
      }
    }
  };
  std::size_t count = 0;
  for_each([&](const Shape&, T) { ++count; });
  for (auto& index : out.index) index.reserve(count);
  out.values.reserve(count);
  for_each([&](const Shape& index, T value) {
    for (std::size_t m = 0; m < index.size(); ++m)
      out.index[m].push_back(static_cast<std::uint32_t>(index[m]));
    out.values.push_back(value);
  });
  return out;
}

}  // namespace

template <class T>
SparseTensor<T>::SparseTensor(Coordinates<T> entries) {
  require_good_entries(entries);
  shape_ = entries.shape;
  modes_ = modes_by_size(shape_);
  const std::size_t levels = shape_.size(), count = entries.values.size();
  std::vector<std::vector<std::uint32_t>*> sorted;
  Shape sizes;
  for (const Index mode : modes_) {
    sorted.push_back(&entries.index[at(mode)]);
    sizes.push_back(size(mode));
  }
  sort_entries<T>(sorted, sizes, entries.values);

  index_.resize(levels);
  first_child_.resize(levels - 1);
  // A node begins where an index of its level or of one above differs from the entry before.
  std::vector<bool> parents(count), begins(count);
  Index above = 0;
  for (std::size_t l = 0; l < levels; ++l) {
    const std::vector<std::uint32_t>& index = *sorted[l];
    Index nodes = 0;
    for (std::size_t e = 0; e < count; ++e) {
      begins[e] = parents[e] || e == 0 || index[e] != index[e - 1];
      nodes += begins[e];
    }
    if (l > 0) {
      std::vector<Index>& child = first_child_[l - 1];
      child.reserve(at(above + 1));
      Index node = 0;
      for (std::size_t e = 0; e < count; ++e) {
        if (parents[e]) child.push_back(node);
        node += begins[e];
      }
      child.push_back(node);
    }
    if (l + 1 == levels) break;
    index_[l].reserve(at(nodes));
    for (std::size_t e = 0; e < count; ++e)
      if (begins[e]) index_[l].push_back(index[e]);
    std::vector<std::uint32_t>().swap(*sorted[l]);
    parents = begins;
    above = nodes;
  }
  add_up(*sorted.back(), entries.values, begins);
  index_.back() = std::move(*sorted.back());
  values_ = std::move(entries.values);
}

template <class T>
SparseTensor<T>::SparseTensor(const TensorView<T>& dense) : SparseTensor(nonzeros(dense)) {}

template <class T>
std::size_t SparseTensor<T>::bytes() const {
  std::size_t bytes = values_.size() * sizeof(T);
  for (const auto& index : index_) bytes += index.size() * sizeof(std::uint32_t);
  for (const auto& child : first_child_) bytes += child.size() * sizeof(Index);
  return bytes;
}

template <class T>
void SparseTensor<T>::for_each(const std::function<void(const Shape& index, T value)>& use) const {
  walk(*this, [&](Index e, const Shape& index) { use(index, values_[at(e)]); });
}

template <class T>
Coordinates<T> SparseTensor<T>::coordinates() const {
  Coordinates<T> out{shape_, {}, values_};
  out.index.assign(shape_.size(), std::vector<std::uint32_t>(values_.size()));
  walk(*this, [&](Index e, const Shape& index) {
    for (std::size_t m = 0; m < index.size(); ++m) out.index[m][at(e)] = static_cast<std::uint32_t>(index[m]);
  });
  return out;
}

template <class T>
Tensor<T> SparseTensor<T>::to_dense() const {
  Tensor<T> out(shape_);
  const Shape strides = packed_strides(shape_, first_fastest_modes(order()));
  walk(*this, [&](Index e, const Shape& index) {
    const Index place = std::inner_product(index.begin(), index.end(), strides.begin(), Index(0));
    out.values()[place] = values_[at(e)];
  });
  return out;
}

template <class T>
SparseTensor<T> SparseTensor<T>::with_values(std::vector<T> values) const {
  if (values.size() != values_.size())
    throw Error(ErrorCode::usage,
                fmt::format("{} values for a sparse tensor of {} entries", values.size(), values_.size()),
                "one value an entry, in the order of the tree");
  SparseTensor out;
  out.shape_ = shape_;
  out.modes_ = modes_;
  out.index_ = index_;
  out.first_child_ = first_child_;
  out.values_ = std::move(values);
  return out;
}

template class SparseTensor<float>;
template class SparseTensor<double>;

}  // namespace mercer
