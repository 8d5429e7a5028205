// Element-wise parts of the kernels. Highway compiles the code between the guards once for each
// instruction set and picks the best one at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/elementwise.cpp"
#include <hwy/foreach_target.h>
// (foreach_target must come first)
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "kernel/elementwise.hpp"

#include <numbers>

HWY_BEFORE_NAMESPACE();
namespace mercer::elementwise::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// x_i = f(x_i) for all i; the tail goes through a full vector padded with zeros.
template <class T, class F>
void map_in_place(T* HWY_RESTRICT x, Index n, const F& f) {
  const hn::ScalableTag<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(f(d, hn::LoadU(d, x + i)), d, x + i);
  if (i == n) return;
  HWY_ALIGN T tail[HWY_MAX_BYTES / sizeof(T)] = {};
  for (Index j = i; j < n; ++j) tail[j - i] = x[j];
  hn::Store(f(d, hn::Load(d, tail)), d, tail);
  for (Index j = i; j < n; ++j) x[j] = tail[j - i];
}

/// What exp needs in each precision: eʳ = 1 + r + r²·g(r) for |r| ≤ ln 2/2, with g's Chebyshev
/// interpolant (its error is a twelfth of a unit in the last place).
template <class T>
struct ExpConstants;
template <>
struct ExpConstants<double> {
  static constexpr double lowest = -708, magic = 0x1.8p52;
  static constexpr double ln2_high = 0x1.62e42fefa3p-1, ln2_low = 0x1.3de6af278ece6p-42;
  static constexpr int mantissa = 52;
  template <class D, class V>
  HWY_INLINE static V g(D d, V r) {
    const V r2 = hn::Mul(r, r), r4 = hn::Mul(r2, r2);
    const auto pair = [&](double a, double b) { return hn::MulAdd(hn::Set(d, b), r, hn::Set(d, a)); };
    const V low = hn::MulAdd(pair(0x1.5555555553d63p-5, 0x1.11111111109b3p-7), r2,
                             pair(0x1.0000000000001p-1, 0x1.5555555555556p-3));
    const V middle = hn::MulAdd(pair(0x1.a019b90d2ae7ap-16, 0x1.71de0dae63bb3p-19), r2,
                                pair(0x1.6c16c1788bd9p-10, 0x1.a01a01a7c41d5p-13));
    const V high = pair(0x1.289185613a3d6p-22, 0x1.af38a9b0ec855p-26);
    return hn::MulAdd(hn::MulAdd(high, r4, middle), r4, low);
  }
};
template <>
struct ExpConstants<float> {
  static constexpr float lowest = -87, magic = 0x1.8p23F;
  static constexpr float ln2_high = 0x1.62e4p-1F, ln2_low = 0x1.7f7d1cp-20F;
  static constexpr int mantissa = 23;
  template <class D, class V>
  HWY_INLINE static V g(D d, V r) {
    const V low = hn::MulAdd(hn::Set(d, 0x1.5554dcp-3F), r, hn::Set(d, 0.5F));
    const V high = hn::MulAdd(hn::Set(d, 0x1.120b6ep-7F), r, hn::Set(d, 0x1.55551ap-5F));
    const V r2 = hn::Mul(r, r);
    return hn::MulAdd(hn::MulAdd(hn::Set(d, 0x1.6d110ap-10F), r2, high), r2, low);
  }
};

/// eˣ for x ≤ 0, as kernels of distances need it: 2^q·eʳ with q the whole number nearest to x/ln 2, found by
/// adding a number so large that only q is left of the sum. One and a half times as fast as Highway's, which
/// serves every x; below the normal numbers the result is 0.
template <class D, class V, class T = hn::TFromD<D>>
HWY_INLINE V exp_below_zero(D d, V x) {
  using C = ExpConstants<T>;
  const hn::RebindToSigned<D> integers;
  const V magic = hn::Set(d, C::magic);
  const V shifted = hn::MulAdd(x, hn::Set(d, std::numbers::log2e_v<T>), magic), q = hn::Sub(shifted, magic);
  const V r = hn::NegMulAdd(q, hn::Set(d, C::ln2_low), hn::NegMulAdd(q, hn::Set(d, C::ln2_high), x));
  const V power = hn::Add(hn::MulAdd(hn::Mul(r, r), C::g(d, r), r), hn::Set(d, T(1)));
  const auto exponent = hn::ShiftLeft<C::mantissa>(hn::BitCast(integers, shifted));
  const V scaled = hn::BitCast(d, hn::Add(hn::BitCast(integers, power), exponent));
  return hn::IfThenElseZero(hn::Ge(x, hn::Set(d, C::lowest)), scaled);
}

