// The inner loop of every pass. For each panel of rows of the tile, the rows of y_I stay in registers
// while v_J and y_J stream by; one broadcast of K_ij feeds two multiply-adds.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "operator/tile_product.cpp"
#include <hwy/foreach_target.h>
// (foreach_target must come first)
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "operator/tile_product.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace mercer::tile::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

/// Without vectors: one column of V at a time.
template <class T>
void MultiplyPlain(const float* k, Index vectors, const T* v_j, T* y_i, const T* v_i, T* y_j) {
  for (Index c = 0; c < vectors; ++c, v_j += size, y_i += size, v_i += size, y_j += y_j ? size : 0)
    for (Index p = 0; p < plane; ++p) {
      const Index row = p / size, j = p % size;
      const float* at = k + row / panel * panel * size + j / 2 * 2 * panel + row % panel * 2 + j % 2;
      const T value = sizeof(T) == sizeof(double) ? T(at[0]) + T(at[plane]) : T(at[0]);
      y_i[row] += value * v_j[j];
      if (y_j) y_j[j] += value * v_i[row];
    }
}
void MultiplyFloat(const float* k, Index vectors, const float* v_j, float* y_i, const float* v_i,
                   float* y_j) {
  MultiplyPlain(k, vectors, v_j, y_i, v_i, y_j);
}
void MultiplyDouble(const float* k, Index vectors, const double* v_j, double* y_i, const double* v_i,
                    double* y_j) {
  MultiplyPlain(k, vectors, v_j, y_i, v_i, y_j);
}
template <class T>
void MultiplyRowsPlain(const T* k, Index rows, Index vectors, const T* v_j, T* y_i, const T* v_i, T* y_j) {
  for (Index c = 0; c < vectors; ++c, v_j += size, y_i += size, v_i += size, y_j += y_j ? size : 0)
    for (Index p = 0; p < rows * size; ++p) {
      y_i[p / size] += k[p] * v_j[p % size];
      if (y_j) y_j[p % size] += k[p] * v_i[p / size];
    }
}
void MultiplyRowsFloat(const float* k, Index rows, Index vectors, const float* v_j, float* y_i,
                       const float* v_i, float* y_j) {
  MultiplyRowsPlain(k, rows, vectors, v_j, y_i, v_i, y_j);
}
void MultiplyRowsDouble(const double* k, Index rows, Index vectors, const double* v_j, double* y_i,
                        const double* v_i, double* y_j) {
  MultiplyRowsPlain(k, rows, vectors, v_j, y_i, v_i, y_j);
}
Index Width() { return 1; }

#else

// One vector of doubles and one of twice as many floats, both a full register.
using D = hn::ScalableTag<double>;
using F = hn::Repartition<float, D>;

#if HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_SSSE3 || HWY_TARGET == HWY_AVX2
constexpr int rows_in_registers = 4;                 // 16 registers
constexpr Index together = 2;                        // groups of vectors that find room in the nearest cache
#else
constexpr int rows_in_registers = 8;  // 32 registers
constexpr Index together = 1;
#endif
constexpr Index pair = 2 * panel;                    // values of two columns of a panel
constexpr Index sweeps = panel / rows_in_registers;  // over a panel, for one group of vectors

/// (K_ij, K_ij+1) in every pair of lanes.
template <class Tag>
HWY_INLINE hn::Vec<Tag> BroadcastPair(Tag f, const float* k) {
  double both;
  std::memcpy(&both, k, sizeof both);
  return hn::BitCast(f, hn::Set(hn::Repartition<double, Tag>(), both));
}

/// y_I in pairs of lanes that hold the sums over even and odd columns: rows r and r + 1 interleaved.
template <class Tag>
HWY_INLINE hn::Vec<Tag> JoinRows(Tag f, hn::Vec<Tag> even_row, hn::Vec<Tag> odd_row) {
  return hn::OddEven(hn::Add(odd_row, hn::Reverse2(f, odd_row)),
                     hn::Add(even_row, hn::Reverse2(f, even_row)));
}

// Where a panel has its values: row r of the columns 2j and 2j + 1 begins at r·row + j·columns.
struct PackedPanel {
  static constexpr Index row = 2, columns = pair;
};
struct PlainPanel {  // rows of `size` values
  static constexpr Index row = size, columns = 2;
};

/// What a sweep over a panel fetches from memory meanwhile: a part of the panel after it, so much a step.
struct Fetch {
  const float* from;
  Index step;
};

