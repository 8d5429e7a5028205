// The eigenproblem of discriminants against LAPACK's generalized eigensolver.
#include "spectral/discriminant.hpp"

#include "base/linalg.hpp"
#include "support.hpp"

#include <mercer/error.hpp>

namespace mercer {
namespace {

struct DiscriminantProblem {
  Block<double> within, between;
};

/// N of rank p − c, as it is for real classes, and B whose columns depend on each other.
DiscriminantProblem random_problem(Index p, const std::vector<Index>& sizes, std::uint64_t seed) {
  const auto c = static_cast<Index>(sizes.size());
  const Block<double> a = test::random_matrix<double>(p, p - c, seed);
  const Block<double> means = test::random_matrix<double>(p, c, seed + 1);
  return {a * a.transpose(), between_factor(means, sizes)};
}

void expect_same_directions(const Block<double>& expected, const Block<double>& found, double tolerance) {
  ASSERT_EQ(expected.cols(), found.cols());
  const Matrix<double> turned = test::with_signs_of(expected, found);
  EXPECT_LT((turned - expected).cwiseAbs().maxCoeff(), tolerance * expected.cwiseAbs().maxCoeff());
}

TEST(DiscriminantSolve, IsLapacksGeneralizedEigenproblem) {
  for (const std::vector<Index>& sizes : {std::vector<Index>{7, 9}, {5, 20, 3}, {4, 4, 6, 2, 30}}) {
    const DiscriminantProblem problem = random_problem(40, sizes, sizes.size());
    for (const double ridge : {1e-6, 1e-3, 10.0}) {
      const RidgeCholesky cholesky(problem.within, ridge);
      const auto found = cholesky.solve(problem.between, 100);
      Block<double> m = problem.between * problem.between.transpose(), n = problem.within;
      n.diagonal().array() += ridge;
      Vector<double> values;
      linalg::sygvd(m, n, values);
      const auto k = static_cast<Index>(sizes.size()) - 1;
      ASSERT_EQ(k, found.values.size());
      const Vector<double> expected = values.tail(k).reverse();
      EXPECT_LT((found.values - expected).cwiseAbs().maxCoeff(), 1e-7 * expected[0]);
      EXPECT_NEAR(found.trace, values.sum(), 1e-7 * expected[0]);
      expect_same_directions(m.rightCols(k).rowwise().reverse(), found.vectors, 1e-5);
      EXPECT_LT(cholesky.residuals(found, problem.between, problem.within * found.vectors).maxCoeff(),
                1e-7 * expected[0]);
    }
  }
}

TEST(DiscriminantSolve, OneDecompositionServesAllRidges) {
  const DiscriminantProblem problem = random_problem(50, {10, 25, 8, 9}, 5);
  const RidgeSweep sweep(problem.within, problem.between);
  for (const double ridge : {1e-4, 1e-2, 1.0, 100.0}) {
    const auto expected = RidgeCholesky(problem.within, ridge).solve(problem.between, 3);
    const auto found = sweep.solve(ridge, 3);
    EXPECT_LT((found.values - expected.values).cwiseAbs().maxCoeff(), 1e-8 * expected.values[0]);
    expect_same_directions(expected.vectors, found.vectors, 1e-6);
  }
}

TEST(DiscriminantSolve, ResidualsShowWhatIsWrong) {
  const DiscriminantProblem problem = random_problem(30, {10, 11, 12}, 8);
  const RidgeCholesky cholesky(problem.within, 0.1);
  auto found = cholesky.solve(problem.between, 2);
  found.values[0] *= 1.01;  // with αᵀ(N + μI)α = 1 the residual is the error of λ
  const Vector<double> residuals = cholesky.residuals(found, problem.between, problem.within * found.vectors);
  EXPECT_NEAR(residuals[0], found.values[0] - found.values[0] / 1.01, 1e-6 * found.values[0]);
  EXPECT_LT(residuals[1], 1e-8 * found.values[0]);
}

TEST(DiscriminantSolve, ARidgeLostInRoundingIsRefused) {
  const DiscriminantProblem problem = random_problem(30, {10, 11}, 9);
  try {
    (void)RidgeCholesky(1e20 * problem.within, 1e-9).solve(problem.between, 1);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(ErrorCode::usage, error.code());
    EXPECT_NE(std::string(error.what()).find("--ridge"), std::string::npos) << error.what();
  }
}

TEST(DiscriminantSolve, BetweenFactorsMultiplyToTheScatterOfMeans) {
  const Block<double> means = test::random_matrix<double>(6, 3, 4);
  const std::vector<Index> sizes{2, 5, 3};
  const Block<double> b = between_factor(means, sizes);
  const Vector<double> middle = 0.2 * means.col(0) + 0.5 * means.col(1) + 0.3 * means.col(2);
  Block<double> expected = Block<double>::Zero(6, 6);
  for (Index j = 0; j < 3; ++j) {
    const Vector<double> off = means.col(j) - middle;
    expected += double(sizes[static_cast<std::size_t>(j)]) * off * off.transpose();
  }
  EXPECT_LT((b * b.transpose() - expected).norm(), 1e-13 * expected.norm());
}

}  // namespace
}  // namespace mercer
