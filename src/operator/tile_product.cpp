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
#include <array>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace mercer::tile::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

/// Without vectors: one column of V at a time.
template <class T>
void MultiplyPlain(const float* k, Index groups, const T* v_j, T* y_i, const T* v_i, T* y_j) {
  for (Index g = 0; g < groups; ++g, v_j += size, y_i += size, v_i += size, y_j += y_j ? size : 0)
    for (Index p = 0; p < plane; ++p) {
      const Index row = p / size, j = p % size;
      const float* at = k + row / panel * panel * size + j / 2 * 2 * panel + row % panel * 2 + j % 2;
      const T value = sizeof(T) == sizeof(double) ? T(at[0]) + T(at[plane]) : T(at[0]);
      y_i[row] += value * v_j[j];
      if (y_j) y_j[j] += value * v_i[row];
    }
}
void MultiplyFloat(const float* k, Index groups, const float* v_j, float* y_i, const float* v_i, float* y_j) {
  MultiplyPlain(k, groups, v_j, y_i, v_i, y_j);
}
void MultiplyDouble(const float* k, Index groups, const double* v_j, double* y_i, const double* v_i,
                    double* y_j) {
  MultiplyPlain(k, groups, v_j, y_i, v_i, y_j);
}
bool SplitDouble(const double* in, Index n, double scale, float* high, float* low) {
  float check = 0;
  for (Index j = 0; j < n; ++j) {
    const volatile float rounded = static_cast<float>(scale * in[j]);  // see below
    high[j] = rounded;
    low[j] = static_cast<float>(scale * in[j] - double(rounded));
    check += 0.0F * rounded;
  }
  return check == 0;
}
double RowSums(const double* in, Index n, double* by_column, double* sum) {
  double squares = 0;
  for (Index j = 0; j < n; ++j) {
    *sum += in[j];
    squares += in[j] * in[j];
    by_column[j] += in[j];
  }
  return squares;
}
bool ScaleFloat(const float* in, Index n, float scale, float* out) {
  float check = 0;
  for (Index j = 0; j < n; ++j) {
    out[j] = scale * in[j];
    check += 0.0F * out[j];
  }
  return check == 0;
}
Index Width() { return 1; }

#else

// One vector of doubles and one of twice as many floats, both a full register.
using D = hn::ScalableTag<double>;
using F = hn::Repartition<float, D>;
using VD = hn::Vec<D>;
using VF = hn::Vec<F>;

#if HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_SSSE3 || HWY_TARGET == HWY_AVX2
constexpr int rows_in_registers = 4;  // 16 registers
#else
constexpr int rows_in_registers = 8;  // 32 registers
#endif
constexpr Index pair = 2 * panel;     // values of two columns of a panel
constexpr Index ahead = 32 * pair;

/// (K_ij, K_ij+1) in every pair of lanes.
HWY_INLINE VF BroadcastPair(const float* k) {
  double both;
  std::memcpy(&both, k, sizeof both);
  return hn::BitCast(F(), hn::Set(D(), both));
}

/// y_I in pairs of lanes that hold the sums over even and odd columns: rows r and r + 1 interleaved.
HWY_INLINE VF JoinRows(VF even_row, VF odd_row) {
  const F f;
  return hn::OddEven(hn::Add(odd_row, hn::Reverse2(f, odd_row)),
                     hn::Add(even_row, hn::Reverse2(f, even_row)));
}

