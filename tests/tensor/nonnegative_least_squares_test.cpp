// Nonnegative least squares against the best over all sets of positive entries.
#include "tensor/nonnegative_least_squares.hpp"

#include "support.hpp"

#include <Eigen/Cholesky>

namespace mercer {
namespace {

double objective(const Block<double>& g, const Vector<double>& b, const Vector<double>& x) {
  return 0.5 * x.dot(g * x) - b.dot(x);
}

/// Every set of positive entries is tried.
Vector<double> best_of_all_sets(const Block<double>& g, const Vector<double>& b) {
  const Index n = b.size();
  Vector<double> best = Vector<double>::Zero(n);
  for (Index set = 1; set < (Index(1) << n); ++set) {
    std::vector<Index> in;
    for (Index i = 0; i < n; ++i)
      if (set >> i & 1) in.push_back(i);
    Vector<double> x = Vector<double>::Zero(n);
    const Vector<double> solved = Block<double>(g(in, in)).ldlt().solve(Vector<double>(b(in)));
    x(in) = solved;
    if (x.minCoeff() >= 0 && objective(g, b, x) < objective(g, b, best)) best = x;
  }
  return best;
}

TEST(NonnegativeLeastSquares, FindsTheBestOfAllSetsOfPositiveEntries) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Index n = 1 + Index(seed % 7);
    const Matrix<double> a = test::random_matrix<double>(n + 2, n, seed);
    const Block<double> g = a.transpose() * a;
    const Vector<double> b = test::random_matrix<double>(n, 1, seed + 1000);
    const Vector<double> expected = best_of_all_sets(g, b);
    NonnegativeLeastSquares solver(n);
    for (const double start : {0.0, 1.0}) {
      Vector<double> x = Vector<double>::Constant(n, start);
      solver.solve(g, b, x);
      EXPECT_GE(x.minCoeff(), 0);
      EXPECT_LE((x - expected).norm(), 1e-9 * (1 + expected.norm()))
          << "seed " << seed << ", start " << start;
    }
  }
}

TEST(NonnegativeLeastSquares, ASingularMatrixDoesNoHarm) {
  const Matrix<double> a = test::random_matrix<double>(3, 6, 5);  // rank 3
  const Block<double> g = a.transpose() * a;
  const Vector<double> b = a.transpose() * test::random_matrix<double>(3, 1, 6);
  NonnegativeLeastSquares solver(6);
  Vector<double> x = Vector<double>::Ones(6);
  const double before = objective(g, b, x);
  solver.solve(g, b, x);
  EXPECT_TRUE(x.allFinite());
  EXPECT_GE(x.minCoeff(), 0);
  EXPECT_LE(objective(g, b, x), before);
  const Vector<double> slope = g * x - b;  // no entry could grow and gain
  EXPECT_GE(slope.minCoeff(), -1e-5);
}

TEST(NonnegativeLeastSquares, NothingToGainIsZero) {
  NonnegativeLeastSquares solver(3);
  Vector<double> x = Vector<double>::Ones(3);
  solver.solve(Block<double>::Identity(3, 3), Vector<double>::Constant(3, -1), x);
  EXPECT_EQ(x, Vector<double>::Zero(3));
}

}  // namespace
}  // namespace mercer
