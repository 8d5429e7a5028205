// The inner loop of the stored route. For each panel of 8 rows of the tile, 8 rows of y_I stay in
// registers while v_J and y_J stream by; one broadcast of K_ij feeds two multiply-adds.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "operator/tile_product.cpp"
#include <hwy/foreach_target.h>
// (foreach_target must come first)
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "operator/tile_product.hpp"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace mercer::tile::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_SSSE3 || HWY_TARGET == HWY_AVX2
constexpr int rows_in_registers = 4;  // 16 registers
#else
constexpr int rows_in_registers = 8;  // 32 registers
#endif

template <class T, bool both>
HWY_INLINE void PanelProduct(const T* HWY_RESTRICT k, const T* HWY_RESTRICT v_j, T* HWY_RESTRICT y_i,
                             const T* HWY_RESTRICT v_i, T* HWY_RESTRICT y_j) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const Index w = static_cast<Index>(hn::Lanes(d));
  for (int first = 0; first < panel; first += rows_in_registers) {
    const T* HWY_RESTRICT column = k + first;
    V a0 = hn::LoadU(d, y_i + (first + 0) * w), a1 = hn::LoadU(d, y_i + (first + 1) * w);
    V a2 = hn::LoadU(d, y_i + (first + 2) * w), a3 = hn::LoadU(d, y_i + (first + 3) * w);
    const V x0 = hn::LoadU(d, v_i + (first + 0) * w), x1 = hn::LoadU(d, v_i + (first + 1) * w);
    const V x2 = hn::LoadU(d, v_i + (first + 2) * w), x3 = hn::LoadU(d, v_i + (first + 3) * w);
    if constexpr (rows_in_registers == 8) {
      V a4 = hn::LoadU(d, y_i + 4 * w), a5 = hn::LoadU(d, y_i + 5 * w);
      V a6 = hn::LoadU(d, y_i + 6 * w), a7 = hn::LoadU(d, y_i + 7 * w);
      const V x4 = hn::LoadU(d, v_i + 4 * w), x5 = hn::LoadU(d, v_i + 5 * w);
      const V x6 = hn::LoadU(d, v_i + 6 * w), x7 = hn::LoadU(d, v_i + 7 * w);
      for (Index j = 0; j < size; ++j, column += panel) {
        hwy::Prefetch(column + 32 * panel);
        const V v = hn::LoadU(d, v_j + j * w);
        const V k0 = hn::Set(d, column[0]), k1 = hn::Set(d, column[1]), k2 = hn::Set(d, column[2]),
                k3 = hn::Set(d, column[3]);
        const V k4 = hn::Set(d, column[4]), k5 = hn::Set(d, column[5]), k6 = hn::Set(d, column[6]),
                k7 = hn::Set(d, column[7]);
        a0 = hn::MulAdd(k0, v, a0), a1 = hn::MulAdd(k1, v, a1), a2 = hn::MulAdd(k2, v, a2),
        a3 = hn::MulAdd(k3, v, a3);
        a4 = hn::MulAdd(k4, v, a4), a5 = hn::MulAdd(k5, v, a5), a6 = hn::MulAdd(k6, v, a6),
        a7 = hn::MulAdd(k7, v, a7);
        if constexpr (both) {
          V s = hn::MulAdd(k0, x0, hn::LoadU(d, y_j + j * w)), t = hn::Mul(k1, x1);
          s = hn::MulAdd(k2, x2, s), t = hn::MulAdd(k3, x3, t);
          s = hn::MulAdd(k4, x4, s), t = hn::MulAdd(k5, x5, t);
          s = hn::MulAdd(k6, x6, s), t = hn::MulAdd(k7, x7, t);
          hn::StoreU(hn::Add(s, t), d, y_j + j * w);
        }
      }
      hn::StoreU(a4, d, y_i + 4 * w), hn::StoreU(a5, d, y_i + 5 * w);
      hn::StoreU(a6, d, y_i + 6 * w), hn::StoreU(a7, d, y_i + 7 * w);
    } else {
      for (Index j = 0; j < size; ++j, column += panel) {
        hwy::Prefetch(column + 32 * panel);
        const V v = hn::LoadU(d, v_j + j * w);
        const V k0 = hn::Set(d, column[0]), k1 = hn::Set(d, column[1]), k2 = hn::Set(d, column[2]),
                k3 = hn::Set(d, column[3]);
        a0 = hn::MulAdd(k0, v, a0), a1 = hn::MulAdd(k1, v, a1), a2 = hn::MulAdd(k2, v, a2),
        a3 = hn::MulAdd(k3, v, a3);
        if constexpr (both) {
          V s = hn::MulAdd(k0, x0, hn::LoadU(d, y_j + j * w)), t = hn::Mul(k1, x1);
          s = hn::MulAdd(k2, x2, s), t = hn::MulAdd(k3, x3, t);
          hn::StoreU(hn::Add(s, t), d, y_j + j * w);
        }
      }
    }
    hn::StoreU(a0, d, y_i + (first + 0) * w), hn::StoreU(a1, d, y_i + (first + 1) * w);
    hn::StoreU(a2, d, y_i + (first + 2) * w), hn::StoreU(a3, d, y_i + (first + 3) * w);
  }
}

