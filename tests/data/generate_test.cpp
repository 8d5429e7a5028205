// Generated data: deterministic, of the size asked for, and of the shape promised.
#include "decompositions.hpp"
#include "expect_error.hpp"

#include <mercer/generate.hpp>

#include <cmath>

namespace mercer {
namespace {

using test::error_of;
using test::expect_contains;

TEST(Generate, EveryNameGivesItsDefaultSizeAndTheSameDataAgain) {
  for (const auto& g : generators()) {
    const auto a = generate(g.name), b = generate(g.name);
    EXPECT_EQ(a.samples.rows(), g.default_n) << g.name;
    EXPECT_EQ(a.samples.to_dense(), b.samples.to_dense()) << g.name;
    EXPECT_EQ(static_cast<Index>(a.columns.size()), a.samples.cols()) << g.name;
    EXPECT_TRUE(a.samples.dense().allFinite()) << g.name;
    EXPECT_FALSE(g.description.empty());
    if (a.label) {
      EXPECT_EQ(static_cast<Index>(a.label->codes.size()), g.default_n) << g.name;
    }
  }
}

TEST(Generate, TheSeedChangesTheData) {
  EXPECT_NE(generate("circles", 20, 1).samples.to_dense(), generate("circles", 20, 2).samples.to_dense());
}

TEST(Generate, OddSizesAreMetExactly) {
  for (const char* name : {"circles", "moons", "three-modes", "two-classes", "gaussians"})
    EXPECT_EQ(generate(name, 31).samples.rows(), 31);
}

TEST(Generate, UnitDirectionsHaveThreeEqualVariances) {
  const auto d = generate("unit-directions");
  const Matrix<double> x = d.samples.to_dense();
  EXPECT_EQ(x.colwise().sum(), Matrix<double>::Zero(1, 3));
  const Matrix<double> covariance = x.transpose() * x / static_cast<double>(x.rows());
  EXPECT_TRUE(covariance.isApprox(Matrix<double>::Identity(3, 3) / 3, 1e-15));
  EXPECT_EQ(d.label->names, (std::vector<std::string>{"e1", "e2", "e3"}));
}

TEST(Generate, CirclePointsLieOnTheCircleAndSpherePointsOnTheSphere) {
  const Matrix<double> c = generate("circle", 50, 4).samples.to_dense();
  for (Index i = 0; i < c.rows(); ++i) EXPECT_NEAR(std::hypot(c(i, 0) - 1, c(i, 1) - 2), 1.5, 1e-14);
  const Matrix<double> s = generate("sphere", 50, 4).samples.to_dense();
  for (Index i = 0; i < s.rows(); ++i) EXPECT_NEAR(s.row(i).norm(), 1, 1e-14);
}

TEST(Generate, SwissRollNumbersThePlaceAlongTheRoll) {
  const auto d = generate("swiss-roll", 100);
  const auto x = d.samples.dense();
  EXPECT_EQ(d.label->column, "t");
  for (Index i = 0; i < 100; ++i)
    EXPECT_NEAR(std::hypot(x(i, 0), x(i, 2)), d.label->values[static_cast<std::size_t>(i)], 1e-12);
}

TEST(Generate, SeveredSphereIsPartOfASphereAndNumbersTheLongitude) {
  const auto d = generate("severed-sphere", 200);
  const auto x = d.samples.dense();
  EXPECT_EQ(d.label->column, "t");
  for (Index i = 0; i < 200; ++i) {
    const double t = d.label->values[static_cast<std::size_t>(i)];
    EXPECT_NEAR(x.row(i).norm(), 1, 1e-12);
    EXPECT_NEAR(std::atan2(x(i, 1), x(i, 0)), t <= M_PI ? t : t - 2 * M_PI, 1e-9);
    EXPECT_LT(t, 2 * M_PI - 0.55);
    EXPECT_LT(std::abs(x(i, 2)), std::cos(M_PI / 8));
  }
}

TEST(Generate, ThreeModesAreTwentyPointsEachAroundTheirCentres) {
  const auto d = generate("three-modes");
  const Matrix<double> x = d.samples.to_dense();
  EXPECT_EQ(std::count(d.label->codes.begin(), d.label->codes.end(), 1), 20);
  EXPECT_NEAR(x.topRows(20).col(0).mean(), -0.5, 0.1);
  EXPECT_NEAR(x.middleRows(20, 20).col(1).mean(), 0.6, 0.1);
}

TEST(Generate, NoLineSeparatesTheTwoClasses) {
  const auto d = generate("two-classes");
  const auto x = d.samples.dense();
  for (double angle = 0; angle < 3.2; angle += 0.1) {
    double low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9};
    for (Index i = 0; i < x.rows(); ++i) {
      const auto c = d.label->codes[static_cast<std::size_t>(i)];
      const double p = std::cos(angle) * x(i, 0) + std::sin(angle) * x(i, 1);
      low[c] = std::min(low[c], p);
      high[c] = std::max(high[c], p);
    }
    EXPECT_TRUE(low[0] < high[1] && low[1] < high[0]);
  }
}

TEST(Generate, UnknownNamesListTheKnownOnes) {
  const Error e = error_of([] { (void)generate("spiral"); });
  EXPECT_EQ(e.code(), ErrorCode::usage);
  expect_contains(e.what(), "circles, moons, swiss-roll");
}

TEST(Generate, TooFewPointsAreRefused) {
  EXPECT_EQ(error_of([] { (void)generate("gaussians", 14); }).code(), ErrorCode::usage);
  EXPECT_EQ(error_of([] { (void)generate("circles", -5); }).code(), ErrorCode::usage);
  EXPECT_EQ(error_of([] { (void)generate("unit-directions", 20); }).code(), ErrorCode::usage);
}

TEST(Generate, GaussiansTakeANumberOfFeaturesAndClusters) {
  const auto d = generate("gaussians", 100, 1, {.features = 7, .clusters = 4});
  EXPECT_EQ(d.samples.cols(), 7);
  EXPECT_EQ(d.label->names.size(), 4);
  EXPECT_EQ(generate("gaussians", 100, 1, {.features = 20, .clusters = 15}).samples.to_dense(),
            generate("gaussians", 100, 1).samples.to_dense());
  EXPECT_EQ(error_of([] { (void)generate("gaussians", 5, 0, {.clusters = 6}); }).code(), ErrorCode::usage);
  EXPECT_EQ(error_of([] { (void)generate("gaussians", 5, 0, {.features = -6}); }).code(), ErrorCode::usage);
  expect_contains(error_of([] { (void)generate("circles", 50, 0, {.features = 3}); }).what(),
                  "only gaussians");
}

}  // namespace
}  // namespace mercer
