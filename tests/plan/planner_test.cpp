// Which route for which problem, and what is said when none fits.
#include "plan/planner.hpp"

#include "support.hpp"

namespace mercer {
namespace {

Problem kernel_problem(Index n, Index k) {
  Problem p;
  p.name = "kernel";
  p.size = n;
  p.components = k;
  p.element_flops = 100;
  return p;
}

Route chosen(Index n, Index k, std::size_t memory) {
  return make_plan(kernel_problem(n, k), Route::automatic, {.memory = memory}).route;
}

TEST(Planner, SmallProblemsAndManyComponentsGoToLapack) {
  EXPECT_EQ(chosen(200, 2, 1000000000), Route::dense);
  EXPECT_EQ(chosen(3000, 1000, 4000000000), Route::dense);
}

TEST(Planner, AShareOfFewPointsGoesToLapackAndOfManyToKrylov) {
  Problem few = kernel_problem(1500, 1), many = kernel_problem(10000, 1);
  few.components = many.components = Components::parse("0.9");
  EXPECT_EQ(make_plan(few, Route::automatic, {.memory = 4000000000}).route, Route::dense);
  EXPECT_EQ(make_plan(many, Route::automatic, {.memory = 4000000000}).route, Route::stored);
}

TEST(Planner, FewComponentsAreFoundByKrylovOnTheStoredMatrixWhileItFits) {
  EXPECT_EQ(chosen(10000, 10, 4000000000), Route::stored);
  EXPECT_EQ(chosen(10000, 10, 150000000), Route::tiled);
  EXPECT_EQ(chosen(100000, 10, 4000000000), Route::tiled);
}

TEST(Planner, TilesAreKeptInFloatWhereDoubleDoesNotFit) {
  const Plan roomy = make_plan(kernel_problem(10000, 10), Route::automatic, {.memory = 4000000000}),
             tight = make_plan(kernel_problem(10000, 10), Route::automatic, {.memory = 300000000});
  EXPECT_FALSE(roomy.rounded);
  EXPECT_TRUE(tight.rounded);
  EXPECT_EQ(tight.route, Route::stored);
  EXPECT_LE(tight.bytes, 300000000);
  EXPECT_NE(tight.reason.find("float"), std::string::npos) << tight.reason;
}

TEST(Planner, FloatHalvesTheStoredMatrix) {
  Problem p = kernel_problem(10000, 10);
  const double in_double = make_plan(p, Route::stored, {.memory = 8000000000}).bytes;
  p.precision = Precision::float32;
  EXPECT_LT(make_plan(p, Route::stored, {.memory = 8000000000}).bytes, 0.65 * in_double);
}

TEST(Planner, WhenNothingFitsItSaysWhatWould) {
  try {
    (void)make_plan(kernel_problem(10000, 10), Route::automatic, {.memory = 1000000});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::no_memory);
    for (const char* part :
         {"dense would need", "stored would need", "tiled would need", "raise --memory to at least"})
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

TEST(Planner, APinnedRouteIsKeptOrRefusedWithTheOnesThatFit) {
  EXPECT_EQ(make_plan(kernel_problem(200, 2), Route::tiled, {}).route, Route::tiled);
  try {
    (void)make_plan(kernel_problem(10000, 10), Route::dense, {.memory = 500000000});
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("these fit: --route stored, tiled"), std::string::npos) << e.what();
  }
}

TEST(Planner, DataAppliedDirectlyBeatsAMatrixThatIsDearToForm) {
  Problem p;
  p.name = "covariance";
  p.size = 20000;
  p.components = 10;
  p.element_flops = 100000;  // dense data, n = 100,000
  p.apply_flops = 4.0 * 100000 * 20000;
  EXPECT_EQ(make_plan(p, Route::automatic, {.memory = 20000000000}).route, Route::tiled);
}

double tiled_bytes(const Problem& p) { return make_plan(p, Route::tiled, {.memory = 64000000000}).bytes; }

TEST(Planner, TheTiledRouteCountsTheVectorsOfTheSolverItWillUse) {
  Problem p = kernel_problem(100000, 10);
  const double vector = 100000 * 8.0;
  EXPECT_GE(tiled_bytes(p), 439 * vector) << "a basis of 2k + 32 blocks of 8, half as many at a restart";
  p.indefinite = true;
  EXPECT_GE(tiled_bytes(p), 442 * vector) << "eight more of the lower end beside the ten wanted";
  p.indefinite = false;
  p.low_rank = true;  // Davidson, from landmarks; block Krylov with a small basis where that gives up
  EXPECT_TRUE(begins_from_landmarks(p));
  EXPECT_LE(tiled_bytes(p), 330 * vector);
  p.components = Components::parse("0.9");
  EXPECT_FALSE(begins_from_landmarks(p));
}

TEST(Planner, EveryCopyOfTheDataCounts) {
  const Problem p = kernel_problem(100000, 10);
  Problem copied = p;
  copied.data_bytes = 1e9;
  copied.tile_bytes = 2e9;
  copied.rough_bytes = 4e9;
  const auto more = [&](Problem a, Problem b, Route route, Precision precision, bool low_rank) {
    a.precision = b.precision = precision;
    a.low_rank = b.low_rank = low_rank;
    const mercer::Run roomy{.memory = 1000000000000};
    return make_plan(b, route, roomy).bytes - make_plan(a, route, roomy).bytes;
  };
  EXPECT_NEAR(more(p, copied, Route::dense, Precision::float64, false), 3e9, 1);
  EXPECT_NEAR(more(p, copied, Route::stored, Precision::float64, false), 3e9, 1);
  EXPECT_NEAR(more(p, copied, Route::stored, Precision::float32, false), 7e9, 1) << "kept in float";
  EXPECT_NEAR(more(p, copied, Route::tiled, Precision::float64, false), 7e9, 1);
  EXPECT_NEAR(more(p, copied, Route::tiled, Precision::float64, true), 9e9, 1e8) << "the landmarks' own";
}

TEST(Planner, ALongerBasisIsWhatTheBudgetLeaves) {
  Problem p = kernel_problem(100000, 20);
  p.low_rank = true;
  Plan plan = make_plan(p, Route::tiled, {.memory = 64000000000});
  EXPECT_EQ(davidson_basis(p, plan), 170);
  plan.budget = static_cast<std::size_t>(plan.bytes);
  EXPECT_EQ(davidson_basis(p, plan), 90);
  plan.budget += 20 * 100000 * 8;
  EXPECT_EQ(davidson_basis(p, plan), 100) << "vectors and their images";
}

TEST(Components, AreReadAsACountOrAShare) {
  EXPECT_EQ(Components::parse("10").count, 10);
  EXPECT_EQ(Components::parse("0.95").share, 0.95);
  EXPECT_EQ(Components::parse("1").count, 1);
  for (const char* wrong : {"0", "-1", "1.5", "x", "", "nan", "1e99"})
    EXPECT_THROW((void)Components::parse(wrong), Error) << wrong;
}

TEST(Routes, RoundTripThroughTheirNames) {
  for (Route r : {Route::automatic, Route::dense, Route::stored, Route::tiled, Route::lowrank})
    EXPECT_EQ(parse_route(name_of(r)), r);
  EXPECT_THROW((void)parse_route("shortcut"), Error);
}

TEST(Planner, AnEstimateOfTheTimeIsANumberOfSeconds) {
  const Problem p = kernel_problem(5000, 10);
  Plan plan = make_plan(p, Route::automatic, {});
  estimate_seconds(plan, p, {});
  EXPECT_GT(plan.seconds, 0);
  EXPECT_NE(plan.to_string().find("route    stored"), std::string::npos);
}

}  // namespace
}  // namespace mercer