template <class T>
struct ExpScaled {
  T scale;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V v) const {
    return exp_below_zero(d, hn::Mul(v, hn::Set(d, scale)));
  }
};

template <class T>
struct TanhAffine {
  T scale, shift;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V v) const {
    return hn::Tanh(d, hn::MulAdd(v, hn::Set(d, scale), hn::Set(d, shift)));
  }
};

template <class T>
struct PowerAffine {
  T scale, shift;
  int degree;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V v) const {  // square and multiply
    V base = hn::MulAdd(v, hn::Set(d, scale), hn::Set(d, shift));
    V power = hn::Set(d, T(1));
    for (int e = degree; e > 0; e >>= 1) {
      if (e & 1) power = hn::Mul(power, base);
      if (e > 1) base = hn::Mul(base, base);
    }
    return power;
  }
};

template <class T>
struct Matern32 {
  T factor;  // √3/ℓ
  template <class D, class V>
  HWY_INLINE V operator()(D d, V v) const {
    const V r = hn::Mul(hn::Sqrt(v), hn::Set(d, factor));
    return hn::Mul(hn::Add(hn::Set(d, T(1)), r), exp_below_zero(d, hn::Neg(r)));
  }
};

template <class T>
struct Matern52 {
  T factor;  // √5/ℓ
  template <class D, class V>
  HWY_INLINE V operator()(D d, V v) const {
    const V r = hn::Mul(hn::Sqrt(v), hn::Set(d, factor));
    const V one_r = hn::Add(hn::Set(d, T(1)), r);
    const V polynomial = hn::MulAdd(hn::Mul(r, r), hn::Set(d, T(1) / T(3)), one_r);
    return hn::Mul(polynomial, exp_below_zero(d, hn::Neg(r)));
  }
};

template <class T>
struct RationalQuadratic {
  T scale, alpha;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V v) const {
    const V log = hn::Log1p(d, hn::Mul(v, hn::Set(d, scale)));
    return exp_below_zero(d, hn::Mul(log, hn::Set(d, -alpha)));
  }
};

template <class T>
struct Scaled {
  T factor;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V v) const {
    return hn::Mul(v, hn::Set(d, factor));
  }
};

template <class T>
bool SqdistFromDot(T* HWY_RESTRICT x, Index n, T a, const T* HWY_RESTRICT b, T guard) {
  const hn::ScalableTag<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const auto va = hn::Set(d, a), minus_two = hn::Set(d, T(-2)), vguard = hn::Set(d, guard),
             zero = hn::Zero(d);
  bool close = false;
  Index i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto sum = hn::Add(va, hn::LoadU(d, b + i));
    const auto dist = hn::MulAdd(minus_two, hn::LoadU(d, x + i), sum);
    close |= !hn::AllFalse(d, hn::Lt(dist, hn::Mul(vguard, sum)));
    hn::StoreU(hn::Max(dist, zero), d, x + i);
  }
  for (; i < n; ++i) {
    const T sum = a + b[i], dist = sum - 2 * x[i];
    close |= dist < guard * sum;
    x[i] = dist > 0 ? dist : T(0);
  }
  return close;
}

/// Σ_k f(x_k, y_k) with four accumulators, so that the additions do not wait for each other.
template <class T, class F>
T sum_over_features(const T* HWY_RESTRICT x, const T* HWY_RESTRICT y, Index n, const F& f) {
  const hn::ScalableTag<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  Index i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    s0 = hn::Add(s0, f(d, hn::LoadU(d, x + i), hn::LoadU(d, y + i)));
    s1 = hn::Add(s1, f(d, hn::LoadU(d, x + i + lanes), hn::LoadU(d, y + i + lanes)));
    s2 = hn::Add(s2, f(d, hn::LoadU(d, x + i + 2 * lanes), hn::LoadU(d, y + i + 2 * lanes)));
    s3 = hn::Add(s3, f(d, hn::LoadU(d, x + i + 3 * lanes), hn::LoadU(d, y + i + 3 * lanes)));
  }
  for (; i + lanes <= n; i += lanes) s0 = hn::Add(s0, f(d, hn::LoadU(d, x + i), hn::LoadU(d, y + i)));
  if (i < n) {
    HWY_ALIGN T tail_x[HWY_MAX_BYTES / sizeof(T)] = {};
    HWY_ALIGN T tail_y[HWY_MAX_BYTES / sizeof(T)] = {};
    for (Index j = i; j < n; ++j) tail_x[j - i] = x[j], tail_y[j - i] = y[j];
    s1 = hn::Add(s1, f(d, hn::Load(d, tail_x), hn::Load(d, tail_y)));
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
}

