// gamma=auto and gamma=median become numbers that follow from the data and the seed alone.
#include <mercer/kernel.hpp>

#include "support.hpp"

namespace mercer {
namespace {

TEST(Bandwidth, AutoIsOneOverTheNumberOfFeatures) {
  const Samples<double> x = test::random_matrix<double>(10, 8, 1);
  EXPECT_EQ(Kernel::parse("rbf(gamma=auto)").resolved(x).to_string(), "rbf(gamma=0.125)");
  EXPECT_EQ(Kernel::parse("poly(degree=2, gamma=auto) + sigmoid").resolved(x).to_string(),
            "poly(degree=2, gamma=0.125, coef0=1) + sigmoid(gamma=0.125, coef0=1)");
}

TEST(Bandwidth, MedianMakesTheTypicalExponentOneHalf) {
  Matrix<double> x(3, 1);  // distances 1, 2, 3; squares 1, 4, 9
  x << 0, 1, 3;
  EXPECT_EQ(Kernel::parse("rbf").resolved(Samples<double>(x)).to_string(), "rbf(gamma=0.125)");
  EXPECT_EQ(Kernel::parse("laplacian").resolved(Samples<double>(x)).to_string(), "laplacian(gamma=0.25)");
}

TEST(Bandwidth, MedianOfManyRowsIsSampledFromTheSeed) {
  const Samples<double> x = test::random_matrix<double>(3000, 5, 2);
  const Kernel k = Kernel::parse("rbf");
  EXPECT_EQ(k.resolved(x, 7), k.resolved(x, 7));
  const Matrix<double> m = x.to_dense();
  std::vector<double> all;
  for (Index i = 0; i < m.rows(); ++i)
    for (Index j = 0; j < i; ++j) all.push_back((m.row(i) - m.row(j)).squaredNorm());
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
  const double truth = 1 / (2 * all[all.size() / 2]);
  const std::string text = k.resolved(x, 7).to_string();
  EXPECT_NEAR(std::stod(text.substr(10)), truth, 0.05 * truth) << text;
}

TEST(Bandwidth, EqualPointsGetAWidthAllTheSame) {
  EXPECT_EQ(
      Kernel::parse("rbf").resolved(Samples<double>(Matrix<double>(Matrix<double>::Ones(5, 2)))).to_string(),
      "rbf(gamma=1)");
  EXPECT_EQ(
      Kernel::parse("rbf").resolved(Samples<double>(Matrix<double>(Matrix<double>::Ones(1, 2)))).to_string(),
      "rbf(gamma=1)");
  Matrix<double> mostly_equal = Matrix<double>::Zero(9, 1);
  mostly_equal(0, 0) = 2;  // the median distance is 0; the nonzero ones are 2
  EXPECT_EQ(Kernel::parse("rbf").resolved(Samples<double>(mostly_equal)).to_string(), "rbf(gamma=0.125)");
}

}  // namespace
}  // namespace mercer
