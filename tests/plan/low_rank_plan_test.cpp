// What the low-rank route takes, and when it streams.
#include "plan/low_rank_plan.hpp"

#include "support.hpp"

namespace mercer {
namespace {

Problem problem(Index n, Index rank) {
  Problem p;
  p.name = "kernel";
  p.size = n;
  p.components = 10;
  p.element_flops = 60;
  p.data_bytes = 80.0 * double(n);
  p.precision = Precision::float32;
  p.low_rank = true;
  p.rank = rank;
  return p;
}

TEST(LowRankPlan, AMillionPointsAtRankAThousandFitFourAndAHalfGigabytes) {
  const LowRankLayout layout = low_rank_layout(problem(1000000, 1000), {.memory = 4500000000});
  EXPECT_FALSE(layout.streamed);
  EXPECT_EQ(layout.rank, 1000);
  EXPECT_GT(layout.bytes, 4e9);
  EXPECT_GT(layout.flops, 2e12);
}

TEST(LowRankPlan, StreamsWhereTheFactorDoesNotFitAndKeepsToTheBudget) {
  for (const std::size_t memory : {400000000UL, 1000000000UL, 3000000000UL}) {
    const LowRankLayout layout = low_rank_layout(problem(1000000, 1000), {.memory = memory});
    EXPECT_TRUE(layout.streamed);
    EXPECT_LE(layout.bytes, double(memory));
    EXPECT_GE(layout.sample, 4000);
    EXPECT_LT(layout.sample, 1000000);
  }
  EXPECT_THROW((void)low_rank_layout(problem(1000000, 1000), {.memory = 50000000}), Error);
}

TEST(LowRankPlan, AToleranceMayTakeTheRankThatFits) {
  const LowRankLayout layout = low_rank_layout(problem(100000, 0), {.memory = 2000000000});
  EXPECT_FALSE(layout.streamed);
  EXPECT_GT(layout.rank, 2000);
  EXPECT_LE(layout.bytes, 2e9);
  EXPECT_EQ(low_rank_layout(problem(300, 0), {}).rank, 300);
}

TEST(LowRankPlan, IsNeverChosenUnaskedButOffered) {
  EXPECT_NE(make_plan(problem(500, 10), Route::automatic, {}).route, Route::lowrank);
  EXPECT_EQ(make_plan(problem(500, 10), Route::lowrank, {}).route, Route::lowrank);
  try {
    (void)make_plan(problem(5000000, 0), Route::automatic, {.memory = 3000000000});
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(e.hint().find("--route lowrank"), std::string::npos) << e.what();
  }
  Problem other = problem(500, 10);
  other.low_rank = false;
  EXPECT_THROW((void)make_plan(other, Route::lowrank, {}), Error);
}

}  // namespace
}  // namespace mercer
