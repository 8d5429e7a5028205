// The Student-t weight of t-SNE in vectors, for the files that Highway compiles once for each instruction
// set.
// (the guard turns over each time that Highway comes by)
#if defined(MERCER_MANIFOLD_TSNE_WEIGHT_INL) == defined(HWY_TARGET_TOGGLE)
#if defined(HWY_TARGET_TOGGLE)
#undef MERCER_MANIFOLD_TSNE_WEIGHT_INL
#else
#define MERCER_MANIFOLD_TSNE_WEIGHT_INL
#endif

#include <hwy/highway.h>

#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace mercer::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// 1/x for x ≥ 1: in float an estimate and a step of Newton's method, which is sooner done than a division.
template <class D, class V, class T = hn::TFromD<D>>
HWY_INLINE V reciprocal(D d, V x) {
  if constexpr (std::is_same_v<T, float>) {
    const V guess = hn::ApproximateReciprocal(x);
    return hn::Mul(guess, hn::NegMulAdd(x, guess, hn::Set(d, 2.0F)));
  } else {
    return hn::Div(hn::Set(d, T(1)), x);
  }
}

/// 1 + Σ delta², the weight's reciprocal.
template <int C, class D, class V>
HWY_INLINE V one_plus_square(D d, const V (&delta)[C]) {
  V sum = hn::Set(d, hn::TFromD<D>(1));
  for (int c = 0; c < C; ++c) sum = hn::MulAdd(delta[c], delta[c], sum);
  return sum;
}

}  // namespace mercer::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_TARGET_TOGGLE
