// The trial of a search: float where it suffices, shadows where they are worth it and only there.
#include "graph/search_trial.hpp"

#include "graph/search_cost.hpp"
#include "support.hpp"

namespace mercer {
namespace {

constexpr Index many_rows = 1'000'000'000;  // rows to come: setting up costs nothing beside them

const mercer::Run two_threads{.threads = 2};

Samples<double> flat_cloud(Index n, Index d) {
  Matrix<double> x = test::random_matrix<double>(n, d, 1);
  for (Index c = 0; c < d; ++c) x.col(c) *= std::pow(0.8, double(c));
  return x;
}

TEST(SearchTrial, TakesAxesWherePointsAreSpreadAlongFew) {
  const Samples<double> points = flat_cloud(8000, 200);
  const auto plan = SearchTrial<double>(points, two_threads).plan(many_rows, two_threads);
  ASSERT_TRUE(plan.axes);
  EXPECT_GE(plan.axes->few(), 8);
  EXPECT_GT(plan.axes->all(), plan.axes->few());
  EXPECT_LE(plan.axes->all(), 100);
  EXPECT_LT(plan.seconds, 0.6 * double(many_rows) * brute_row_seconds(8000, 200) / 2);
}

TEST(SearchTrial, TakesNoneWhereTheyTellNothingApart) {
  const Samples<double> round = test::random_matrix<double>(3000, 100, 2);
  const auto plan = SearchTrial<double>(round, two_threads).plan(many_rows, two_threads);
  EXPECT_FALSE(plan.axes);
  EXPECT_DOUBLE_EQ(plan.seconds, double(many_rows) * brute_row_seconds(3000, 100) / 2);
}

TEST(SearchTrial, TakesNoneForFewRowsLittleMemoryOrSparsePoints) {
  const Samples<double> points = flat_cloud(8000, 200);
  const SearchTrial<double> trial(points, {});
  EXPECT_FALSE(trial.plan(10, {}).axes);
  EXPECT_FALSE(trial.plan(many_rows, mercer::Run{.memory = 1 << 20}).axes);
  const Samples<double> sparse = test::random_sparse<double>(500, 300, 3);
  EXPECT_FALSE(SearchTrial<double>(sparse, {}).plan(many_rows, {}).axes);
  EXPECT_EQ(SearchTrial<double>(sparse, {}).mean().size(), 0);
}

TEST(SearchTrial, DoesNotDependOnThreads) {
  const Samples<double> points = flat_cloud(8000, 200);
  const auto axes = [&](int threads) {
    const mercer::Run run{.threads = threads};
    return SearchTrial<double>(points, run).plan(many_rows, run).axes;
  };
  const auto one = axes(1), three = axes(3);
  ASSERT_TRUE(one && three);
  EXPECT_EQ(one->few(), three->few());
  EXPECT_EQ(one->all(), three->all());
}

TEST(SearchTrial, TellsWhatShareOfAllFeaturesASearchTakes) {
  const mercer::Run one{.threads = 1};
  const Samples<double> points = flat_cloud(14000, 400);
  EXPECT_LT(tried_share(points, one), 0.8);
  EXPECT_EQ(tried_share(points.middle_rows(0, 500), one), 1) << "too few points to try";
}

TEST(SearchTrial, CanBeStopped) {
  std::stop_source stop;
  stop.request_stop();
  const Samples<double> points = flat_cloud(1000, 50);
  EXPECT_THROW(SearchTrial<double>(points, mercer::Run{.stop = stop.get_token()}), Error);
}

TEST(SearchTrial, WorksWithOnePointAndWithEqualOnes) {
  const Samples<double> one = test::random_matrix<double>(1, 40, 4);
  EXPECT_TRUE(SearchTrial<double>(one, {}).float_suffices());
  const Samples<double> equal(Matrix<double>::Constant(100, 40, 0.3));
  EXPECT_FALSE(SearchTrial<double>(equal, {}).plan(many_rows, {}).axes) << "all are as near as the nearest";
}

}  // namespace
}  // namespace mercer
