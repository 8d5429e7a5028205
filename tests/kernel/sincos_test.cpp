// Sine and cosine in turns against long double, also where radians would have lost all digits.
#include "kernel/sincos.hpp"

#include "support.hpp"

#include <limits>
#include <numbers>

namespace mercer {
namespace {

template <class T>
class Sincos : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Sincos, Types);

TYPED_TEST(Sincos, IsRightToAFewRoundingsForAnglesOfAnySizeAndArraysOfAnyLength) {
  using T = TypeParam;
  for (const double size : {1e-3, 1.0, 50.0, 1e4, 1e6})
    for (Index n = 0; n <= 40; ++n) {
      Random random(static_cast<std::uint64_t>(n), 5);
      const auto length = static_cast<std::size_t>(n);
      std::vector<T> t(length), a(length), c(length + 1, T(42)), s(length + 1, T(42));
      for (std::size_t i = 0; i < length; ++i) {
        t[i] = T(size * (2 * random.uniform() - 1));
        a[i] = T(random.uniform());
      }
      elementwise::sincos_turns<T>(t.data(), a.data(), c.data(), s.data(), n);
      for (std::size_t i = 0; i < length; ++i) {
        const long double turns = static_cast<long double>(t[i]);
        const long double angle = 2 * std::numbers::pi_v<long double> * (turns - std::round(turns));
        const double allowed = 8 * double(std::numeric_limits<T>::epsilon() * a[i]);
        ASSERT_NEAR(double(c[i]), double(static_cast<long double>(a[i]) * std::cos(angle)), allowed) << t[i];
        ASSERT_NEAR(double(s[i]), double(static_cast<long double>(a[i]) * std::sin(angle)), allowed) << t[i];
      }
      ASSERT_EQ(c.back(), T(42)) << "wrote past the end";
      ASSERT_EQ(s.back(), T(42)) << "wrote past the end";
    }
}

TYPED_TEST(Sincos, WorksInPlaceAndTakesWhatHasNoFractionAsWholeTurns) {
  using T = TypeParam;
  std::vector<T> t{T(0.25), T(1e30), std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN()},
      a(4, T(1)), s(4);
  elementwise::sincos_turns<T>(t.data(), a.data(), t.data(), s.data(), 4);
  EXPECT_NEAR(double(t[0]), 0, 1e-6);
  EXPECT_NEAR(double(s[0]), 1, 1e-6);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_NEAR(double(t[i]), 1, 1e-6);
    EXPECT_EQ(s[i], T(0));
  }
}

}  // namespace
}  // namespace mercer