/// Two columns of `rows_in_registers` rows a step, for the vectors in the first lanes, as many as the tag
/// has.
template <bool both, class Layout, class Tag>
HWY_INLINE void PanelFloat(Tag f, const float* HWY_RESTRICT k, Fetch fetch, const float* HWY_RESTRICT v_j,
                           float* HWY_RESTRICT y_i, const float* HWY_RESTRICT v_i, float* HWY_RESTRICT y_j) {
  using V = hn::Vec<Tag>;
  const Index w = static_cast<Index>(hn::Lanes(F()));  // of two interleaved rows
  for (int first = 0; first < panel; first += rows_in_registers) {
    V a0 = hn::Zero(f), a1 = a0, a2 = a0, a3 = a0;
    const V p0 = hn::LoadU(f, v_i + first / 2 * w), p1 = hn::LoadU(f, v_i + (first / 2 + 1) * w);
    const V x0 = hn::DupEven(p0), x1 = hn::DupOdd(p0), x2 = hn::DupEven(p1), x3 = hn::DupOdd(p1);
    const float* HWY_RESTRICT columns = k + first * Layout::row;
    if constexpr (rows_in_registers == 8) {
      V a4 = a0, a5 = a0, a6 = a0, a7 = a0;
      const V p2 = hn::LoadU(f, v_i + 2 * w), p3 = hn::LoadU(f, v_i + 3 * w);
      const V x4 = hn::DupEven(p2), x5 = hn::DupOdd(p2), x6 = hn::DupEven(p3), x7 = hn::DupOdd(p3);
      for (Index j = 0; j < size / 2; ++j, columns += Layout::columns) {
        if constexpr (std::is_same_v<Layout, PackedPanel>) hwy::Prefetch(fetch.from + j * fetch.step);
        const V v = hn::LoadU(f, v_j + j * w);
        const V k0 = BroadcastPair(f, columns), k1 = BroadcastPair(f, columns + 1 * Layout::row),
                k2 = BroadcastPair(f, columns + 2 * Layout::row),
                k3 = BroadcastPair(f, columns + 3 * Layout::row),
                k4 = BroadcastPair(f, columns + 4 * Layout::row),
                k5 = BroadcastPair(f, columns + 5 * Layout::row),
                k6 = BroadcastPair(f, columns + 6 * Layout::row),
                k7 = BroadcastPair(f, columns + 7 * Layout::row);
        a0 = hn::MulAdd(k0, v, a0), a1 = hn::MulAdd(k1, v, a1), a2 = hn::MulAdd(k2, v, a2),
        a3 = hn::MulAdd(k3, v, a3);
        a4 = hn::MulAdd(k4, v, a4), a5 = hn::MulAdd(k5, v, a5), a6 = hn::MulAdd(k6, v, a6),
        a7 = hn::MulAdd(k7, v, a7);
        if constexpr (both) {
          V s = hn::MulAdd(k0, x0, hn::LoadU(f, y_j + j * w)), t = hn::Mul(k1, x1);
          s = hn::MulAdd(k2, x2, s), t = hn::MulAdd(k3, x3, t);
          s = hn::MulAdd(k4, x4, s), t = hn::MulAdd(k5, x5, t);
          s = hn::MulAdd(k6, x6, s), t = hn::MulAdd(k7, x7, t);
          hn::StoreU(hn::Add(s, t), f, y_j + j * w);
        }
      }
      hn::StoreU(hn::Add(hn::LoadU(f, y_i + 2 * w), JoinRows(f, a4, a5)), f, y_i + 2 * w);
      hn::StoreU(hn::Add(hn::LoadU(f, y_i + 3 * w), JoinRows(f, a6, a7)), f, y_i + 3 * w);
    } else {
      for (Index j = 0; j < size / 2; ++j, columns += Layout::columns) {
        if constexpr (std::is_same_v<Layout, PackedPanel>) hwy::Prefetch(fetch.from + j * fetch.step);
        const V v = hn::LoadU(f, v_j + j * w);
        const V k0 = BroadcastPair(f, columns), k1 = BroadcastPair(f, columns + 1 * Layout::row),
                k2 = BroadcastPair(f, columns + 2 * Layout::row),
                k3 = BroadcastPair(f, columns + 3 * Layout::row);
        a0 = hn::MulAdd(k0, v, a0), a1 = hn::MulAdd(k1, v, a1), a2 = hn::MulAdd(k2, v, a2),
        a3 = hn::MulAdd(k3, v, a3);
        if constexpr (both) {
          V s = hn::MulAdd(k0, x0, hn::LoadU(f, y_j + j * w)), t = hn::Mul(k1, x1);
          s = hn::MulAdd(k2, x2, s), t = hn::MulAdd(k3, x3, t);
          hn::StoreU(hn::Add(s, t), f, y_j + j * w);
        }
      }
    }
    fetch.from += size / 2 * fetch.step;
    float* HWY_RESTRICT out = y_i + first / 2 * w;
    hn::StoreU(hn::Add(hn::LoadU(f, out), JoinRows(f, a0, a1)), f, out);
    hn::StoreU(hn::Add(hn::LoadU(f, out + w), JoinRows(f, a2, a3)), f, out + w);
  }
}

