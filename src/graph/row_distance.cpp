// Sums of squared differences in double, and in float for first looks.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "graph/row_distance.cpp"
#include <hwy/foreach_target.h>
// (foreach_target must come first)
#include <hwy/highway.h>

#include "graph/row_distance.hpp"

#include <cstdint>
#include <limits>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace mercer::row_distance::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using VD = hn::Vec<D>;

HWY_INLINE VD load(D d, const double* x) { return hn::LoadU(d, x); }

#if HWY_TARGET == HWY_SCALAR
HWY_INLINE VD load(D d, const float* x) { return hn::Set(d, double(*x)); }
#else
HWY_INLINE VD load(D d, const float* x) {
  const hn::Rebind<float, D> half;
  return hn::PromoteTo(d, hn::LoadU(half, x));
}
#endif

template <class T>
double Sum(const T* HWY_RESTRICT x, const T* HWY_RESTRICT y, Index n) {
  const D d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const auto add = [&](VD sum, Index i) HWY_ATTR {
    const VD e = hn::Sub(load(d, x + i), load(d, y + i));
    return hn::MulAdd(e, e, sum);
  };
  VD s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  Index i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    s0 = add(s0, i), s1 = add(s1, i + lanes);
    s2 = add(s2, i + 2 * lanes), s3 = add(s3, i + 3 * lanes);
  }
  for (; i + lanes <= n; i += lanes) s0 = add(s0, i);
  double sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
  for (; i < n; ++i) {
    const double e = double(x[i]) - double(y[i]);
    sum += e * e;
  }
  return sum;
}

double SumFloat(const float* x, const float* y, Index n) { return Sum(x, y, n); }
double SumDouble(const double* x, const double* y, Index n) { return Sum(x, y, n); }

float InFloat(const float* HWY_RESTRICT x, const float* HWY_RESTRICT y, Index n) {
  const hn::ScalableTag<float> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const auto add = [&](auto sum, Index i) HWY_ATTR {
    const auto e = hn::Sub(hn::LoadU(d, x + i), hn::LoadU(d, y + i));
    return hn::MulAdd(e, e, sum);
  };
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  Index i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    s0 = add(s0, i), s1 = add(s1, i + lanes);
    s2 = add(s2, i + 2 * lanes), s3 = add(s3, i + 3 * lanes);
  }
  for (; i + lanes <= n; i += lanes) s0 = add(s0, i);
  float sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
  for (; i < n; ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sum;
}

}  // namespace mercer::row_distance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer {
namespace row_distance {

HWY_EXPORT(SumFloat);
HWY_EXPORT(SumDouble);
HWY_EXPORT(InFloat);

double squared(const float* x, const float* y, Index d) { return HWY_DYNAMIC_DISPATCH(SumFloat)(x, y, d); }
double squared(const double* x, const double* y, Index d) { return HWY_DYNAMIC_DISPATCH(SumDouble)(x, y, d); }

// A pointer taken before the first call would be the one that chooses, again and again.
InFloat in_float() {
  static const float nothing = 0;
  HWY_DYNAMIC_DISPATCH(InFloat)(&nothing, &nothing, 1);
  return HWY_DYNAMIC_DISPATCH(InFloat);
}

}  // namespace row_distance

template <class T>
RowDistance<T>::RowDistance(const Samples<T>& x, const Samples<T>& y)
    : sparse_(x.is_sparse()), d_(x.cols()), x_(&x), y_(&y) {
  if (sparse_) return;
  const auto a = x.dense(), b = y.dense();
  left_ = a.data(), left_stride_ = a.outerStride();
  right_ = b.data(), right_stride_ = b.outerStride();
}

template <class T>
double RowDistance<T>::of_sparse(Index i, Index j) const {
  const auto a = x_->sparse(), b = y_->sparse();
  auto p = a.outerIndexPtr()[i], p_end = a.outerIndexPtr()[i + 1];
  auto q = b.outerIndexPtr()[j], q_end = b.outerIndexPtr()[j + 1];
  constexpr auto none = std::numeric_limits<std::int64_t>::max();
  double sum = 0;
  while (p < p_end || q < q_end) {
    const std::int64_t cp = p < p_end ? a.innerIndexPtr()[p] : none;
    const std::int64_t cq = q < q_end ? b.innerIndexPtr()[q] : none;
    const double e = (cp <= cq ? double(a.valuePtr()[p]) : 0.0) - (cq <= cp ? double(b.valuePtr()[q]) : 0.0);
    p += cp <= cq;
    q += cq <= cp;
    sum += e * e;
  }
  return sum;
}

template class RowDistance<float>;
template class RowDistance<double>;

}  // namespace mercer
#endif  // HWY_ONCE
