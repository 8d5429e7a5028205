// KernelProfile against the kernel itself: values, slopes by differences, and the way back from a value.
#include "kernel/profile.hpp"

#include "support.hpp"

namespace mercer {
namespace {

double kernel_of(const Kernel& kernel, double primitive, bool distance) {
  Matrix<double> x(1, 1), y(1, 1);
  x << (distance ? std::sqrt(primitive) : primitive);
  y << (distance ? 0 : 1);
  return gram<double>(kernel, Samples<double>(x), Samples<double>(y))(0, 0);
}

const char* const of_distance[] = {"rbf(gamma=0.7)",
                                   "matern32(length=1.3)",
                                   "matern52(length=0.8)",
                                   "rq(length=1.1, alpha=0.6)",
                                   "0.5*rbf(gamma=2) + 2*rq(length=3, alpha=1)",
                                   "rbf(gamma=0.3)*matern32(length=2)"};
const char* const of_dot[] = {"linear", "3*linear", "poly(degree=3, gamma=0.5, coef0=1)",
                              "poly(degree=2, gamma=1, coef0=1)",
                              "linear + 0.1*poly(degree=3, gamma=1, coef0=0)"};

void expect_profile(const std::string& text, bool distance) {
  const Kernel kernel = Kernel::parse(text);
  const auto profile = KernelProfile::of(kernel);
  ASSERT_TRUE(profile.has_value()) << text;
  EXPECT_EQ(profile->of_distance(), distance) << text;
  KernelProfile::Values at(4), value, slope, above, below, unused;
  at << 0.2, 0.9, 1.7, 3.1;
  const double step = 1e-6;
  profile->evaluate(at, value, slope);
  profile->evaluate(at + step, above, unused);
  profile->evaluate(at - step, below, unused);
  for (Index i = 0; i < at.size(); ++i) {
    EXPECT_NEAR(value[i], kernel_of(kernel, at[i], distance), 1e-12 * std::abs(value[i])) << text;
    EXPECT_NEAR(slope[i], (above[i] - below[i]) / (2 * step), 1e-7 * (1 + std::abs(slope[i]))) << text;
    EXPECT_NEAR(profile->inverse(value[i]), at[i], 1e-10 * at[i]) << text;
  }
}

TEST(KernelProfile, OfTheDistanceIsTheKernelItsSlopeAndItsInverse) {
  for (const char* text : of_distance) expect_profile(text, true);
}

TEST(KernelProfile, OfTheDotProductIsTheKernelItsSlopeAndItsInverse) {
  for (const char* text : of_dot) expect_profile(text, false);
}

TEST(KernelProfile, OddPowersGoBackToNegativeNumbersAndEvenOnesToTheirFloor) {
  const auto odd = KernelProfile::of(Kernel::polynomial(3, 1, 0)),
             even = KernelProfile::of(Kernel::polynomial(2, 2, 1));
  EXPECT_NEAR(odd->inverse(-8), -2, 1e-12);
  EXPECT_NEAR(even->inverse(-1), -0.5, 1e-12);
  EXPECT_NEAR(even->inverse(9), 1, 1e-12);
}

TEST(KernelProfile, ValuesThatADistanceCannotHaveGiveTheNearestOne) {
  const auto rbf = KernelProfile::of(Kernel::rbf(1));
  EXPECT_EQ(rbf->inverse(1.5), 0);
  EXPECT_GT(rbf->inverse(-0.2), 20);
  EXPECT_TRUE(std::isfinite(rbf->inverse(-0.2)));
}

TEST(KernelProfile, ThereIsNoneForOtherKernels) {
  for (const char* text :
       {"laplacian(gamma=1)", "cosine", "sigmoid(gamma=1, coef0=0)", "rbf(gamma=1) + linear",
        "expr('exp(-sqdist)')", "rbf(gamma=median)", "linear*poly(degree=2)"})
    EXPECT_FALSE(KernelProfile::of(Kernel::parse(text)).has_value()) << text;
  EXPECT_FALSE(KernelProfile::of(-1.0 * Kernel::rbf(1)).has_value());
  EXPECT_TRUE(KernelProfile::of(Kernel::linear())->is_linear());
  EXPECT_FALSE(KernelProfile::of(Kernel::polynomial(1, 1, 1))->is_linear());
}

}  // namespace
}  // namespace mercer