/// Two columns of a panel, all 8 rows, put together from their two planes.
HWY_INLINE void JoinPlanes(const float* HWY_RESTRICT high, const float* HWY_RESTRICT low,
                           double* HWY_RESTRICT out) {
  const D d;
  const hn::Rebind<float, D> half;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index i = 0; i < pair; i += lanes)
    hn::Store(
        hn::Add(hn::PromoteTo(d, hn::LoadU(half, high + i)), hn::PromoteTo(d, hn::LoadU(half, low + i))), d,
        out + i);
}

/// The same for a panel of doubles.
template <bool both, class Layout, class Tag>
HWY_INLINE void PanelDouble(Tag d, const double* HWY_RESTRICT k, Fetch fetch, const double* HWY_RESTRICT v_j,
                            double* HWY_RESTRICT y_i, const double* HWY_RESTRICT v_i,
                            double* HWY_RESTRICT y_j) {
  using V = hn::Vec<Tag>;
  const Index w = static_cast<Index>(hn::Lanes(D()));
  for (int first = 0; first < panel; first += rows_in_registers) {
    V a0 = hn::LoadU(d, y_i + (first + 0) * w), a1 = hn::LoadU(d, y_i + (first + 1) * w);
    V a2 = hn::LoadU(d, y_i + (first + 2) * w), a3 = hn::LoadU(d, y_i + (first + 3) * w);
    const V x0 = hn::LoadU(d, v_i + (first + 0) * w), x1 = hn::LoadU(d, v_i + (first + 1) * w);
    const V x2 = hn::LoadU(d, v_i + (first + 2) * w), x3 = hn::LoadU(d, v_i + (first + 3) * w);
    const double* HWY_RESTRICT columns = k + first * Layout::row;
    if constexpr (rows_in_registers == 8) {
      V a4 = hn::LoadU(d, y_i + 4 * w), a5 = hn::LoadU(d, y_i + 5 * w);
      V a6 = hn::LoadU(d, y_i + 6 * w), a7 = hn::LoadU(d, y_i + 7 * w);
      const V x4 = hn::LoadU(d, v_i + 4 * w), x5 = hn::LoadU(d, v_i + 5 * w);
      const V x6 = hn::LoadU(d, v_i + 6 * w), x7 = hn::LoadU(d, v_i + 7 * w);
      for (Index j = 0; j < size; j += 2, columns += Layout::columns) {
        if constexpr (std::is_same_v<Layout, PackedPanel>) {
          hwy::Prefetch(fetch.from + j / 2 * fetch.step);
          hwy::Prefetch(fetch.from + plane + j / 2 * fetch.step);
        }
        for (Index odd = 0; odd < 2; ++odd) {
          const double* HWY_RESTRICT column = columns + odd;
          const V v = hn::LoadU(d, v_j + (j + odd) * w);
          const V k0 = hn::Set(d, column[0]), k1 = hn::Set(d, column[1 * Layout::row]),
                  k2 = hn::Set(d, column[2 * Layout::row]), k3 = hn::Set(d, column[3 * Layout::row]);
          const V k4 = hn::Set(d, column[4 * Layout::row]), k5 = hn::Set(d, column[5 * Layout::row]),
                  k6 = hn::Set(d, column[6 * Layout::row]), k7 = hn::Set(d, column[7 * Layout::row]);
          a0 = hn::MulAdd(k0, v, a0), a1 = hn::MulAdd(k1, v, a1), a2 = hn::MulAdd(k2, v, a2),
          a3 = hn::MulAdd(k3, v, a3);
          a4 = hn::MulAdd(k4, v, a4), a5 = hn::MulAdd(k5, v, a5), a6 = hn::MulAdd(k6, v, a6),
          a7 = hn::MulAdd(k7, v, a7);
          if constexpr (both) {
            double* HWY_RESTRICT y = y_j + (j + odd) * w;
            V s = hn::MulAdd(k0, x0, hn::LoadU(d, y)), t = hn::Mul(k1, x1);
            s = hn::MulAdd(k2, x2, s), t = hn::MulAdd(k3, x3, t);
            s = hn::MulAdd(k4, x4, s), t = hn::MulAdd(k5, x5, t);
            s = hn::MulAdd(k6, x6, s), t = hn::MulAdd(k7, x7, t);
            hn::StoreU(hn::Add(s, t), d, y);
          }
        }
      }
      hn::StoreU(a4, d, y_i + 4 * w), hn::StoreU(a5, d, y_i + 5 * w);
      hn::StoreU(a6, d, y_i + 6 * w), hn::StoreU(a7, d, y_i + 7 * w);
    } else {
      for (Index j = 0; j < size; j += 2, columns += Layout::columns) {
        if constexpr (std::is_same_v<Layout, PackedPanel>) {
          hwy::Prefetch(fetch.from + j / 2 * fetch.step);
          hwy::Prefetch(fetch.from + plane + j / 2 * fetch.step);
        }
        for (Index odd = 0; odd < 2; ++odd) {
          const double* HWY_RESTRICT column = columns + odd;
          const V v = hn::LoadU(d, v_j + (j + odd) * w);
          const V k0 = hn::Set(d, column[0]), k1 = hn::Set(d, column[1 * Layout::row]),
                  k2 = hn::Set(d, column[2 * Layout::row]), k3 = hn::Set(d, column[3 * Layout::row]);
          a0 = hn::MulAdd(k0, v, a0), a1 = hn::MulAdd(k1, v, a1), a2 = hn::MulAdd(k2, v, a2),
          a3 = hn::MulAdd(k3, v, a3);
          if constexpr (both) {
            double* HWY_RESTRICT y = y_j + (j + odd) * w;
            V s = hn::MulAdd(k0, x0, hn::LoadU(d, y)), t = hn::Mul(k1, x1);
            s = hn::MulAdd(k2, x2, s), t = hn::MulAdd(k3, x3, t);
            hn::StoreU(hn::Add(s, t), d, y);
          }
        }
      }
    }
    fetch.from += size / 2 * fetch.step;
    hn::StoreU(a0, d, y_i + (first + 0) * w), hn::StoreU(a1, d, y_i + (first + 1) * w);
    hn::StoreU(a2, d, y_i + (first + 2) * w), hn::StoreU(a3, d, y_i + (first + 3) * w);
  }
}

