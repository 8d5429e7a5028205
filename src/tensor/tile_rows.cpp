// Whatever is contiguous in the tensor streams by, a dozen columns at a time, and what belongs to these
// columns stays in registers: rows of y where columns are summed up, rows of k where they are spread. One
// broadcast of x feeds as many multiply-adds as vectors hold a row. The columns that come next are asked for
// meanwhile: memory and arithmetic take about as long as each other.
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
constexpr std::size_t sums_in_registers = 6, rows_of_k_in_registers = 4;  // two vectors each, of 16 registers
#else
constexpr std::size_t sums_in_registers = 12, rows_of_k_in_registers = 8;
#endif
constexpr Index line = 8;  // numbers of a cache line, of doubles

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

/// Places of columns C... of x: three share a pointer, so that pointers do not run out of registers.
template <class T, std::size_t... C>
class Streams {
 public:
  HWY_INLINE Streams(const T* x, Index stride) : one_(stride), two_(2 * stride) {
    ((base_[C / 3] = x + static_cast<Index>(C / 3) * 3 * stride), ...);
  }
  template <std::size_t c>
  HWY_INLINE const T* At() const {
    return base_[c / 3] + (c % 3 == 0 ? 0 : (c % 3 == 1 ? one_ : two_));
  }
  HWY_INLINE void Advance() { ((base_[C / 3] += C % 3 == 0 ? 1 : 0), ...); }
  /// A line of each of the columns that come next.
  HWY_INLINE void Prefetch() const {
    constexpr auto all = static_cast<Index>(sizeof...(C));
    (hwy::Prefetch(At<C>() + all * one_), ...);
  }

 private:
  const T* base_[(sizeof...(C) + 2) / 3];
  Index one_, two_;
};

/// Columns C... of x summed up, V vectors of each: y(c,:) += Σ_q x(q,c) k(q,:).
template <class T, std::size_t V, bool ahead, std::size_t... C>
HWY_INLINE void SumColumns(const T* HWY_RESTRICT x, Index depth, Index stride, const T* HWY_RESTRICT k,
                           T* HWY_RESTRICT y, Index columns, Numbers<C...>) {
  constexpr auto vectors = std::make_index_sequence<V>();
  const Tag<T> d;
  Vec<T> sum[sizeof...(C) * V], now[V];
  Streams<T, C...> streams(x, stride);
  (LoadRow<T>(y + static_cast<Index>(C) * columns, sum + C * V, vectors), ...);
  for (Index q = 0; q < depth;) {
    if constexpr (ahead) streams.Prefetch();
    for (const Index end = q + line < depth ? q + line : depth; q < end; ++q, k += columns) {
      LoadRow<T>(k, now, vectors);
      (AddRow(hn::Set(d, *streams.template At<C>()), now, sum + C * V, vectors), ...);
      streams.Advance();
    }
  }
  (StoreRow<T>(sum + C * V, y + static_cast<Index>(C) * columns, vectors), ...);
}

/// Columns C... of x spread, V vectors of each: y(p,:) += Σ_c x(p,c) k(c,:).
template <class T, std::size_t V, bool ahead, std::size_t... C>
HWY_INLINE void SpreadColumns(const T* HWY_RESTRICT x, Index rows, Index stride, const T* HWY_RESTRICT k,
                              T* HWY_RESTRICT y, Index columns, Numbers<C...>) {
  constexpr auto vectors = std::make_index_sequence<V>();
  const Tag<T> d;
  Vec<T> of_k[sizeof...(C) * V], sum[V];
  Streams<T, C...> streams(x, stride);
  (LoadRow<T>(k + static_cast<Index>(C) * columns, of_k + C * V, vectors), ...);
  for (Index p = 0; p < rows;) {
    if constexpr (ahead) streams.Prefetch();
    for (const Index end = p + line < rows ? p + line : rows; p < end; ++p, y += columns) {
      LoadRow<T>(y, sum, vectors);
      (AddRow(hn::Set(d, *streams.template At<C>()), of_k + C * V, sum, vectors), ...);
      StoreRow<T>(sum, y, vectors);
      streams.Advance();
    }
  }
}

/// use(columns of the rows' group, whether it is the first, one vector or two)
template <class T, class Use>
HWY_INLINE void ForGroups(Index columns, const Use& use) {
  const auto lanes = static_cast<Index>(hn::Lanes(Tag<T>()));
  Index c = 0;
  if (columns >= 2 * lanes) {
    use(c, std::integral_constant<std::size_t, 2>(), std::true_type());
    c = 2 * lanes;
  }
  for (; c + 2 * lanes <= columns; c += 2 * lanes)
    use(c, std::integral_constant<std::size_t, 2>(), std::false_type());
  for (; c < columns; c += lanes) use(c, std::integral_constant<std::size_t, 1>(), std::false_type());
}

