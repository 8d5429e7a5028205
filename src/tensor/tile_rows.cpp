// Rows of y stay in registers while the columns of x and the rows of k stream by: one broadcast of x(p,q)
// feeds as many multiply-adds as vectors hold a row of k.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/tile_rows.cpp"
// Arrays of vectors, which sizeless types cannot have.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
// (foreach_target must come first)
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "tensor/tile_rows.hpp"

#include <type_traits>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace mercer::tile_rows::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::CappedTag<T, 8>;  // divides the padding of the rows
template <class T>
using Vec = hn::Vec<Tag<T>>;

#if HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_SSSE3 || HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SCALAR
constexpr std::size_t rows_in_registers = 6;  // twice as many sums in 16 registers
#else
constexpr std::size_t rows_in_registers = 12;
#endif

template <std::size_t... I>
using Numbers = std::index_sequence<I...>;

template <class V, std::size_t... I>
HWY_INLINE void AddRow(V x, const V* k, V* sum, Numbers<I...>) {
  ((sum[I] = hn::MulAdd(x, k[I], sum[I])), ...);
}

template <class T, std::size_t... I>
HWY_INLINE void LoadRow(const T* from, Vec<T>* to, Numbers<I...>) {
  const Tag<T> d;
  ((to[I] = hn::LoadU(d, from + I * hn::Lanes(d))), ...);
}

template <class T, std::size_t... I>
HWY_INLINE void StoreRow(const Vec<T>* from, T* to, Numbers<I...>) {
  const Tag<T> d;
  (hn::StoreU(from[I], d, to + I * hn::Lanes(d)), ...);
}

/// Rows P... of y, V vectors of each. Three rows of x share a pointer, so that pointers do not run out of
/// registers; `ahead`: the rows that come next are asked for.
template <class T, std::size_t V, bool ahead, std::size_t... P>
HWY_INLINE void Strip(const T* HWY_RESTRICT x, Index step_p, Index depth, Index step_q,
                      const T* HWY_RESTRICT k, T* HWY_RESTRICT y, Index columns, Numbers<P...>) {
  constexpr std::size_t rows = sizeof...(P);
  constexpr auto vectors = std::make_index_sequence<V>();
  const Tag<T> d;
  const Index step_2p = 2 * step_p;
  Vec<T> sum[rows * V], now[V];
  const T* base[(rows + 2) / 3];
  ((base[P / 3] = x + static_cast<Index>(P / 3) * 3 * step_p), ...);
  (LoadRow<T>(y + static_cast<Index>(P) * columns, sum + P * V, vectors), ...);
  for (Index q = 0; q < depth; ++q) {
    if constexpr (ahead) {
      hwy::Prefetch(base[0] + rows);
      hwy::Prefetch(base[0] + 2 * rows - 1);
    }
    LoadRow<T>(k, now, vectors);
    (AddRow(hn::Set(d, base[P / 3][P % 3 == 0 ? 0 : (P % 3 == 1 ? step_p : step_2p)]), now, sum + P * V,
            vectors),
     ...);
    ((base[P / 3] += P % 3 == 0 ? step_q : 0), ...);
    k += columns;
  }
  (StoreRow<T>(sum + P * V, y + static_cast<Index>(P) * columns, vectors), ...);
}

template <class T, std::size_t rows>
HWY_INLINE void Columns(const T* x, Index step_p, Index depth, Index step_q, const T* k, T* y,
                        Index columns) {
  constexpr auto numbers = std::make_index_sequence<rows>();
  const auto lanes = static_cast<Index>(hn::Lanes(Tag<T>()));
  Index c = 0;
  if (step_p == 1 && columns >= 2 * lanes) {
    Strip<T, 2, true>(x, step_p, depth, step_q, k, y, columns, numbers);
    c = 2 * lanes;
  }
  for (; c + 2 * lanes <= columns; c += 2 * lanes)
    Strip<T, 2, false>(x, step_p, depth, step_q, k + c, y + c, columns, numbers);
  for (; c < columns; c += lanes)
    Strip<T, 1, false>(x, step_p, depth, step_q, k + c, y + c, columns, numbers);
}

template <class T>
HWY_INLINE void Multiply(const T* x, Index rows, Index step_p, Index depth, Index step_q, const T* k, T* y,
                         Index columns) {
  constexpr auto most = static_cast<Index>(rows_in_registers);
  Index p = 0;
  for (; p + most <= rows; p += most)
    Columns<T, rows_in_registers>(x + p * step_p, step_p, depth, step_q, k, y + p * columns, columns);
  for (; p + 3 <= rows; p += 3)
    Columns<T, 3>(x + p * step_p, step_p, depth, step_q, k, y + p * columns, columns);
  for (; p < rows; ++p) Columns<T, 1>(x + p * step_p, step_p, depth, step_q, k, y + p * columns, columns);
}

