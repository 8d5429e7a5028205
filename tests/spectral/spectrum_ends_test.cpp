// The ends of a spectrum by each of the three ways, against spectra that are known.
#include "spectral/spectrum_ends.hpp"
#include "decompositions.hpp"

#include "operator/dense_operator.hpp"
#include "support.hpp"

namespace mercer {
namespace {

constexpr Index n = 240;

/// Eigenvalues that crowd near zero, and one below it.
Block<double> with_least(double least) {
  const Block<double> q =
      Eigen::HouseholderQR<Block<double>>(test::random_matrix<double>(n, n, 5)).householderQ();
  Vector<double> values = Vector<double>::LinSpaced(n, 0.0, 1.0).array().pow(4);
  values[0] = least;
  const Block<double> a = q * values.asDiagonal() * q.transpose();
  return (a + a.transpose()) / 2;
}

TEST(SpectrumEnds, AFactorFindsOneSmallNegativeEigenvalueAmongMany) {
  for (const double least : {-0.3, -1e-3, -1e-7, 0.0}) {
    const Block<double> a = with_least(least);
    const double largest = largest_magnitude(DenseOperator<double>(a), {});
    EXPECT_NEAR(largest, 1, 1e-3);
    const SpectrumEnds ends = ends_by_factor(a, largest, 1e-13, {});
    EXPECT_NEAR(ends.smallest, least, 1e-6 * std::abs(least) + 1e-14);
    EXPECT_LE(*ends.lower_bound, least + 1e-14);
    EXPECT_GE(*ends.lower_bound, 17 * least - 1e-12) << "not far below it";
    EXPECT_NEAR(ends.vector.norm(), 1, 1e-12);
    EXPECT_EQ(ends.delta, 0);
    EXPECT_NEAR(ends_by_lapack(a, {}).smallest, ends.smallest, 1e-14);
  }
}

TEST(SpectrumEnds, ProductsFindWhatStandsOutAndClaimNoBoundOtherwise) {
  const SpectrumEnds clear = ends_by_products(DenseOperator<double>(with_least(-0.3)), false, {});
  EXPECT_NEAR(clear.smallest, -0.3, 1e-8);
  EXPECT_LE(*clear.lower_bound, -0.3 + 1e-8);
  const SpectrumEnds crowded = ends_by_products(DenseOperator<double>(with_least(-1e-7)), false, {});
  EXPECT_GE(crowded.smallest, -1e-7 - 1e-12) << "never below the truth";
  EXPECT_LE(crowded.lower_bound.value_or(-1), -1e-7 + 1e-9);
}

TEST(SpectrumEnds, MatricesOfOneElement) {
  const Block<double> a = Block<double>::Constant(1, 1, -2);
  EXPECT_EQ(ends_by_lapack(a, {}).smallest, -2);
}

}  // namespace
}  // namespace mercer
