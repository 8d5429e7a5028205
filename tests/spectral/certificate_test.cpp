// The certificate: measured residuals, a rigorous bound that is always true, a probable bound that is
// true and tight.
#include "spectral/certificate.hpp"
#include "decompositions.hpp"

#include "operator/dense_operator.hpp"
#include "support.hpp"

namespace mercer {
namespace {

/// The exact leading pairs of a diagonal matrix with these eigenvalues.
Spectrum<double> leading_pairs(const Vector<double>& descending, Index count) {
  Spectrum<double> s;
  s.values = descending.head(count);
  s.vectors = Block<double>::Identity(descending.size(), count);
  s.residuals = Vector<double>::Zero(count);
  return s;
}

TEST(ProbableBound, IsNeverBelowTheTruthAndWithinTwiceOfItOnThousandsOfSpectra) {
  int cases = 0;
  double worst = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    const Index n = 40 + static_cast<Index>(random.below(260)), count = static_cast<Index>(random.below(6));
    Vector<double> v(n);
    const auto kind = random.below(6);
    for (Index i = 0; i < n; ++i) {
      const double x = double(i + 1);
      v[i] = kind == 0   ? 1 / (x * x)
             : kind == 1 ? std::exp(-0.1 * x)
             : kind == 2 ? random.uniform()
             : kind == 3 ? (i < 9 ? 1.0 : 0.1)  // a cluster of equal eigenvalues, cut somewhere
             : kind == 4 ? (i == count ? 1.0 : 1e-3 * random.uniform())  // one lonely eigenvalue
                         : random.normal() * random.normal() * 0.1 + 1;
      v[i] = std::max(v[i], 0.0);
    }
    std::sort(v.begin(), v.end(), std::greater<>());
    const Block<double> diagonal = v.asDiagonal();
    EigenRequest request;
    request.positive_semidefinite = true;
    request.block = 1 + static_cast<Index>(random.below(8));
    const double bound = probable_missed_bound<double>(DenseOperator<double>(diagonal),
                                                       leading_pairs(v, count), request, {.seed = seed});
    const double truth = v[count];
    ASSERT_GE(bound, truth) << "seed " << seed << ", kind " << kind;
    ASSERT_LE(bound, 2 * truth) << "seed " << seed << ", kind " << kind;
    worst = std::max(worst, bound / truth);
    ++cases;
  }
  EXPECT_EQ(cases, 3000);
  EXPECT_GT(worst, 1.0);
}

TEST(ProbableBound, HoldsForIndefiniteOperatorsAtBothEnds) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const Index n = 150 + static_cast<Index>(random.below(100));
    Vector<double> v(n);
    for (Index i = 0; i < n; ++i) v[i] = random.normal();
    std::sort(v.begin(), v.end(), std::greater<>());
    const Block<double> diagonal = v.asDiagonal();
    EigenRequest request;
    EXPECT_GE(probable_missed_bound<double>(DenseOperator<double>(diagonal), leading_pairs(v, 3), request,
                                            {.seed = seed}),
              v[3]);
    Spectrum<double> bottom;
    bottom.values = v.tail(2).reverse();
    bottom.vectors = Block<double>::Identity(n, n).rightCols(2).rowwise().reverse();
    bottom.residuals = Vector<double>::Zero(2);
    request.end = End::smallest;
    EXPECT_LE(probable_missed_bound<double>(DenseOperator<double>(diagonal), bottom, request, {.seed = seed}),
              v[n - 3]);
  }
}

TEST(RigorousBound, IsNeverBelowTheTruth) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Random random(seed);
    const Index n = 5 + static_cast<Index>(random.below(80)), count = 1 + static_cast<Index>(random.below(4));
    const bool psd = random.below(2) == 0;
    Vector<double> v(n);
    for (Index i = 0; i < n; ++i) v[i] = psd ? std::abs(random.normal()) : random.normal();
    std::sort(v.begin(), v.end(), std::greater<>());
    const Block<double> a = test::symmetric_with(v, seed);
    const DenseOperator<double> op(a);
    // Approximate vectors, as a solver leaves them: the residual is part of the bound.
    Spectrum<double> s = dense_eigenpairs<double>(a, count);
    s.vectors += 1e-4 * Block<double>(test::random_matrix<double>(n, count, seed));
    const Block<double> q =
        Eigen::HouseholderQR<Block<double>>(s.vectors).householderQ() * Block<double>::Identity(n, count);
    const Block<double> small = q.transpose() * a * q;
    const Spectrum<double> ritz = dense_eigenpairs<double>(small, count);
    const Block<double> vectors = q * ritz.vectors;
    const Vector<double> residuals = residual_norms<double>(op, vectors, ritz.values, {});
    const double bound = rigorous_missed_bound(op.trace(), op.frobenius_squared(), n, ritz.values, residuals,
                                               End::largest, psd, 0);
    EXPECT_GE(bound, v[count]) << "seed " << seed;
  }
}

TEST(RigorousBound, UsesTheTraceOnlyWhenNothingIsNegative) {
  const Vector<double> values = Vector<double>::Constant(1, 5.0), residuals = Vector<double>::Zero(1);
  EXPECT_NEAR(rigorous_missed_bound(6.0, 100.0, 10, values, residuals, End::largest, true, 0), 1, 1e-12);
  EXPECT_NEAR(rigorous_missed_bound(6.0, 100.0, 10, values, residuals, End::largest, false, 0), std::sqrt(75),
              1e-6);
  EXPECT_TRUE(std::isinf(rigorous_missed_bound({}, {}, 10, values, residuals, End::largest, true, 0)));
}

TEST(Residuals, AreTheNormOfAvMinusThetaV) {
  const Block<double> a = test::symmetric_with(Vector<double>::LinSpaced(30, 1, 30), 2);
  const Block<double> v = test::random_matrix<double>(30, 40, 3).leftCols(40);
  const Vector<double> theta = Vector<double>::LinSpaced(40, 1, 5);
  const Vector<double> r = residual_norms<double>(DenseOperator<double>(a), v, theta, {});
  for (Index i = 0; i < 40; ++i)
    EXPECT_NEAR(r[i], (a * v.col(i) - theta[i] * v.col(i)).norm() / v.col(i).norm(), 1e-12);
}

TEST(Inertia, CountsTheEigenvaluesAboveAShiftExactly) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Vector<double> v = test::random_matrix<double>(40, 1, seed);
    const Matrix<double> a = test::symmetric_with(v, seed);
    for (double shift : {-1.0, 0.0, 0.5})
      EXPECT_EQ(count_eigenvalues_above(a, shift), (v.array() > shift).count()) << "seed " << seed;
  }
}

TEST(LanczosEpsilon, ShrinksWithStepsAndStartsAndGrowsWithConfidence) {
  EXPECT_LT(lanczos_epsilon(10000, 8, 10, 1e-6), lanczos_epsilon(10000, 8, 5, 1e-6));
  EXPECT_LT(lanczos_epsilon(10000, 8, 10, 1e-6), lanczos_epsilon(10000, 1, 10, 1e-6));
  EXPECT_LT(lanczos_epsilon(10000, 8, 10, 1e-3), lanczos_epsilon(10000, 8, 10, 1e-9));
  const Index steps = lanczos_steps(10000, 8, 0.45, 1e-6);
  EXPECT_LE(lanczos_epsilon(10000, 8, steps, 1e-6), 0.45);
  EXPECT_GT(lanczos_epsilon(10000, 8, steps - 1, 1e-6), 0.45);
}

}  // namespace
}  // namespace mercer