/// Two columns of `rows_in_registers` rows a step.
template <bool both>
HWY_INLINE void PanelFloat(const float* HWY_RESTRICT k, const float* HWY_RESTRICT v_j,
                           float* HWY_RESTRICT y_i, const float* HWY_RESTRICT v_i, float* HWY_RESTRICT y_j) {
  const F f;
  const Index w = static_cast<Index>(hn::Lanes(f));  // of two interleaved rows
  for (int first = 0; first < panel; first += rows_in_registers) {
    VF a0 = hn::Zero(f), a1 = a0, a2 = a0, a3 = a0;
    const VF p0 = hn::LoadU(f, v_i + first / 2 * w), p1 = hn::LoadU(f, v_i + (first / 2 + 1) * w);
    const VF x0 = hn::DupEven(p0), x1 = hn::DupOdd(p0), x2 = hn::DupEven(p1), x3 = hn::DupOdd(p1);
    const float* HWY_RESTRICT columns = k + 2 * first;
    if constexpr (rows_in_registers == 8) {
      VF a4 = a0, a5 = a0, a6 = a0, a7 = a0;
      const VF p2 = hn::LoadU(f, v_i + 2 * w), p3 = hn::LoadU(f, v_i + 3 * w);
      const VF x4 = hn::DupEven(p2), x5 = hn::DupOdd(p2), x6 = hn::DupEven(p3), x7 = hn::DupOdd(p3);
      for (Index j = 0; j < size / 2; ++j, columns += pair) {
        hwy::Prefetch(columns + ahead);
        const VF v = hn::LoadU(f, v_j + j * w);
        const VF k0 = BroadcastPair(columns), k1 = BroadcastPair(columns + 2),
                 k2 = BroadcastPair(columns + 4), k3 = BroadcastPair(columns + 6),
                 k4 = BroadcastPair(columns + 8), k5 = BroadcastPair(columns + 10),
                 k6 = BroadcastPair(columns + 12), k7 = BroadcastPair(columns + 14);
        a0 = hn::MulAdd(k0, v, a0), a1 = hn::MulAdd(k1, v, a1), a2 = hn::MulAdd(k2, v, a2),
        a3 = hn::MulAdd(k3, v, a3);
        a4 = hn::MulAdd(k4, v, a4), a5 = hn::MulAdd(k5, v, a5), a6 = hn::MulAdd(k6, v, a6),
        a7 = hn::MulAdd(k7, v, a7);
        if constexpr (both) {
          VF s = hn::MulAdd(k0, x0, hn::LoadU(f, y_j + j * w)), t = hn::Mul(k1, x1);
          s = hn::MulAdd(k2, x2, s), t = hn::MulAdd(k3, x3, t);
          s = hn::MulAdd(k4, x4, s), t = hn::MulAdd(k5, x5, t);
          s = hn::MulAdd(k6, x6, s), t = hn::MulAdd(k7, x7, t);
          hn::StoreU(hn::Add(s, t), f, y_j + j * w);
        }
      }
      hn::StoreU(hn::Add(hn::LoadU(f, y_i + 2 * w), JoinRows(a4, a5)), f, y_i + 2 * w);
      hn::StoreU(hn::Add(hn::LoadU(f, y_i + 3 * w), JoinRows(a6, a7)), f, y_i + 3 * w);
    } else {
      for (Index j = 0; j < size / 2; ++j, columns += pair) {
        hwy::Prefetch(columns + ahead);
        const VF v = hn::LoadU(f, v_j + j * w);
        const VF k0 = BroadcastPair(columns), k1 = BroadcastPair(columns + 2),
                 k2 = BroadcastPair(columns + 4), k3 = BroadcastPair(columns + 6);
        a0 = hn::MulAdd(k0, v, a0), a1 = hn::MulAdd(k1, v, a1), a2 = hn::MulAdd(k2, v, a2),
        a3 = hn::MulAdd(k3, v, a3);
        if constexpr (both) {
          VF s = hn::MulAdd(k0, x0, hn::LoadU(f, y_j + j * w)), t = hn::Mul(k1, x1);
          s = hn::MulAdd(k2, x2, s), t = hn::MulAdd(k3, x3, t);
          hn::StoreU(hn::Add(s, t), f, y_j + j * w);
        }
      }
    }
    float* HWY_RESTRICT out = y_i + first / 2 * w;
    hn::StoreU(hn::Add(hn::LoadU(f, out), JoinRows(a0, a1)), f, out);
    hn::StoreU(hn::Add(hn::LoadU(f, out + w), JoinRows(a2, a3)), f, out + w);
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

/// `whole`: the panel put together beforehand, for several groups of vectors; null: pair by pair.
template <bool both>
HWY_INLINE void PanelDouble(const float* HWY_RESTRICT k, const double* HWY_RESTRICT whole,
                            const double* HWY_RESTRICT v_j, double* HWY_RESTRICT y_i,
                            const double* HWY_RESTRICT v_i, double* HWY_RESTRICT y_j) {
  const D d;
  const Index w = static_cast<Index>(hn::Lanes(d));
  for (int first = 0; first < panel; first += rows_in_registers) {
    VD a0 = hn::LoadU(d, y_i + (first + 0) * w), a1 = hn::LoadU(d, y_i + (first + 1) * w);
    VD a2 = hn::LoadU(d, y_i + (first + 2) * w), a3 = hn::LoadU(d, y_i + (first + 3) * w);
    const VD x0 = hn::LoadU(d, v_i + (first + 0) * w), x1 = hn::LoadU(d, v_i + (first + 1) * w);
    const VD x2 = hn::LoadU(d, v_i + (first + 2) * w), x3 = hn::LoadU(d, v_i + (first + 3) * w);
    HWY_ALIGN double now[pair];
    const float* HWY_RESTRICT columns = k;
    if constexpr (rows_in_registers == 8) {
      VD a4 = hn::LoadU(d, y_i + 4 * w), a5 = hn::LoadU(d, y_i + 5 * w);
      VD a6 = hn::LoadU(d, y_i + 6 * w), a7 = hn::LoadU(d, y_i + 7 * w);
      const VD x4 = hn::LoadU(d, v_i + 4 * w), x5 = hn::LoadU(d, v_i + 5 * w);
      const VD x6 = hn::LoadU(d, v_i + 6 * w), x7 = hn::LoadU(d, v_i + 7 * w);
      for (Index j = 0; j < size; j += 2, columns += pair) {
        const double* joined = now;
        if (whole) {
          joined = whole + j * panel;
        } else {
          hwy::Prefetch(columns + ahead);
          hwy::Prefetch(columns + plane + ahead);
          JoinPlanes(columns, columns + plane, now);
        }
        for (Index odd = 0; odd < 2; ++odd) {
          const double* HWY_RESTRICT column = joined + odd;
          const VD v = hn::LoadU(d, v_j + (j + odd) * w);
          const VD k0 = hn::Set(d, column[0]), k1 = hn::Set(d, column[2]), k2 = hn::Set(d, column[4]),
                   k3 = hn::Set(d, column[6]);
          const VD k4 = hn::Set(d, column[8]), k5 = hn::Set(d, column[10]), k6 = hn::Set(d, column[12]),
                   k7 = hn::Set(d, column[14]);
          a0 = hn::MulAdd(k0, v, a0), a1 = hn::MulAdd(k1, v, a1), a2 = hn::MulAdd(k2, v, a2),
          a3 = hn::MulAdd(k3, v, a3);
          a4 = hn::MulAdd(k4, v, a4), a5 = hn::MulAdd(k5, v, a5), a6 = hn::MulAdd(k6, v, a6),
          a7 = hn::MulAdd(k7, v, a7);
          if constexpr (both) {
            double* HWY_RESTRICT y = y_j + (j + odd) * w;
            VD s = hn::MulAdd(k0, x0, hn::LoadU(d, y)), t = hn::Mul(k1, x1);
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
      for (Index j = 0; j < size; j += 2, columns += pair) {
        const double* joined = now;
        if (whole) {
          joined = whole + j * panel;
        } else {
          hwy::Prefetch(columns + ahead);
          hwy::Prefetch(columns + plane + ahead);
          JoinPlanes(columns, columns + plane, now);
        }
        for (Index odd = 0; odd < 2; ++odd) {
          const double* HWY_RESTRICT column = joined + 2 * first + odd;
          const VD v = hn::LoadU(d, v_j + (j + odd) * w);
          const VD k0 = hn::Set(d, column[0]), k1 = hn::Set(d, column[2]), k2 = hn::Set(d, column[4]),
                   k3 = hn::Set(d, column[6]);
          a0 = hn::MulAdd(k0, v, a0), a1 = hn::MulAdd(k1, v, a1), a2 = hn::MulAdd(k2, v, a2),
          a3 = hn::MulAdd(k3, v, a3);
          if constexpr (both) {
            double* HWY_RESTRICT y = y_j + (j + odd) * w;
            VD s = hn::MulAdd(k0, x0, hn::LoadU(d, y)), t = hn::Mul(k1, x1);
            s = hn::MulAdd(k2, x2, s), t = hn::MulAdd(k3, x3, t);
            hn::StoreU(hn::Add(s, t), d, y);
          }
        }
      }
    }
    hn::StoreU(a0, d, y_i + (first + 0) * w), hn::StoreU(a1, d, y_i + (first + 1) * w);
    hn::StoreU(a2, d, y_i + (first + 2) * w), hn::StoreU(a3, d, y_i + (first + 3) * w);
  }
}

void MultiplyFloat(const float* k, Index groups, const float* v_j, float* y_i, const float* v_i, float* y_j) {
  const Index w = static_cast<Index>(hn::Lanes(D())), group = size * w;
  for (Index g = 0; g < groups; ++g)
    for (Index row = 0; row < size; row += panel) {
      const Index at = g * group + row * w;
      if (y_j)
        PanelFloat<true>(k + row * size, v_j + g * group, y_i + at, v_i + at, y_j + g * group);
      else
        PanelFloat<false>(k + row * size, v_j + g * group, y_i + at, v_i + at, y_j);
    }
}

void MultiplyDouble(const float* k, Index groups, const double* v_j, double* y_i, const double* v_i,
                    double* y_j) {
  const Index w = static_cast<Index>(hn::Lanes(D())), group = size * w;
  HWY_ALIGN double joined[panel * size];
  for (Index row = 0; row < size; row += panel, k += panel * size) {
    if (groups > 1)
      for (Index p = 0; p < panel * size; p += pair) JoinPlanes(k + p, k + plane + p, joined + p);
    const double* whole = groups > 1 ? joined : nullptr;
    for (Index g = 0; g < groups; ++g) {
      const Index at = g * group + row * w;
      if (y_j)
        PanelDouble<true>(k, whole, v_j + g * group, y_i + at, v_i + at, y_j + g * group);
      else
        PanelDouble<false>(k, whole, v_j + g * group, y_i + at, v_i + at, y_j);
    }
  }
}

/// high = the values rounded to float, low = what that left. False when one is not finite. (By hand:
/// GCC 12 miscompiles the plain loop when it vectorises it.)
bool SplitDouble(const double* in, Index n, double scale, float* high, float* low) {
  const D d;
  const hn::Rebind<float, D> half;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const VD factor = hn::Set(d, scale), zero = hn::Zero(d);
  VD check = zero;  // 0 · x is 0 unless x is infinite or no number
  Index j = 0;
  for (; j + lanes <= n; j += lanes) {
    const VD value = hn::Mul(factor, hn::LoadU(d, in + j));
    const auto rounded = hn::DemoteTo(half, value);
    const VD widened = hn::PromoteTo(d, rounded);
    check = hn::MulAdd(widened, zero, check);
    hn::StoreU(rounded, half, high + j);
    hn::StoreU(hn::DemoteTo(half, hn::Sub(value, widened)), half, low + j);
  }
  bool finite = hn::AllTrue(d, hn::Eq(check, zero));
  if (j == n) return finite;
  HWY_ALIGN double tail[HWY_MAX_BYTES / sizeof(double)] = {};
  HWY_ALIGN float tail_high[HWY_MAX_BYTES / sizeof(double)], tail_low[HWY_MAX_BYTES / sizeof(double)];
  std::memcpy(tail, in + j, static_cast<std::size_t>(n - j) * sizeof(double));
  finite &= SplitDouble(tail, lanes, scale, tail_high, tail_low);
  std::memcpy(high + j, tail_high, static_cast<std::size_t>(n - j) * sizeof(float));
  std::memcpy(low + j, tail_low, static_cast<std::size_t>(n - j) * sizeof(float));
  return finite;
}

bool ScaleFloat(const float* in, Index n, float scale, float* out) {
  const F f;
  const Index lanes = static_cast<Index>(hn::Lanes(f));
  const VF factor = hn::Set(f, scale), zero = hn::Zero(f);
  VF check = zero;
  Index j = 0;
  for (; j + lanes <= n; j += lanes) {
    const VF value = hn::Mul(factor, hn::LoadU(f, in + j));
    check = hn::MulAdd(value, zero, check);
    hn::StoreU(value, f, out + j);
  }
  bool finite = hn::AllTrue(f, hn::Eq(check, zero));
  for (; j < n; ++j) {
    out[j] = scale * in[j];
    finite &= 0.0F * out[j] == 0;
  }
  return finite;
}

/// One row of a tile: its sum, added to *sum, and Σ k²; the row is added to by_column.
double RowSums(const double* HWY_RESTRICT in, Index n, double* HWY_RESTRICT by_column, double* sum) {
  const D d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  VD s0 = hn::Zero(d), s1 = s0, q0 = s0, q1 = s0;
  Index j = 0;
  for (; j + 2 * lanes <= n; j += 2 * lanes) {
    const VD a = hn::LoadU(d, in + j), b = hn::LoadU(d, in + j + lanes);
    s0 = hn::Add(s0, a), s1 = hn::Add(s1, b);
    q0 = hn::MulAdd(a, a, q0), q1 = hn::MulAdd(b, b, q1);
    hn::StoreU(hn::Add(hn::LoadU(d, by_column + j), a), d, by_column + j);
    hn::StoreU(hn::Add(hn::LoadU(d, by_column + j + lanes), b), d, by_column + j + lanes);
  }
  double total = hn::GetLane(hn::SumOfLanes(d, hn::Add(s0, s1)));
  double squares = hn::GetLane(hn::SumOfLanes(d, hn::Add(q0, q1)));
  for (; j < n; ++j) {
    total += in[j];
    squares += in[j] * in[j];
    by_column[j] += in[j];
  }
  *sum += total;
  return squares;
}

Index Width() { return static_cast<Index>(hn::Lanes(D())); }

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace mercer::tile::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer::tile {

HWY_EXPORT(MultiplyFloat);
HWY_EXPORT(MultiplyDouble);
HWY_EXPORT(RowSums);
HWY_EXPORT(ScaleFloat);
HWY_EXPORT(SplitDouble);
HWY_EXPORT(Width);

Index width() { return HWY_DYNAMIC_DISPATCH(Width)(); }

void multiply(const float* packed, Index groups, const float* v_j, float* y_i, const float* v_i, float* y_j) {
  HWY_DYNAMIC_DISPATCH(MultiplyFloat)(packed, groups, v_j, y_i, v_i, y_j);
}
void multiply(const float* packed, Index groups, const double* v_j, double* y_i, const double* v_i,
              double* y_j) {
  HWY_DYNAMIC_DISPATCH(MultiplyDouble)(packed, groups, v_j, y_i, v_i, y_j);
}

double add_sums(const double* tile, Index rows, Index cols, double* by_row, double* by_column) {
  double squares = 0;
  for (Index i = 0; i < rows; ++i)
    squares += HWY_DYNAMIC_DISPATCH(RowSums)(tile + i * cols, cols, by_column, by_row + i);
  return squares;
}

namespace {

/// A panel's rows, `size` floats each, to pairs of columns: 64 bits at a time.
void interleave(const float* rows, float* out) {
  for (Index j = 0; j < size / 2; ++j)
    for (Index r = 0; r < panel; ++r)
      std::memcpy(out + (j * panel + r) * 2, rows + r * size + 2 * j, 2 * sizeof(float));
}

bool split(const double* in, Index n, double scale, float* high, float* low) {
  return HWY_DYNAMIC_DISPATCH(SplitDouble)(in, n, scale, high, low);
}
bool split(const float* in, Index n, float scale, float* high, float*) {
  return HWY_DYNAMIC_DISPATCH(ScaleFloat)(in, n, scale, high);
}

}  // namespace

template <class T>
bool pack(const T* tile, Index rows, Index cols, T scale, float* packed) {
  constexpr Index planes = floats<T> / plane;
  std::array<float, static_cast<std::size_t>(2 * panel * size)> parts;  // rows of the panel, high and low
  bool finite = true;
  if (rows < size || cols < size) parts.fill(0);
  for (Index first = 0; first < size; first += panel) {
    if (rows < first + panel) parts.fill(0);
    for (Index r = 0; r < std::min(panel, rows - first); ++r)
      finite &= split(tile + (first + r) * cols, cols, scale, parts.data() + r * size,
                      parts.data() + (panel + r) * size);
    for (Index p = 0; p < planes; ++p)
      interleave(parts.data() + p * panel * size, packed + p * plane + first * size);
  }
  return finite;
}

template bool pack(const float*, Index, Index, float, float*);
template bool pack(const double*, Index, Index, double, float*);

}  // namespace mercer::tile
#endif  // HWY_ONCE