template <class T>
HWY_INLINE void AddScaled(const T* HWY_RESTRICT x, Index rows, const T* HWY_RESTRICT k, T* HWY_RESTRICT y,
                          Index columns) {
  const Tag<T> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  for (Index p = 0; p < rows; ++p, x += columns, y += columns)
    for (Index c = 0; c < columns; c += lanes)
      hn::StoreU(hn::MulAdd(hn::LoadU(d, x + c), hn::LoadU(d, k + c), hn::LoadU(d, y + c)), d, y + c);
}

template <class T>
HWY_INLINE void AddProducts(const T* HWY_RESTRICT x, const T* HWY_RESTRICT k, Index depth, T* HWY_RESTRICT y,
                            Index columns) {
  const Tag<T> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  Index c = 0;
  for (; c + 2 * lanes <= columns; c += 2 * lanes) {
    Vec<T> a = hn::LoadU(d, y + c), b = hn::LoadU(d, y + c + lanes);
    for (Index q = 0, at = c; q < depth; ++q, at += columns) {
      a = hn::MulAdd(hn::LoadU(d, x + at), hn::LoadU(d, k + at), a);
      b = hn::MulAdd(hn::LoadU(d, x + at + lanes), hn::LoadU(d, k + at + lanes), b);
    }
    hn::StoreU(a, d, y + c);
    hn::StoreU(b, d, y + c + lanes);
  }
  for (; c < columns; c += lanes) {
    Vec<T> a = hn::LoadU(d, y + c);
    for (Index q = 0, at = c; q < depth; ++q, at += columns)
      a = hn::MulAdd(hn::LoadU(d, x + at), hn::LoadU(d, k + at), a);
    hn::StoreU(a, d, y + c);
  }
}

void MultiplyFloat(const float* x, Index rows, Index step_p, Index depth, Index step_q, const float* k,
                   float* y, Index columns) {
  Multiply(x, rows, step_p, depth, step_q, k, y, columns);
}
void MultiplyDouble(const double* x, Index rows, Index step_p, Index depth, Index step_q, const double* k,
                    double* y, Index columns) {
  Multiply(x, rows, step_p, depth, step_q, k, y, columns);
}
void AddScaledFloat(const float* x, Index rows, const float* k, float* y, Index columns) {
  AddScaled(x, rows, k, y, columns);
}
void AddScaledDouble(const double* x, Index rows, const double* k, double* y, Index columns) {
  AddScaled(x, rows, k, y, columns);
}
void AddProductsFloat(const float* x, const float* k, Index depth, float* y, Index columns) {
  AddProducts(x, k, depth, y, columns);
}
void AddProductsDouble(const double* x, const double* k, Index depth, double* y, Index columns) {
  AddProducts(x, k, depth, y, columns);
}

}  // namespace mercer::tile_rows::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer::tile_rows {

HWY_EXPORT(MultiplyFloat);
HWY_EXPORT(MultiplyDouble);
HWY_EXPORT(AddScaledFloat);
HWY_EXPORT(AddScaledDouble);
HWY_EXPORT(AddProductsFloat);
HWY_EXPORT(AddProductsDouble);

template <>
void multiply(const float* x, Index rows, Index step_p, Index depth, Index step_q, const float* k, float* y,
              Index columns) {
  HWY_DYNAMIC_DISPATCH(MultiplyFloat)(x, rows, step_p, depth, step_q, k, y, columns);
}
template <>
void multiply(const double* x, Index rows, Index step_p, Index depth, Index step_q, const double* k,
              double* y, Index columns) {
  HWY_DYNAMIC_DISPATCH(MultiplyDouble)(x, rows, step_p, depth, step_q, k, y, columns);
}
template <>
void add_scaled(const float* x, Index rows, const float* k, float* y, Index columns) {
  HWY_DYNAMIC_DISPATCH(AddScaledFloat)(x, rows, k, y, columns);
}
template <>
void add_scaled(const double* x, Index rows, const double* k, double* y, Index columns) {
  HWY_DYNAMIC_DISPATCH(AddScaledDouble)(x, rows, k, y, columns);
}
template <>
void add_products(const float* x, const float* k, Index depth, float* y, Index columns) {
  HWY_DYNAMIC_DISPATCH(AddProductsFloat)(x, k, depth, y, columns);
}
template <>
void add_products(const double* x, const double* k, Index depth, double* y, Index columns) {
  HWY_DYNAMIC_DISPATCH(AddProductsDouble)(x, k, depth, y, columns);
}

}  // namespace mercer::tile_rows
#endif  // HWY_ONCE
