// The vectorised element-wise functions against long double arithmetic, at every tail length.
#include "kernel/elementwise.hpp"

#include "support.hpp"

namespace mercer {
namespace {

/// Distance in units in the last place.
template <class T>
double ulps(T value, long double truth) {
  const T rounded = static_cast<T>(truth);
  const T step = std::nextafter(std::abs(rounded), std::numeric_limits<T>::infinity()) - std::abs(rounded);
  return static_cast<double>(std::abs(static_cast<long double>(value) - truth) /
                             static_cast<long double>(step));
}

template <class T>
class Elementwise : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Elementwise, Types);

/// Applies f to arrays of every length up to 70 and compares each value with g.
template <class T, class F, class G>
void compare(const F& f, const G& g, double lo, double hi, double max_ulps) {
  for (Index n = 0; n <= 70; ++n) {
    Random random(static_cast<std::uint64_t>(n));
    std::vector<T> x(static_cast<std::size_t>(n) + 1, T(42));
    for (Index i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = T(lo + (hi - lo) * random.uniform());
    const std::vector<T> before = x;
    f(x.data(), n);
    for (Index i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      ASSERT_LE(ulps<T>(x[at], g(static_cast<long double>(before[at]))), max_ulps)
          << "x = " << before[at] << ", length " << n;
    }
    ASSERT_EQ(x.back(), T(42)) << "wrote past the end";
  }
}

TYPED_TEST(Elementwise, ExpIsRightToTwoUlps) {
  using T = TypeParam;
  compare<T>([](T* x, Index n) { elementwise::exp_scaled<T>(x, n, T(-1)); },
             [](long double v) { return std::exp(-v); }, 0, 80, 2);
  const double last = std::is_same_v<T, float> ? 86.9 : 707.9;  // then the results leave the normal numbers
  compare<T>([](T* x, Index n) { elementwise::exp_scaled<T>(x, n, T(-1)); },
             [](long double v) { return std::exp(-v); }, last - 1, last, 2);
  compare<T>([](T* x, Index n) { elementwise::exp_scaled<T>(x, n, T(-1)); },
             [](long double v) { return std::exp(-v); }, 0, 1e-3, 2);
  T zero = 0;
  elementwise::exp_scaled<T>(&zero, 1, T(-1));
  EXPECT_EQ(zero, T(1));
}

TYPED_TEST(Elementwise, ExpOfHugeDistancesIsZeroNotNan) {
  using T = TypeParam;
  std::vector<T> x{T(1e4), T(1e30), std::numeric_limits<T>::max()};
  elementwise::exp_scaled<T>(x.data(), 3, T(-1));
  for (T v : x) EXPECT_EQ(v, T(0));
}

TYPED_TEST(Elementwise, TanhIsRightToFourUlps) {
  using T = TypeParam;
  compare<T>([](T* x, Index n) { elementwise::tanh_affine<T>(x, n, T(1), T(0)); },
             [](long double v) { return std::tanh(v); }, -20, 20, 4);
}

TYPED_TEST(Elementwise, IntegerPowersAreMultiplications) {
  using T = TypeParam;
  for (int degree : {1, 2, 3, 4, 7, 10})
    compare<T>([&](T* x, Index n) { elementwise::power_affine<T>(x, n, T(1), T(0), degree); },
               [&](long double v) { return std::pow(v, static_cast<long double>(degree)); }, -3, 3,
               1.0 + degree);
}

TYPED_TEST(Elementwise, MaternAndRationalQuadraticFollowTheirFormulas) {
  using T = TypeParam;
  compare<T>([](T* x, Index n) { elementwise::matern32<T>(x, n, T(0.5)); },
             [](long double v) {
               const long double r = std::sqrt(3.0L * v) / 2;
               return (1 + r) * std::exp(-r);
             },
             0, 50, 20);
  compare<T>([](T* x, Index n) { elementwise::matern52<T>(x, n, T(0.5)); },
             [](long double v) {
               const long double r = std::sqrt(5.0L * v) / 2;
               return (1 + r + r * r / 3) * std::exp(-r);
             },
             0, 50, 20);
  compare<T>([](T* x, Index n) { elementwise::rational_quadratic<T>(x, n, T(0.25), T(1.5)); },
             [](long double v) { return std::pow(1 + v / 4, -1.5L); }, 0, 100, 12);
}

TYPED_TEST(Elementwise, SumsOverFeaturesMatchPlainLoops) {
  using T = TypeParam;
  for (Index d = 0; d <= 100; ++d) {
    Matrix<T> xy = test::random_matrix<T>(2, d, static_cast<std::uint64_t>(d)).cwiseAbs();
    if (d > 3) xy.col(3).setZero();  // 0/0 of chi² counts as 0
    long double sq = 0, l1 = 0, chi = 0;
    for (Index k = 0; k < d; ++k) {
      const long double a = xy(0, k), b = xy(1, k);
      sq += (a - b) * (a - b), l1 += std::abs(a - b);
      if (a + b > 0) chi += (a - b) * (a - b) / (a + b);
    }
    const double eps = 10 * double(std::numeric_limits<T>::epsilon()) * double(d + 1);
    EXPECT_NEAR(elementwise::sqdist(xy.data(), xy.data() + d, d), double(sq), eps * double(sq + 1));
    EXPECT_NEAR(elementwise::l1dist(xy.data(), xy.data() + d, d), double(l1), eps * double(l1 + 1));
    EXPECT_NEAR(elementwise::chi2(xy.data(), xy.data() + d, d), double(chi), eps * double(chi + 1));
  }
}

}  // namespace
}  // namespace mercer
