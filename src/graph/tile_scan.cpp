// Comparing four registers at a time with the limits; what passes is rare and picked out by its mask.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "graph/tile_scan.cpp"
#include <hwy/foreach_target.h>
// (foreach_target must come first)
#include <hwy/highway.h>

#include "graph/tile_scan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace mercer::tile_scan::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Those of value(j), j < n, not above bound(j); one(j) says both of a single j. A comparison that holds for
/// no number keeps it: what overflowed is looked at closely later.
template <class S, class Value, class Bound, class One>
HWY_INLINE Index Pick(Index n, const Value& value, const Bound& bound, const One& one,
                      Found<S>* HWY_RESTRICT out) {
  const hn::ScalableTag<S> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  Index count = 0;
  HWY_ALIGN S values[HWY_MAX_BYTES / sizeof(S)];
  const auto pick = [&](auto v, auto far, Index j) HWY_ATTR {
    if (hn::AllTrue(d, far)) return;
    hn::Store(v, d, values);
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, hn::Not(far), bits);
    for (Index byte = 0; byte < (lanes + 7) / 8; ++byte)
      for (unsigned rest = bits[byte]; rest != 0; rest &= rest - 1) {
        const Index l = byte * 8 + __builtin_ctz(rest);
        if (l < lanes) out[count++] = {values[l], static_cast<std::int32_t>(j + l)};
      }
  };
  Index j = 0;
  for (; j + 4 * lanes <= n; j += 4 * lanes) {
    const auto v0 = value(j), v1 = value(j + lanes), v2 = value(j + 2 * lanes), v3 = value(j + 3 * lanes);
    const auto m0 = hn::Gt(v0, bound(j)), m1 = hn::Gt(v1, bound(j + lanes)),
               m2 = hn::Gt(v2, bound(j + 2 * lanes)), m3 = hn::Gt(v3, bound(j + 3 * lanes));
    if (hn::AllTrue(d, hn::And(hn::And(m0, m1), hn::And(m2, m3)))) continue;
    pick(v0, m0, j), pick(v1, m1, j + lanes);
    pick(v2, m2, j + 2 * lanes), pick(v3, m3, j + 3 * lanes);
  }
  for (; j < n; ++j) {
    const auto [v, limit] = one(j);
    if (!(v > limit)) out[count++] = {v, static_cast<std::int32_t>(j)};
  }
  return count;
}

template <bool either, class S>
Index Near(const S* HWY_RESTRICT dot, Index n, S own, const S* HWY_RESTRICT half, S limit,
           const S* HWY_RESTRICT limits, Found<S>* HWY_RESTRICT out) {
  const hn::ScalableTag<S> d;
  const auto own_v = hn::Set(d, own), limit_v = hn::Set(d, limit);
  const auto value = [&](Index j) HWY_ATTR {
    return hn::Add(own_v, hn::Sub(hn::LoadU(d, half + j), hn::LoadU(d, dot + j)));
  };
  const auto bound = [&](Index j) HWY_ATTR {
    if constexpr (either) return hn::Max(limit_v, hn::LoadU(d, limits + j));
    return limit_v;
  };
  const auto one = [&](Index j) {
    return std::pair(own + (half[j] - dot[j]), either ? std::max(limit, limits[j]) : limit);
  };
  return Pick<S>(n, value, bound, one, out);
}

Index NotAbove(const double* HWY_RESTRICT values, Index n, double limit, Found<double>* HWY_RESTRICT out) {
  const hn::ScalableTag<double> d;
  const auto limit_v = hn::Set(d, limit);
  const auto value = [&](Index j) HWY_ATTR { return hn::LoadU(d, values + j); };
  const auto bound = [&](Index) HWY_ATTR { return limit_v; };
  const auto one = [&](Index j) { return std::pair(values[j], limit); };
  return Pick<double>(n, value, bound, one, out);
}

