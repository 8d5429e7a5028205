// The upper limit of a mean, and what is known of the remainder when groups of points come together.
#include "spectral/lowrank_bound.hpp"

#include <mercer/error.hpp>

#include "support.hpp"

namespace mercer {
namespace {

TEST(MeanUpperLimit, IsTheRootOfTheRelativeEntropy) {
  for (const double q : {0.0, 1e-4, 0.3, 0.9})
    for (const Index m : {10, 1000, 1000000}) {
      const double p = mean_upper_limit(q, m, 1e-6), c = std::log(1e6) / double(m);
      EXPECT_GE(p, q);
      const double kl = (q > 0 ? q * std::log(q / p) : 0) + (1 - q) * std::log((1 - q) / (1 - p));
      EXPECT_NEAR(kl, c, 1e-6 * c + 1e-12) << q << " " << m;
    }
  EXPECT_NEAR(mean_upper_limit(0, 100, 1e-3), 1 - std::pow(1e-3, 0.01), 1e-12);
  EXPECT_EQ(mean_upper_limit(1, 100, 1e-3), 1);
  EXPECT_EQ(mean_upper_limit(0, 0, 1e-3), 1);
}

TEST(MeanUpperLimit, FailsNoMoreOftenThanItSays) {
  const double delta = 0.02;
  int failures = 0;
  const int trials = 5000;
  for (int t = 0; t < trials; ++t) {
    Random random(static_cast<std::uint64_t>(t), 7);
    const double truth = std::pow(10.0, -3 * random.uniform());
    const int m = 60;
    double sum = 0;  // coins: the hardest variables in [0, 1]
    for (int i = 0; i < m; ++i) sum += random.uniform() < truth;
    failures += mean_upper_limit(sum / m, m, delta) < truth;
  }
  EXPECT_LE(failures, trials * delta);
  EXPECT_GT(failures, 0) << "a limit that never fails is looser than it needs to be";
}

TEST(RemainderBounds, NormsOfBlocksAddUpAndDistantGroupsAreCoupled) {
  const Remainder one = with_points({}, {5, 10, 3}, 1e-6, {});
  EXPECT_TRUE(one.one_sided());
  EXPECT_EQ(one.rigorous(), 10);
  EXPECT_EQ(one.probable(), 3);
  const Remainder same = with_points(one, {5, 4, 2}, 1e-6, {4});
  EXPECT_TRUE(same.one_sided());
  EXPECT_EQ(same.rigorous(), 14);
  EXPECT_EQ(same.probable(), 5);
  EXPECT_DOUBLE_EQ(same.delta, 2e-6);
  const Remainder grown = with_points(one, {8, 1, 0.5}, 1e-6, {2.5});
  EXPECT_FALSE(grown.one_sided());
  EXPECT_EQ(grown.trace(), 11);
  EXPECT_EQ(grown.rigorous(), 10 + 5);
  // What rounding may hide of a trace of 0 shows in what lies between.
  EXPECT_EQ(with_points(with_points({}, {5, 0, 0}, 1e-6, {}), {8, 1, 0.5}, 1e-6, {9}, 1).rigorous(),
            1 + std::sqrt(10.0));
  EXPECT_EQ(joined(one, one).rigorous(), 20);
  EXPECT_THROW((void)joined(grown, one), Error);
}

}  // namespace
}  // namespace mercer
