// K ≈ F Fᵀ: what the factor is, when it stops, and that chance but not the number of threads decides.
#include "operator/pivoted_cholesky.hpp"

#include "support.hpp"

#include <set>

namespace mercer {
namespace {

template <class T>
class PivotedCholeskyFactor : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(PivotedCholeskyFactor, Types);

template <class T>
Matrix<double> rows_of(const PivotedCholesky<T>& factor) {
  Matrix<T> f(factor.size(), factor.rank());
  factor.copy_rows(0, factor.size(), f.data());
  return f.template cast<double>();
}

TYPED_TEST(PivotedCholeskyFactor, IsNystromOnItsPivots) {
  using T = TypeParam;
  const Samples<T> x = test::random_matrix<T>(700, 4, 1);
  const Kernel kernel = Kernel::rbf(0.2);
  const PivotedCholesky<T> factor(kernel, x, {.max_rank = 300});
  ASSERT_EQ(factor.rank(), 300);
  const Matrix<double> k = gram<double>(kernel, x.template cast<double>());
  Matrix<double> columns(700, 300), square(300, 300);
  for (Index j = 0; j < 300; ++j) columns.col(j) = k.col(factor.pivots()[static_cast<std::size_t>(j)]);
  for (Index i = 0; i < 300; ++i) square.row(i) = columns.row(factor.pivots()[static_cast<std::size_t>(i)]);
  const Matrix<double> nystrom = columns * square.ldlt().solve(columns.transpose());
  const Matrix<double> f = rows_of(factor), product = f * f.transpose();
  EXPECT_LT((product - nystrom).cwiseAbs().maxCoeff(), test::tolerance<T>(1e-9, 1e-4));
  for (Index i = 0; i < 700; ++i)
    EXPECT_NEAR(factor.remaining()[i], k(i, i) - product(i, i), test::tolerance<T>(1e-12, 1e-5));
  EXPECT_NEAR(factor.remainder(3, 600), k(3, 600) - product(3, 600), test::tolerance<T>(1e-12, 1e-5));
  EXPECT_EQ(std::set<Index>(factor.pivots().begin(), factor.pivots().end()).size(), 300U);
}

TYPED_TEST(PivotedCholeskyFactor, StopsAtTheToleranceOrWhereOnlyRoundingIsLeft) {
  using T = TypeParam;
  const Samples<T> x = test::random_matrix<T>(600, 2, 2);
  const PivotedCholesky<T> loose(Kernel::rbf(0.3), x, {.max_rank = 600, .tolerance = 1e-2});
  EXPECT_EQ(loose.stop(), PivotStop::tolerance);
  EXPECT_LE(loose.remaining().sum(), 1e-2 * 600);
  EXPECT_LT(loose.rank(), 120);
  const PivotedCholesky<T> all(Kernel::rbf(0.3), x, {.max_rank = 600});
  EXPECT_EQ(all.stop(), PivotStop::numerical_rank);
  EXPECT_LT(all.rank(), 300);
  // (what is said to remain has rounding of its own; where a pivot would be, it is looked at closely)
  EXPECT_LE(all.remaining().maxCoeff(), 1.5 * (cholesky_rounding<T>(all.rank()) + all.element_rounding()));
  const Samples<T> line = Matrix<T>(test::random_matrix<T>(50, 2, 9) * test::random_matrix<T>(2, 10, 10));
  EXPECT_EQ(PivotedCholesky<T>(Kernel::linear(), line, {.max_rank = 50}).rank(), 2) << "rank two";
}

TYPED_TEST(PivotedCholeskyFactor, IsTheSameForAnyNumberOfThreads) {
  using T = TypeParam;
  const Samples<T> x = test::random_matrix<T>(1500, 5, 3);
  const PivotedCholesky<T> one(Kernel::laplacian(0.2), x, {.max_rank = 200}, {.threads = 1, .seed = 5}),
      four(Kernel::laplacian(0.2), x, {.max_rank = 200}, {.threads = 4, .seed = 5}),
      other(Kernel::laplacian(0.2), x, {.max_rank = 200}, {.threads = 1, .seed = 6});
  EXPECT_EQ(one.pivots(), four.pivots());
  EXPECT_EQ(rows_of(one), rows_of(four));
  EXPECT_NE(one.pivots(), other.pivots());
}

TYPED_TEST(PivotedCholeskyFactor, TakesGivenPivotsInOrderAndSkipsDependentOnes) {
  using T = TypeParam;
  Matrix<T> x = test::random_matrix<T>(40, 3, 4);
  x.row(7) = x.row(2);
  const PivotedCholesky<T> factor(Kernel::rbf(0.5), x,
                                  {.max_rank = 10, .first = {9, 2, 7, 30}, .draw = false});
  EXPECT_EQ(factor.pivots(), (std::vector<Index>{9, 2, 30}));
}

TEST(PivotedCholeskyChoice, FollowsTheRemainingDiagonal) {
  // Ten clusters far apart, one of them with half of the points: each gets a landmark before any gets two.
  Matrix<double> x(200, 1);
  for (Index i = 0; i < 200; ++i) x(i, 0) = i < 100 ? 0.0 : double(1 + i % 9) * 100;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const PivotedCholesky<double> factor(Kernel::rbf(1), x, {.max_rank = 30}, {.seed = seed});
    EXPECT_EQ(factor.rank(), 10);
    EXPECT_EQ(factor.stop(), PivotStop::numerical_rank);
  }
}

TEST(PivotedCholeskyChoice, RejectionDrawsFromTheDistributionOfOneAtATime) {
  // Diagonal kernel matrix: the second pivot is uniform among the rest, whatever the block.
  const Index n = 6;
  Matrix<double> x(n, 1);
  for (Index i = 0; i < n; ++i) x(i, 0) = 1000.0 * double(i);
  Vector<double> first = Vector<double>::Zero(n), second = first;
  const int trials = 3000;
  for (int t = 0; t < trials; ++t) {
    const PivotedCholesky<double> factor(Kernel::rbf(1), x, {.max_rank = 2},
                                         {.threads = 1, .seed = std::uint64_t(t)});
    first[factor.pivots()[0]] += 1;
    second[factor.pivots()[1]] += 1;
  }
  EXPECT_LT((first.array() - trials / 6.0).abs().maxCoeff(), 5 * std::sqrt(trials * 5.0 / 36));
  EXPECT_LT((second.array() - trials / 6.0).abs().maxCoeff(), 5 * std::sqrt(trials * 5.0 / 36));
}

}  // namespace
}  // namespace mercer