#define MERCER_FOR_TYPE(S, Suffix)                                                            \
  Index Row##Suffix(const S* dot, Index n, S own, const S* half, S limit, Found<S>* out) {    \
    return Near<false, S>(dot, n, own, half, limit, nullptr, out);                            \
  }                                                                                           \
  Index Either##Suffix(const S* dot, Index n, S own, const S* half, S limit, const S* limits, \
                       Found<S>* out) {                                                       \
    return Near<true, S>(dot, n, own, half, limit, limits, out);                              \
  }
MERCER_FOR_TYPE(float, Float)
MERCER_FOR_TYPE(double, Double)
#undef MERCER_FOR_TYPE

Index CountBelow(const double* HWY_RESTRICT values, Index n, double limit) {
  const hn::ScalableTag<double> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const auto limit_v = hn::Set(d, limit);
  Index count = 0, j = 0;
  for (; j + lanes <= n; j += lanes)
    count += static_cast<Index>(hn::CountTrue(d, hn::Lt(hn::LoadU(d, values + j), limit_v)));
  for (; j < n; ++j) count += values[j] < limit;
  return count;
}

PairSums Sums(const double* HWY_RESTRICT a, const double* HWY_RESTRICT b, Index n, double scale) {
  const hn::ScalableTag<double> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const auto scale_v = hn::Set(d, scale);
  auto first = hn::Zero(d), second = hn::Zero(d), both = hn::Zero(d), left = hn::Zero(d);
  Index j = 0;
  for (; j + lanes <= n; j += lanes) {
    const auto a2 = hn::LoadU(d, a + j), b2 = hn::LoadU(d, b + j);
    const auto x = hn::Sqrt(a2), y = hn::Sqrt(b2), e = hn::NegMulAdd(scale_v, x, y);
    first = hn::Add(first, a2), second = hn::Add(second, b2);
    both = hn::MulAdd(x, y, both), left = hn::MulAdd(e, e, left);
  }
  const auto total = [&](auto v) HWY_ATTR { return hn::GetLane(hn::SumOfLanes(d, v)); };
  PairSums out{total(first), total(second), total(both), total(left)};
  for (; j < n; ++j) {
    const double x = std::sqrt(a[j]), y = std::sqrt(b[j]), e = y - scale * x;
    out.add({a[j], b[j], x * y, e * e});
  }
  return out;
}

}  // namespace mercer::tile_scan::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer::tile_scan {

#define MERCER_DISPATCH(S, Suffix)                                                                          \
  HWY_EXPORT(Row##Suffix);                                                                                  \
  HWY_EXPORT(Either##Suffix);                                                                               \
  template <>                                                                                               \
  Index near_row(const S* dot, Index n, S own, const S* half, S limit, Found<S>* out) {                     \
    return HWY_DYNAMIC_DISPATCH(Row##Suffix)(dot, n, own, half, limit, out);                                \
  }                                                                                                         \
  template <>                                                                                               \
  Index near_either(const S* dot, Index n, S own, const S* half, S limit, const S* limits, Found<S>* out) { \
    return HWY_DYNAMIC_DISPATCH(Either##Suffix)(dot, n, own, half, limit, limits, out);                     \
  }
MERCER_DISPATCH(float, Float)
MERCER_DISPATCH(double, Double)
#undef MERCER_DISPATCH

HWY_EXPORT(CountBelow);
Index count_below(const double* values, Index n, double limit) {
  return HWY_DYNAMIC_DISPATCH(CountBelow)(values, n, limit);
}

HWY_EXPORT(NotAbove);
Index not_above(const double* values, Index n, double limit, Found<double>* out) {
  return HWY_DYNAMIC_DISPATCH(NotAbove)(values, n, limit, out);
}

HWY_EXPORT(Sums);
PairSums pair_sums(const double* a, const double* b, Index n, double scale) {
  return HWY_DYNAMIC_DISPATCH(Sums)(a, b, n, scale);
}

}  // namespace mercer::tile_scan
#endif  // HWY_ONCE