/// One group of vectors: `panel` is called with all lanes or, where the vectors fill no more, with half of
/// them.
template <class Tag, class Panel>
HWY_INLINE void Group(Tag full, Index vectors, const Panel& panel) {
  const hn::Half<Tag> half;
  if (vectors <= static_cast<Index>(hn::Lanes(D())) / 2)
    panel(half);
  else
    panel(full);
}

template <class Layout>
HWY_INLINE void GroupFloat(Index vectors, const float* HWY_RESTRICT k, Fetch fetch,
                           const float* HWY_RESTRICT v_j, float* HWY_RESTRICT y_i,
                           const float* HWY_RESTRICT v_i, float* HWY_RESTRICT y_j) {
  if (y_j)
    Group(F(), vectors, [&](auto tag) { PanelFloat<true, Layout>(tag, k, fetch, v_j, y_i, v_i, y_j); });
  else
    Group(F(), vectors, [&](auto tag) { PanelFloat<false, Layout>(tag, k, fetch, v_j, y_i, v_i, y_j); });
}

template <class Layout>
HWY_INLINE void GroupDouble(Index vectors, const double* HWY_RESTRICT k, Fetch fetch,
                            const double* HWY_RESTRICT v_j, double* HWY_RESTRICT y_i,
                            const double* HWY_RESTRICT v_i, double* HWY_RESTRICT y_j) {
  if (y_j)
    Group(D(), vectors, [&](auto tag) { PanelDouble<true, Layout>(tag, k, fetch, v_j, y_i, v_i, y_j); });
  else
    Group(D(), vectors, [&](auto tag) { PanelDouble<false, Layout>(tag, k, fetch, v_j, y_i, v_i, y_j); });
}

