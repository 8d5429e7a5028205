// Sums over pairs of points of the map. Highway compiles the code between the guards once for each
// instruction set and picks the best one at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "manifold/tsne_pairs.cpp"
#include <hwy/foreach_target.h>
// (foreach_target must come first)
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "manifold/tsne_pairs.hpp"
#include "manifold/tsne_weight-inl.hpp"

#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace mercer::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Calls f with the number of components as a constant.
template <class F>
HWY_INLINE void with_components(Index components, F&& f) {
  if (components == 1) f(std::integral_constant<int, 1>());
  if (components == 2) f(std::integral_constant<int, 2>());
  if (components == 3) f(std::integral_constant<int, 3>());
}

template <int C, bool attract, class T>
void sums_of(const TsneMap<T>& map, const T* y, const T* p, PairSums& out) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  V weight = hn::Zero(d), repulsion[C], attraction[C], place[C];
  const T* axis[C];
  for (int c = 0; c < C; ++c) {
    repulsion[c] = attraction[c] = hn::Zero(d);
    place[c] = hn::Set(d, y[c]);
    axis[c] = map.axis(c);
  }
  for (Index j = 0; j < map.stride(); j += lanes) {
    V delta[C];
    for (int c = 0; c < C; ++c) delta[c] = hn::Sub(place[c], hn::LoadU(d, axis[c] + j));
    const V w = reciprocal(d, one_plus_square<C>(d, delta));
    weight = hn::Add(weight, w);
    const V squared = hn::Mul(w, w);
    for (int c = 0; c < C; ++c) repulsion[c] = hn::MulAdd(squared, delta[c], repulsion[c]);
    if constexpr (attract) {
      const V pull = hn::Mul(hn::LoadU(d, p + j), w);
      for (int c = 0; c < C; ++c) attraction[c] = hn::MulAdd(pull, delta[c], attraction[c]);
    }
  }
  const auto total = [&](V v) HWY_ATTR { return double(hn::GetLane(hn::SumOfLanes(d, v))); };
  out.weight = total(weight);
  for (int c = 0; c < C; ++c) {
    out.repulsion[c] = total(repulsion[c]);
    out.attraction[c] = total(attraction[c]);
  }
}

template <class T>
PairSums pair_sums_of(const TsneMap<T>& map, const T* y, const T* p) {
  PairSums out;
  with_components(map.components(), [&](auto c) HWY_ATTR {
    if (p)
      sums_of<c(), true>(map, y, p, out);
    else
      sums_of<c(), false>(map, y, p, out);
  });
  return out;
}

template <class T>
double pair_divergence_of(const TsneMap<T>& map, const T* y, const T* p) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  V sum = hn::Zero(d);
  with_components(map.components(), [&](auto components) HWY_ATTR {
    constexpr int C = components();
    for (Index j = 0; j < map.stride(); j += lanes) {
      V delta[C];
      for (int c = 0; c < C; ++c) delta[c] = hn::Sub(hn::Set(d, y[c]), hn::LoadU(d, map.axis(c) + j));
      sum = hn::MulAdd(hn::LoadU(d, p + j), hn::Log(d, one_plus_square<C>(d, delta)), sum);
    }
  });
  return double(hn::GetLane(hn::SumOfLanes(d, sum)));
}

/// The values at the places index[0 .. lanes).
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> gather(D d, const T* values, const std::int32_t* index) {
  const hn::RebindToSigned<D> integers;
  if constexpr (sizeof(T) == 4) {
    return hn::GatherIndex(d, values, hn::LoadU(integers, index));
  } else {
    const hn::Rebind<std::int32_t, D> narrow;
    return hn::GatherIndex(d, values, hn::PromoteTo(integers, hn::LoadU(narrow, index)));
  }
}