template <class T>
HWY_INLINE void Multiply(const T* packed, const T* v_j, T* y_i, const T* v_i, T* y_j) {
  const Index w = static_cast<Index>(hn::Lanes(hn::ScalableTag<T>()));
  for (Index p = 0; p < size / panel; ++p) {
    const T* k = packed + p * panel * size;
    const Index row = p * panel * w;
    if (y_j)
      PanelProduct<T, true>(k, v_j, y_i + row, v_i + row, y_j);
    else
      PanelProduct<T, false>(k, v_j, y_i + row, v_i + row, y_j);
  }
}

void MultiplyDouble(const double* k, const double* v_j, double* y_i, const double* v_i, double* y_j) {
  Multiply<double>(k, v_j, y_i, v_i, y_j);
}
void MultiplyFloat(const float* k, const float* v_j, float* y_i, const float* v_i, float* y_j) {
  Multiply<float>(k, v_j, y_i, v_i, y_j);
}
Index LanesDouble() { return static_cast<Index>(hn::Lanes(hn::ScalableTag<double>())); }
Index LanesFloat() { return static_cast<Index>(hn::Lanes(hn::ScalableTag<float>())); }

}  // namespace mercer::tile::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer::tile {

HWY_EXPORT(MultiplyDouble);
HWY_EXPORT(MultiplyFloat);
HWY_EXPORT(LanesDouble);
HWY_EXPORT(LanesFloat);

template <>
Index width<double>() {
  return HWY_DYNAMIC_DISPATCH(LanesDouble)();
}
template <>
Index width<float>() {
  return HWY_DYNAMIC_DISPATCH(LanesFloat)();
}

template <>
void multiply(const double* packed, const double* v_j, double* y_i, const double* v_i, double* y_j) {
  HWY_DYNAMIC_DISPATCH(MultiplyDouble)(packed, v_j, y_i, v_i, y_j);
}
template <>
void multiply(const float* packed, const float* v_j, float* y_i, const float* v_i, float* y_j) {
  HWY_DYNAMIC_DISPATCH(MultiplyFloat)(packed, v_j, y_i, v_i, y_j);
}

template <class T>
void pack(const T* tile, Index rows, Index cols, T* packed) {
  if (rows < size || cols < size) std::fill(packed, packed + elements, T(0));
  for (Index first = 0; first < rows; first += panel) {
    T* out = packed + first * size;
    const Index count = std::min(panel, rows - first);
    if (count == panel) {
      for (Index j = 0; j < cols; ++j)
        for (Index r = 0; r < panel; ++r) out[j * panel + r] = tile[(first + r) * cols + j];
    } else {
      for (Index j = 0; j < cols; ++j)
        for (Index r = 0; r < count; ++r) out[j * panel + r] = tile[(first + r) * cols + j];
    }
  }
}

template void pack(const float*, Index, Index, float*);
template void pack(const double*, Index, Index, double*);

}  // namespace mercer::tile
#endif  // HWY_ONCE