void MultiplyFloat(const float* k, Index vectors, const float* v_j, float* y_i, const float* v_i,
                   float* y_j) {
  const Index w = static_cast<Index>(hn::Lanes(D())), group = size * w;
  for (Index begin = 0; begin < vectors; begin += together * w) {
    const Index end = std::min(vectors, begin + together * w), groups = (end - begin + w - 1) / w;
    const Index step = pair / (groups * sweeps);
    for (Index row = 0; row < size; row += panel) {
      const float* here = k + row * size;
      Fetch fetch{here + panel * size, step};
      for (Index first = begin, g = begin * size; first < end; first += w, g += group) {
        GroupFloat<PackedPanel>(vectors - first, here, fetch, v_j + g, y_i + g + row * w, v_i + g + row * w,
                                y_j ? y_j + g : y_j);
        fetch.from += sweeps * size / 2 * step;
      }
    }
  }
}

void MultiplyDouble(const float* k, Index vectors, const double* v_j, double* y_i, const double* v_i,
                    double* y_j) {
  const Index w = static_cast<Index>(hn::Lanes(D())), group = size * w,
              groups = std::max<Index>(1, (vectors + w - 1) / w);
  const Index step = (pair + groups * sweeps - 1) / (groups * sweeps);
  HWY_ALIGN double joined[panel * size];
  for (Index row = 0; row < size; row += panel, k += panel * size) {
    for (Index p = 0; p < panel * size; p += pair) JoinPlanes(k + p, k + plane + p, joined + p);
    Fetch fetch{k + panel * size, step};
    for (Index first = 0, at = row * w, g = 0; first < vectors; first += w, at += group, g += group) {
      GroupDouble<PackedPanel>(vectors - first, joined, fetch, v_j + g, y_i + at, v_i + at,
                               y_j ? y_j + g : y_j);
      fetch.from += sweeps * size / 2 * step;
    }
  }
}

/// Rows as they were evaluated, while they are in the nearest cache.
void MultiplyRowsFloat(const float* k, Index rows, Index vectors, const float* v_j, float* y_i,
                       const float* v_i, float* y_j) {
  const Index w = static_cast<Index>(hn::Lanes(D())), group = size * w;
  for (Index row = 0; row < rows; row += panel, k += panel * size)
    for (Index first = 0, at = row * w, g = 0; first < vectors; first += w, at += group, g += group)
      GroupFloat<PlainPanel>(vectors - first, k, {}, v_j + g, y_i + at, v_i + at, y_j ? y_j + g : y_j);
}

void MultiplyRowsDouble(const double* k, Index rows, Index vectors, const double* v_j, double* y_i,
                        const double* v_i, double* y_j) {
  const Index w = static_cast<Index>(hn::Lanes(D())), group = size * w;
  for (Index row = 0; row < rows; row += panel, k += panel * size)
    for (Index first = 0, at = row * w, g = 0; first < vectors; first += w, at += group, g += group)
      GroupDouble<PlainPanel>(vectors - first, k, {}, v_j + g, y_i + at, v_i + at, y_j ? y_j + g : y_j);
}

Index Width() { return static_cast<Index>(hn::Lanes(D())); }

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace mercer::tile::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer::tile {

HWY_EXPORT(MultiplyFloat);
HWY_EXPORT(MultiplyDouble);
HWY_EXPORT(MultiplyRowsDouble);
HWY_EXPORT(MultiplyRowsFloat);
HWY_EXPORT(Width);

Index width() { return HWY_DYNAMIC_DISPATCH(Width)(); }

void multiply(const float* packed, Index vectors, const float* v_j, float* y_i, const float* v_i,
              float* y_j) {
  HWY_DYNAMIC_DISPATCH(MultiplyFloat)(packed, vectors, v_j, y_i, v_i, y_j);
}
void multiply(const float* packed, Index vectors, const double* v_j, double* y_i, const double* v_i,
              double* y_j) {
  HWY_DYNAMIC_DISPATCH(MultiplyDouble)(packed, vectors, v_j, y_i, v_i, y_j);
}

void multiply_rows(const float* k, Index rows, Index vectors, const float* v_j, float* y_i, const float* v_i,
                   float* y_j) {
  HWY_DYNAMIC_DISPATCH(MultiplyRowsFloat)(k, rows, vectors, v_j, y_i, v_i, y_j);
}
void multiply_rows(const double* k, Index rows, Index vectors, const double* v_j, double* y_i,
                   const double* v_i, double* y_j) {
  HWY_DYNAMIC_DISPATCH(MultiplyRowsDouble)(k, rows, vectors, v_j, y_i, v_i, y_j);
}

}  // namespace mercer::tile
#endif  // HWY_ONCE