struct SquaredDifference {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    const V e = hn::Sub(x, y);
    return hn::Mul(e, e);
  }
};
struct AbsoluteDifference {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    return hn::Abs(hn::Sub(x, y));
  }
};
struct Chi2Term {  // (x − y)²/(x + y), and 0 where both are 0
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    const V e = hn::Sub(x, y), sum = hn::Add(x, y);
    const auto positive = hn::Gt(sum, hn::Zero(d));
    // (e/sum)·e: e² may leave the numbers' range where the quotient does not.
    return hn::IfThenElseZero(positive, hn::Mul(hn::Div(e, hn::IfThenElse(positive, sum, hn::Set(d, 1))), e));
  }
};

struct Added {
  template <class V>
  HWY_INLINE V operator()(V x, V y) const {
    return hn::Add(x, y);
  }
};
struct Multiplied {
  template <class V>
  HWY_INLINE V operator()(V x, V y) const {
    return hn::Mul(x, y);
  }
};
template <class T, class F>
void combine(T* HWY_RESTRICT x, const T* HWY_RESTRICT y, Index n, const F& f) {
  const hn::ScalableTag<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(f(hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, x + i);
  const hn::CappedTag<T, 1> one;
  for (; i < n; ++i) hn::StoreU(f(hn::LoadU(one, x + i), hn::LoadU(one, y + i)), one, x + i);
}

// One plain function each for the two element types, as dispatch tables need.
#define MERCER_FOR_TYPE(T, Suffix)                                                                          \
  void ExpScaled##Suffix(T* x, Index n, T s) { map_in_place(x, n, ExpScaled<T>{s}); }                       \
  void TanhAffine##Suffix(T* x, Index n, T s, T c) { map_in_place(x, n, TanhAffine<T>{s, c}); }             \
  void PowerAffine##Suffix(T* x, Index n, T s, T c, int p) { map_in_place(x, n, PowerAffine<T>{s, c, p}); } \
  void Matern32##Suffix(T* x, Index n, T f) { map_in_place(x, n, Matern32<T>{f}); }                         \
  void Matern52##Suffix(T* x, Index n, T f) { map_in_place(x, n, Matern52<T>{f}); }                         \
  void RationalQuadratic##Suffix(T* x, Index n, T s, T a) {                                                 \
    map_in_place(x, n, RationalQuadratic<T>{s, a});                                                         \
  }                                                                                                         \
  void Scaled##Suffix(T* x, Index n, T f) { map_in_place(x, n, Scaled<T>{f}); }                             \
  void Add##Suffix(T* x, const T* y, Index n) { combine(x, y, n, Added{}); }                                \
  void Multiply##Suffix(T* x, const T* y, Index n) { combine(x, y, n, Multiplied{}); }                      \
  bool SqdistFromDot##Suffix(T* x, Index n, T a, const T* b, T g) {                                         \
    return SqdistFromDot<T>(x, n, a, b, g);                                                                 \
  }                                                                                                         \
  T Sqdist##Suffix(const T* x, const T* y, Index d) {                                                       \
    return sum_over_features(x, y, d, SquaredDifference{});                                                 \
  }                                                                                                         \
  T L1dist##Suffix(const T* x, const T* y, Index d) {                                                       \
    return sum_over_features(x, y, d, AbsoluteDifference{});                                                \
  }                                                                                                         \
  T Chi2##Suffix(const T* x, const T* y, Index d) { return sum_over_features(x, y, d, Chi2Term{}); }
MERCER_FOR_TYPE(float, Float)
MERCER_FOR_TYPE(double, Double)
#undef MERCER_FOR_TYPE

}  // namespace mercer::elementwise::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer::elementwise {