/// The places of the points index[0 .. lanes), from pairs of floats.
#if HWY_TARGET == HWY_SCALAR
template <class D, class V>
HWY_INLINE void gather_pairs(D d, const std::uint64_t* pairs, const std::int32_t* index, V& x, V& y) {
  float place[2];
  std::memcpy(place, pairs + *index, sizeof place);
  x = hn::Set(d, place[0]);
  y = hn::Set(d, place[1]);
}
#else
template <class D, class V>
HWY_INLINE void gather_pairs(D d, const std::uint64_t* pairs, const std::int32_t* index, V& x, V& y) {
  const hn::Repartition<std::uint64_t, D> wide;
  const hn::Repartition<std::int64_t, D> places;
  const hn::Half<hn::RebindToSigned<D>> narrow;
  const auto fetch = [&](const std::int32_t* from) HWY_ATTR {
    return hn::BitCast(d, hn::GatherIndex(wide, pairs, hn::PromoteTo(places, hn::LoadU(narrow, from))));
  };
  const V low = fetch(index), high = fetch(index + hn::Lanes(d) / 2);
  x = hn::ConcatEven(d, high, low);
  y = hn::ConcatOdd(d, high, low);
}
#endif

/// Two axes in float.
void paired_attraction(const TsneMap<float>& map, const SparseAffinities<float>& p,
                       const std::uint64_t* pairs, Index first, Index last, TsneMap<float>& out) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index i = first; i < last; ++i) {
    V sum_x = hn::Zero(d), sum_y = hn::Zero(d), x, y;
    const V own_x = hn::Set(d, map.axis(0)[i]), own_y = hn::Set(d, map.axis(1)[i]);
    const Index begin = p.begin[static_cast<std::size_t>(i)], end = p.begin[static_cast<std::size_t>(i + 1)];
    for (Index e = begin; e < end; e += lanes) {
      gather_pairs(d, pairs, p.index.data() + e, x, y);
      const V delta[2] = {hn::Sub(own_x, x), hn::Sub(own_y, y)};
      const V pull = hn::Mul(hn::LoadU(d, p.value.data() + e), reciprocal(d, one_plus_square<2>(d, delta)));
      sum_x = hn::MulAdd(pull, delta[0], sum_x);
      sum_y = hn::MulAdd(pull, delta[1], sum_y);
    }
    out.axis(0)[i] = hn::GetLane(hn::SumOfLanes(d, sum_x));
    out.axis(1)[i] = hn::GetLane(hn::SumOfLanes(d, sum_y));
  }
}

template <int C, class T>
void attraction_of(const TsneMap<T>& map, const SparseAffinities<T>& p, Index first, Index last,
                   TsneMap<T>& out) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index i = first; i < last; ++i) {
    V sum[C], place[C];
    for (int c = 0; c < C; ++c) {
      sum[c] = hn::Zero(d);
      place[c] = hn::Set(d, map.axis(c)[i]);
    }
    const Index begin = p.begin[static_cast<std::size_t>(i)], end = p.begin[static_cast<std::size_t>(i + 1)];
    for (Index e = begin; e < end; e += lanes) {
      V delta[C];
      for (int c = 0; c < C; ++c) delta[c] = hn::Sub(place[c], gather(d, map.axis(c), p.index.data() + e));
      const V pull = hn::Mul(hn::LoadU(d, p.value.data() + e), reciprocal(d, one_plus_square<C>(d, delta)));
      for (int c = 0; c < C; ++c) sum[c] = hn::MulAdd(pull, delta[c], sum[c]);
    }
    for (int c = 0; c < C; ++c) out.axis(c)[i] = hn::GetLane(hn::SumOfLanes(d, sum[c]));
  }
}

template <class T>
double link_divergence_of(const TsneMap<T>& map, const SparseAffinities<T>& p, Index first, Index last) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  double total = 0;
  with_components(map.components(), [&](auto components) HWY_ATTR {
    constexpr int C = components();
    for (Index i = first; i < last; ++i) {
      V sum = hn::Zero(d);
      const Index begin = p.begin[static_cast<std::size_t>(i)],
                  end = p.begin[static_cast<std::size_t>(i + 1)];
      for (Index e = begin; e < end; e += lanes) {
        V delta[C];
        for (int c = 0; c < C; ++c)
          delta[c] = hn::Sub(hn::Set(d, map.axis(c)[i]), gather(d, map.axis(c), p.index.data() + e));
        sum = hn::MulAdd(hn::LoadU(d, p.value.data() + e), hn::Log(d, one_plus_square<C>(d, delta)), sum);
      }
      total += double(hn::GetLane(hn::SumOfLanes(d, sum)));
    }
  });
  return total;
}

