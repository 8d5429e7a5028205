// Steps of the line search.
#include "tensor/line_search.hpp"

#include "tensor/cp_support.hpp"

namespace mercer {
namespace {

TEST(LineSearch, AStepOfOneStaysAndLongerOnesGoOn) {
  const auto before = test::planted<double>({5, 4, 3}, {3, 2}, 1),
             now = test::planted<double>({5, 4, 3}, {4, 1}, 2);
  const auto same = extrapolate(before, now, 1, 2, false);
  EXPECT_LE((full_tensor(same, {}).values() - full_tensor(now, {}).values()).norm(), 1e-13);
  const auto beyond = extrapolate(before, now, 2.5, 2, false);
  for (Index r = 0; r < 2; ++r) {
    // Each rank-one array is the product of the extrapolated columns.
    std::vector<Vector<double>> columns;
    for (Index mode = 0; mode < 3; ++mode) {
      const double a = mode == 2 ? before.weights[r] : 1, b = mode == 2 ? now.weights[r] : 1;
      columns.push_back(-1.5 * a * before.factor(mode).col(r) + 2.5 * b * now.factor(mode).col(r));
      EXPECT_NEAR(std::abs(beyond.factor(mode).col(r).dot(columns.back())), columns.back().norm(), 1e-12);
    }
    EXPECT_NEAR(beyond.weights[r], columns[0].norm() * columns[1].norm() * columns[2].norm(), 1e-12);
  }
}

TEST(LineSearch, NothingBecomesNegativeThatMustNot) {
  const auto before = test::planted<double>({5, 4, 3}, {3, 2}, 3, true),
             now = test::planted<double>({5, 4, 3}, {4, 1}, 4, true);
  const auto beyond = extrapolate(before, now, 20, 0, true);
  for (const Matrix<double>& f : beyond.factors) EXPECT_GE(f.minCoeff(), 0);
}

TEST(LineSearch, StepsGrowWithSuccessAndWaitAfterFailures) {
  LineSearch line;
  Index waited = 0;
  while (!line.due()) ++waited;
  EXPECT_EQ(waited, 2);
  const double first = line.step();
  line.succeeded();
  EXPECT_GT(line.step(), first);
  EXPECT_TRUE(line.due());
  for (int i = 0; i < 100; ++i) line.succeeded();
  EXPECT_LE(line.step(), 100);
  for (int i = 0; i < 100; ++i) line.failed();
  EXPECT_GT(line.step(), 1);
  EXPECT_FALSE(line.due());
}

}  // namespace
}  // namespace mercer
