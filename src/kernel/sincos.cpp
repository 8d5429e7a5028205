// Sine and cosine of angles in turns. Highway compiles the code between the guards once for each
// instruction set and picks the best one at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/sincos.cpp"
#include <hwy/foreach_target.h>
// (foreach_target must come first)
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "kernel/sincos.hpp"

#include <limits>
#include <numbers>

HWY_BEFORE_NAMESPACE();
namespace mercer::elementwise::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T, class D>
HWY_INLINE void sincos_vector(D d, const T* t, const T* a, T* cosine, T* sine) {
  const auto turns = hn::LoadU(d, t), amplitude = hn::LoadU(d, a);
  const auto countable = hn::Lt(hn::Abs(turns), hn::Set(d, T(0.5) / std::numeric_limits<T>::epsilon()));
  const auto small = hn::IfThenElseZero(countable, turns);
  const auto angle = hn::Mul(hn::Sub(small, hn::Round(small)), hn::Set(d, 2 * std::numbers::pi_v<T>));
  hn::StoreU(hn::Mul(amplitude, hn::Cos(d, angle)), d, cosine);
  hn::StoreU(hn::Mul(amplitude, hn::Sin(d, angle)), d, sine);
}

template <class T>
void sincos_of(const T* t, const T* a, T* cosine, T* sine, Index n) {
  const hn::ScalableTag<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  for (; i + lanes <= n; i += lanes) sincos_vector<T>(d, t + i, a + i, cosine + i, sine + i);
  if (i == n) return;
  constexpr std::size_t most = HWY_MAX_BYTES / sizeof(T);  // the tail goes through a full vector
  HWY_ALIGN T turns[most] = {}, amplitude[most] = {}, c[most], s[most];
  for (Index j = i; j < n; ++j) {
    turns[j - i] = t[j];
    amplitude[j - i] = a[j];
  }
  sincos_vector<T>(d, turns, amplitude, c, s);
  for (Index j = i; j < n; ++j) {
    cosine[j] = c[j - i];
    sine[j] = s[j - i];
  }
}

void SincosFloat(const float* t, const float* a, float* c, float* s, Index n) { sincos_of(t, a, c, s, n); }
void SincosDouble(const double* t, const double* a, double* c, double* s, Index n) {
  sincos_of(t, a, c, s, n);
}

}  // namespace mercer::elementwise::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer::elementwise {

HWY_EXPORT(SincosFloat);
HWY_EXPORT(SincosDouble);

template <>
void sincos_turns(const float* t, const float* a, float* cosine, float* sine, Index n) {
  HWY_DYNAMIC_DISPATCH(SincosFloat)(t, a, cosine, sine, n);
}
template <>
void sincos_turns(const double* t, const double* a, double* cosine, double* sine, Index n) {
  HWY_DYNAMIC_DISPATCH(SincosDouble)(t, a, cosine, sine, n);
}

}  // namespace mercer::elementwise
#endif  // HWY_ONCE