PairSums PairSumsFloat(const TsneMap<float>& map, const float* y, const float* p) {
  return pair_sums_of(map, y, p);
}
PairSums PairSumsDouble(const TsneMap<double>& map, const double* y, const double* p) {
  return pair_sums_of(map, y, p);
}
double PairDivergenceFloat(const TsneMap<float>& map, const float* y, const float* p) {
  return pair_divergence_of(map, y, p);
}
double PairDivergenceDouble(const TsneMap<double>& map, const double* y, const double* p) {
  return pair_divergence_of(map, y, p);
}
void AttractionFloat(const TsneMap<float>& map, const SparseAffinities<float>& p,
                     std::span<const std::uint64_t> pairs, Index first, Index last, TsneMap<float>& out) {
  if (!pairs.empty()) return paired_attraction(map, p, pairs.data(), first, last, out);
  with_components(map.components(), [&](auto c) HWY_ATTR { attraction_of<c()>(map, p, first, last, out); });
}
void AttractionDouble(const TsneMap<double>& map, const SparseAffinities<double>& p, Index first, Index last,
                      TsneMap<double>& out) {
  with_components(map.components(), [&](auto c) HWY_ATTR { attraction_of<c()>(map, p, first, last, out); });
}
double LinkDivergenceFloat(const TsneMap<float>& map, const SparseAffinities<float>& p, Index first,
                           Index last) {
  return link_divergence_of(map, p, first, last);
}
double LinkDivergenceDouble(const TsneMap<double>& map, const SparseAffinities<double>& p, Index first,
                            Index last) {
  return link_divergence_of(map, p, first, last);
}

}  // namespace mercer::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer {

HWY_EXPORT(PairSumsFloat);
HWY_EXPORT(PairSumsDouble);
HWY_EXPORT(PairDivergenceFloat);
HWY_EXPORT(PairDivergenceDouble);
HWY_EXPORT(AttractionFloat);
HWY_EXPORT(AttractionDouble);
HWY_EXPORT(LinkDivergenceFloat);
HWY_EXPORT(LinkDivergenceDouble);

template <>
PairSums pair_sums(const TsneMap<float>& map, const float* y, const float* p) {
  return HWY_DYNAMIC_DISPATCH(PairSumsFloat)(map, y, p);
}
template <>
PairSums pair_sums(const TsneMap<double>& map, const double* y, const double* p) {
  return HWY_DYNAMIC_DISPATCH(PairSumsDouble)(map, y, p);
}
template <>
double pair_divergence(const TsneMap<float>& map, const float* y, const float* p) {
  return HWY_DYNAMIC_DISPATCH(PairDivergenceFloat)(map, y, p);
}
template <>
double pair_divergence(const TsneMap<double>& map, const double* y, const double* p) {
  return HWY_DYNAMIC_DISPATCH(PairDivergenceDouble)(map, y, p);
}
template <>
void link_attraction(const TsneMap<float>& map, const SparseAffinities<float>& p,
                     std::span<const std::uint64_t> pairs, Index first, Index last, TsneMap<float>& out) {
  HWY_DYNAMIC_DISPATCH(AttractionFloat)(map, p, pairs, first, last, out);
}
template <>
void paired_places(const TsneMap<float>& map, std::vector<std::uint64_t>& pairs) {
  if (map.components() != 2) return pairs.clear();
  pairs.resize(static_cast<std::size_t>(map.points()));
  for (Index i = 0; i < map.points(); ++i) {
    const float place[2] = {map.axis(0)[i], map.axis(1)[i]};
    std::memcpy(&pairs[static_cast<std::size_t>(i)], place, sizeof place);
  }
}
template <>
void paired_places(const TsneMap<double>&, std::vector<std::uint64_t>& pairs) {
  pairs.clear();
}
template <>
void link_attraction(const TsneMap<double>& map, const SparseAffinities<double>& p,
                     std::span<const std::uint64_t>, Index first, Index last, TsneMap<double>& out) {
  HWY_DYNAMIC_DISPATCH(AttractionDouble)(map, p, first, last, out);
}
template <>
double link_divergence(const TsneMap<float>& map, const SparseAffinities<float>& p, Index first, Index last) {
  return HWY_DYNAMIC_DISPATCH(LinkDivergenceFloat)(map, p, first, last);
}
template <>
double link_divergence(const TsneMap<double>& map, const SparseAffinities<double>& p, Index first,
                       Index last) {
  return HWY_DYNAMIC_DISPATCH(LinkDivergenceDouble)(map, p, first, last);
}

}  // namespace mercer
#endif  // HWY_ONCE
