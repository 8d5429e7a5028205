// Building the tree: Morton codes, a radix sort, and cells split where the codes' next digits differ.
#include "manifold/tsne_tree.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

constexpr Index points_walked_at_once = 4096;

/// Bits 0, 1, 2 ... of x moved to 0, C, 2C ...
template <int C>
std::uint64_t spread_bits(std::uint64_t x) {
  if constexpr (C == 1) return x;
  if constexpr (C == 2) {
    x = (x | x << 16) & 0x0000ffff0000ffffULL;
    x = (x | x << 8) & 0x00ff00ff00ff00ffULL;
    x = (x | x << 4) & 0x0f0f0f0f0f0f0f0fULL;
    x = (x | x << 2) & 0x3333333333333333ULL;
    return (x | x << 1) & 0x5555555555555555ULL;
  }
  x = (x | x << 32) & 0x001f00000000ffffULL;
  x = (x | x << 16) & 0x001f0000ff0000ffULL;
  x = (x | x << 8) & 0x100f00f00f00f00fULL;
  x = (x | x << 4) & 0x10c30c30c30c30c3ULL;
  return (x | x << 2) & 0x1249249249249249ULL;
}

std::uint64_t spread_bits(std::uint64_t x, Index components) {
  return components == 1 ? spread_bits<1>(x) : components == 2 ? spread_bits<2>(x) : spread_bits<3>(x);
}

/// By the lowest `bits` of the codes, equal ones as they come: least significant digit first.
template <class Key>
void radix_sort(std::vector<Key>& keys, std::vector<Key>& other, int bits) {
  constexpr int digit = 11;
  for (int shift = 0; shift < bits; shift += digit) {
    std::array<std::size_t, (std::size_t{1} << digit) + 1> begin{};
    const auto digit_of = [shift](const Key& k) { return (k.code >> shift) & ((1U << digit) - 1); };
    for (const Key& k : keys) ++begin[digit_of(k) + 1];
    for (std::size_t v = 1; v < begin.size(); ++v) begin[v] += begin[v - 1];
    for (const Key& k : keys) other[begin[digit_of(k)]++] = k;
    keys.swap(other);
  }
}

}  // namespace

/// Around the points of a cell, with their sum.
template <class T>
struct TsneTree<T>::Box {
  T low[3], high[3];
  double sum[3] = {};
  Index count = 0;

  Box() {
    std::fill(low, low + 3, std::numeric_limits<T>::max());
    std::fill(high, high + 3, std::numeric_limits<T>::lowest());
  }
  void add(const TsneMap<T>& map, Index i) {
    for (Index c = 0; c < map.components(); ++c) {
      const T y = map.axis(c)[i];
      low[c] = std::min(low[c], y);
      high[c] = std::max(high[c], y);
      sum[c] += double(y);
    }
    ++count;
  }
  void add(const Box& other, Index components) {
    for (Index c = 0; c < components; ++c) {
      low[c] = std::min(low[c], other.low[c]);
      high[c] = std::max(high[c], other.high[c]);
      sum[c] += other.sum[c];
    }
    count += other.count;
  }
  [[nodiscard]] T longest_side(Index components) const {
    T side = 0;
    for (Index c = 0; c < components; ++c) side = std::max(side, high[c] - low[c]);
    return side;
  }
};

template <class T>
TsneTree<T>::TsneTree(Index points, Index components)
    : sorted_(points, components),
      order_(static_cast<std::size_t>(points)),
      keys_(static_cast<std::size_t>(points)),
      other_keys_(static_cast<std::size_t>(points)) {}

template <class T>
void TsneTree<T>::build(const TsneMap<T>& map, const Run& run) {
  sort_points(map, run);
  cells_.clear();
  Box box;
  if (map.points() > 0) add_cell(0, map.points(), 0, box);
}

template <class T>
void TsneTree<T>::sort_points(const TsneMap<T>& map, const Run& run) {
  require_finite(map, run);
  const Index n = map.points(), components = map.components();
  Box box;
  for (Index i = 0; i < n; ++i) box.add(map, i);
  // The whole map is one cell: a little more than its longest side.
  const double side = double(box.longest_side(components)), cells = double(1 << levels);
  const double scale = side > 0 ? (cells - 1) / side : 0;
  for_chunks(n, points_walked_at_once, run, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      std::uint64_t code = 0;
      for (Index c = 0; c < components; ++c) {
        const double place = (double(map.axis(c)[i]) - double(box.low[c])) * scale;
        code |= spread_bits(static_cast<std::uint64_t>(place), components) << c;
      }
      keys_[static_cast<std::size_t>(i)] = {code, static_cast<std::int32_t>(i)};
    }
  });
  radix_sort(keys_, other_keys_, levels * static_cast<int>(components));
  for_chunks(n, points_walked_at_once, run, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const std::int32_t point = keys_[static_cast<std::size_t>(i)].point;
      order_[static_cast<std::size_t>(i)] = point;
      for (Index c = 0; c < components; ++c) sorted_.axis(c)[i] = map.axis(c)[point];
    }
  });
}

/// The points [first, last) share the digits above `level`; a digit is one bit an axis.
template <class T>
void TsneTree<T>::add_cell(Index first, Index last, int level, Box& box) {
  const int components = static_cast<int>(sorted_.components());
  const auto code = [&](Index i) { return keys_[static_cast<std::size_t>(i)].code; };
  const auto shift = [&](int l) { return components * (levels - 1 - l); };
  // Levels at which nothing parts are passed over.
  while (level < levels && code(first) >> shift(level) == code(last - 1) >> shift(level)) ++level;
  const auto at = cells_.size();
  cells_.emplace_back();
  if (last - first <= leaf || level == levels) {
    for (Index i = first; i < last; ++i) box.add(sorted_, i);
    cells_[at].first = static_cast<std::int32_t>(first);
    cells_[at].last = static_cast<std::int32_t>(last);
  } else {
    for (Index begin = first; begin < last;) {
      const std::uint64_t child = code(begin) >> shift(level);
      Index low = begin + 1, high = last;  // the first point of the next child, by bisection
      while (low < high) {
        const Index middle = (low + high) / 2;
        if (code(middle) >> shift(level) == child)
          low = middle + 1;
        else
          high = middle;
      }
      Box part;
      add_cell(begin, low, level + 1, part);
      box.add(part, components);
      begin = low;
    }
    cells_[at].first = cells_[at].last = 0;
  }
  Cell& cell = cells_[at];
  for (int c = 0; c < 3; ++c) cell.center[c] = c < components ? T(box.sum[c] / double(box.count)) : T(0);
  cell.count = T(box.count);
  const T side = box.longest_side(components);
  cell.width2 = side * side;
  cell.skip = static_cast<std::int32_t>(cells_.size());
}

template class TsneTree<float>;
template class TsneTree<double>;

}  // namespace mercer
