// Random numbers that depend on seed and stream alone.
#include "base/random.hpp"

#include "support.hpp"

namespace mercer {
namespace {

TEST(RandomNumbers, DependOnSeedAndStreamAlone) {
  Random a(1), b(1), c(2), d(1, 1);
  EXPECT_EQ(a.bits(), b.bits());
  EXPECT_NE(a.bits(), c.bits());
  EXPECT_NE(b.bits(), d.bits());
}

TEST(RandomNumbers, HaveTheRightMoments) {
  Random random(3);
  double mean = 0, square = 0, uniform = 0;
  const int n = 200000;
  for (int i = 0; i < n; ++i) {
    const double x = random.normal();
    mean += x / n, square += x * x / n, uniform += random.uniform() / n;
  }
  EXPECT_NEAR(mean, 0, 0.01);
  EXPECT_NEAR(square, 1, 0.02);
  EXPECT_NEAR(uniform, 0.5, 0.005);
}

}  // namespace
}  // namespace mercer