template <class T, std::size_t count>
HWY_INLINE void SumGroups(const T* x, Index depth, Index stride, const T* k, T* y, Index columns) {
  ForGroups<T>(columns, [&](Index c, auto vectors, auto first) HWY_ATTR {
    SumColumns<T, decltype(vectors)::value, decltype(first)::value>(x, depth, stride, k + c, y + c, columns,
                                                                    std::make_index_sequence<count>());
  });
}

template <class T, std::size_t count>
HWY_INLINE void SpreadGroups(const T* x, Index rows, Index stride, const T* k, T* y, Index columns) {
  ForGroups<T>(columns, [&](Index c, auto vectors, auto first) HWY_ATTR {
    SpreadColumns<T, decltype(vectors)::value, decltype(first)::value>(x, rows, stride, k + c, y + c, columns,
                                                                       std::make_index_sequence<count>());
  });
}

template <class T>
HWY_INLINE void MultiplyTransposed(const T* x, Index rows, Index depth, Index stride, const T* k, T* y,
                                   Index columns) {
  constexpr auto most = static_cast<Index>(sums_in_registers);
  Index p = 0;
  for (; p + most <= rows; p += most)
    SumGroups<T, sums_in_registers>(x + p * stride, depth, stride, k, y + p * columns, columns);
  for (; p + 3 <= rows; p += 3) SumGroups<T, 3>(x + p * stride, depth, stride, k, y + p * columns, columns);
  for (; p < rows; ++p) SumGroups<T, 1>(x + p * stride, depth, stride, k, y + p * columns, columns);
}

template <class T>
HWY_INLINE void Multiply(const T* x, Index rows, Index depth, Index stride, const T* k, T* y, Index columns) {
  constexpr auto most = static_cast<Index>(rows_of_k_in_registers);
  Index q = 0;
  for (; q + most <= depth; q += most)
    SpreadGroups<T, rows_of_k_in_registers>(x + q * stride, rows, stride, k + q * columns, y, columns);
  for (; q + 3 <= depth; q += 3)
    SpreadGroups<T, 3>(x + q * stride, rows, stride, k + q * columns, y, columns);
  for (; q < depth; ++q) SpreadGroups<T, 1>(x + q * stride, rows, stride, k + q * columns, y, columns);
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

void MultiplyFloat(const float* x, Index rows, Index depth, Index stride, const float* k, float* y,
                   Index columns) {
  Multiply(x, rows, depth, stride, k, y, columns);
}
void MultiplyDouble(const double* x, Index rows, Index depth, Index stride, const double* k, double* y,
                    Index columns) {
  Multiply(x, rows, depth, stride, k, y, columns);
}
void MultiplyTransposedFloat(const float* x, Index rows, Index depth, Index stride, const float* k, float* y,
                             Index columns) {
  MultiplyTransposed(x, rows, depth, stride, k, y, columns);
}
void MultiplyTransposedDouble(const double* x, Index rows, Index depth, Index stride, const double* k,
                              double* y, Index columns) {
  MultiplyTransposed(x, rows, depth, stride, k, y, columns);
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
HWY_EXPORT(MultiplyTransposedFloat);
HWY_EXPORT(MultiplyTransposedDouble);
HWY_EXPORT(AddScaledFloat);
HWY_EXPORT(AddScaledDouble);
HWY_EXPORT(AddProductsFloat);
HWY_EXPORT(AddProductsDouble);

template <>
void multiply(const float* x, Index rows, Index depth, Index stride, const float* k, float* y,
              Index columns) {
  HWY_DYNAMIC_DISPATCH(MultiplyFloat)(x, rows, depth, stride, k, y, columns);
}
template <>
void multiply(const double* x, Index rows, Index depth, Index stride, const double* k, double* y,
              Index columns) {
  HWY_DYNAMIC_DISPATCH(MultiplyDouble)(x, rows, depth, stride, k, y, columns);
}
template <>
void multiply_transposed(const float* x, Index rows, Index depth, Index stride, const float* k, float* y,
                         Index columns) {
  HWY_DYNAMIC_DISPATCH(MultiplyTransposedFloat)(x, rows, depth, stride, k, y, columns);
}
template <>
void multiply_transposed(const double* x, Index rows, Index depth, Index stride, const double* k, double* y,
                         Index columns) {
  HWY_DYNAMIC_DISPATCH(MultiplyTransposedDouble)(x, rows, depth, stride, k, y, columns);
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