#define MERCER_DISPATCH(T, Suffix)                                                           \
  HWY_EXPORT(ExpScaled##Suffix);                                                             \
  HWY_EXPORT(TanhAffine##Suffix);                                                            \
  HWY_EXPORT(PowerAffine##Suffix);                                                           \
  HWY_EXPORT(Matern32##Suffix);                                                              \
  HWY_EXPORT(Matern52##Suffix);                                                              \
  HWY_EXPORT(RationalQuadratic##Suffix);                                                     \
  HWY_EXPORT(Scaled##Suffix);                                                                \
  HWY_EXPORT(Add##Suffix);                                                                   \
  HWY_EXPORT(Multiply##Suffix);                                                              \
  HWY_EXPORT(SqdistFromDot##Suffix);                                                         \
  HWY_EXPORT(Sqdist##Suffix);                                                                \
  HWY_EXPORT(L1dist##Suffix);                                                                \
  HWY_EXPORT(Chi2##Suffix);                                                                  \
  template <>                                                                                \
  void exp_scaled(T* x, Index n, T s) {                                                      \
    HWY_DYNAMIC_DISPATCH(ExpScaled##Suffix)(x, n, s);                                        \
  }                                                                                          \
  template <>                                                                                \
  void tanh_affine(T* x, Index n, T s, T c) {                                                \
    HWY_DYNAMIC_DISPATCH(TanhAffine##Suffix)(x, n, s, c);                                    \
  }                                                                                          \
  template <>                                                                                \
  void power_affine(T* x, Index n, T s, T c, int p) {                                        \
    HWY_DYNAMIC_DISPATCH(PowerAffine##Suffix)(x, n, s, c, p);                                \
  }                                                                                          \
  template <>                                                                                \
  void matern32(T* x, Index n, T inverse_length) {                                           \
    HWY_DYNAMIC_DISPATCH(Matern32##Suffix)(x, n, T(1.7320508075688772935) * inverse_length); \
  }                                                                                          \
  template <>                                                                                \
  void matern52(T* x, Index n, T inverse_length) {                                           \
    HWY_DYNAMIC_DISPATCH(Matern52##Suffix)(x, n, T(2.2360679774997896964) * inverse_length); \
  }                                                                                          \
  template <>                                                                                \
  void rational_quadratic(T* x, Index n, T s, T a) {                                         \
    HWY_DYNAMIC_DISPATCH(RationalQuadratic##Suffix)(x, n, s, a);                             \
  }                                                                                          \
  template <>                                                                                \
  void scale(T* x, Index n, T f) {                                                           \
    HWY_DYNAMIC_DISPATCH(Scaled##Suffix)(x, n, f);                                           \
  }                                                                                          \
  template <>                                                                                \
  void add(T* x, const T* y, Index n) {                                                      \
    HWY_DYNAMIC_DISPATCH(Add##Suffix)(x, y, n);                                              \
  }                                                                                          \
  template <>                                                                                \
  void multiply(T* x, const T* y, Index n) {                                                 \
    HWY_DYNAMIC_DISPATCH(Multiply##Suffix)(x, y, n);                                         \
  }                                                                                          \
  template <>                                                                                \
  bool sqdist_from_dot(T* x, Index n, T a, const T* b, T g) {                                \
    return HWY_DYNAMIC_DISPATCH(SqdistFromDot##Suffix)(x, n, a, b, g);                       \
  }                                                                                          \
  template <>                                                                                \
  T sqdist(const T* x, const T* y, Index d) {                                                \
    return HWY_DYNAMIC_DISPATCH(Sqdist##Suffix)(x, y, d);                                    \
  }                                                                                          \
  template <>                                                                                \
  T l1dist(const T* x, const T* y, Index d) {                                                \
    return HWY_DYNAMIC_DISPATCH(L1dist##Suffix)(x, y, d);                                    \
  }                                                                                          \
  template <>                                                                                \
  T chi2(const T* x, const T* y, Index d) {                                                  \
    return HWY_DYNAMIC_DISPATCH(Chi2##Suffix)(x, y, d);                                      \
  }
MERCER_DISPATCH(float, Float)
MERCER_DISPATCH(double, Double)
#undef MERCER_DISPATCH

}  // namespace mercer::elementwise
#endif  // HWY_ONCE
