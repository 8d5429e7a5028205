// Expected seconds: they follow the size, the route and the precision as real fits do.
#include "plan/cost_model.hpp"

#include <gtest/gtest.h>

namespace mercer {
namespace {

constexpr MachineRates rates{1e11, 2e11, 1e9, 3e9, 3e10, 1e9};

Problem kernel_problem(Index n) {
  Problem p;
  p.name = "kernel";
  p.size = n;
  p.components = 10;
  p.functions = 1;
  p.element_flops = 120;
  return p;
}

double seconds(Index n, Route route) { return cost::seconds(kernel_problem(n), route, rates); }

TEST(CostModel, TwiceTheSizeIsFourTimesTheWorkForKrylovAndEightTimesForLapack) {
  EXPECT_NEAR(seconds(20000, Route::stored) / seconds(10000, Route::stored), 4, 0.5);
  EXPECT_NEAR(seconds(20000, Route::tiled) / seconds(10000, Route::tiled), 4, 0.5);
  EXPECT_NEAR(seconds(20000, Route::dense) / seconds(10000, Route::dense), 8, 1);
}

TEST(CostModel, RecomputingTilesIsDearerThanKeepingThem) {
  EXPECT_GT(seconds(10000, Route::tiled), seconds(10000, Route::stored));
  EXPECT_GT(seconds(10000, Route::dense), 5 * seconds(10000, Route::stored));
}

TEST(CostModel, FloatIsFaster) {
  Problem p = kernel_problem(10000);
  const double in_double = cost::seconds(p, Route::stored, rates);
  p.precision = Precision::float32;
  EXPECT_LT(cost::seconds(p, Route::stored, rates), in_double);
}

}  // namespace
}  // namespace mercer
