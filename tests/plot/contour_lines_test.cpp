// Marching squares against curves whose length and area are known.
#include "plot/contour_lines.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

namespace mercer::plot {
namespace {

Matrix<double> sampled(Index rows, Index cols, const std::function<double(double, double)>& f) {
  Matrix<double> values(rows, cols);
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < cols; ++c) values(r, c) = f(static_cast<double>(c), static_cast<double>(r));
  return values;
}

double length(const ContourLine& line) {
  double total = 0;
  for (std::size_t i = 1; i < line.points.size(); ++i)
    total += std::hypot(line.points[i].x - line.points[i - 1].x, line.points[i].y - line.points[i - 1].y);
  if (line.closed)
    total += std::hypot(line.points.front().x - line.points.back().x,
                        line.points.front().y - line.points.back().y);
  return total;
}

double area(const ContourLine& line) {
  double twice = 0;
  for (std::size_t i = 0; i < line.points.size(); ++i) {
    const Point &p = line.points[i], &q = line.points[(i + 1) % line.points.size()];
    twice += p.x * q.y - q.x * p.y;
  }
  return std::abs(twice) / 2;
}

TEST(ContourLines, ACircleIsOneRingOfTheRightLengthAndArea) {
  const auto values = sampled(101, 121, [](double x, double y) { return std::hypot(x - 60.3, y - 49.8); });
  const auto lines = contour_lines(values, 30);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].closed);
  EXPECT_NEAR(length(lines[0]), 2 * std::numbers::pi * 30, 0.1);
  EXPECT_NEAR(area(lines[0]), std::numbers::pi * 900, 1);
}

TEST(ContourLines, APlaneGivesOneStraightOpenLine) {
  const auto values = sampled(11, 21, [](double x, double y) { return x + 2 * y; });
  const auto lines = contour_lines(values, 20.5);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_FALSE(lines[0].closed);
  for (const Point& p : lines[0].points) EXPECT_NEAR(p.x + 2 * p.y, 20.5, 1e-12);
  EXPECT_NEAR(length(lines[0]), std::hypot(19.5, 9.75), 1e-9);
}

TEST(ContourLines, TwoHillsGiveTwoRings) {
  const auto values = sampled(60, 100, [](double x, double y) {
    return std::exp(-(std::pow(x - 25, 2) + std::pow(y - 30, 2)) / 80) +
           std::exp(-(std::pow(x - 75, 2) + std::pow(y - 30, 2)) / 80);
  });
  const auto lines = contour_lines(values, 0.5);
  ASSERT_EQ(lines.size(), 2U);
  for (const ContourLine& line : lines) EXPECT_NEAR(area(line), std::numbers::pi * 80 * std::log(2), 1);
}

TEST(ContourLines, ASaddleIsCutIntoTwoLinesThatDoNotCross) {
  Matrix<double> values(2, 2);
  values << 1, -1, -1, 1;
  for (const double level : {-0.2, 0.2}) {
    const auto lines = contour_lines(values, level);
    ASSERT_EQ(lines.size(), 2U);
    for (const ContourLine& line : lines) EXPECT_EQ(line.points.size(), 2U);
  }
  // Above the middle's value the high corners are apart: each is cut off by a line of its own.
  for (const ContourLine& line : contour_lines(values, 0.2)) EXPECT_LT(length(line), std::hypot(0.5, 0.5));
  EXPECT_LT(length(contour_lines(values, -0.2)[0]), std::hypot(0.5, 0.5));
}

TEST(ContourLines, AConstantHasNone) {
  EXPECT_TRUE(contour_lines(Matrix<double>::Constant(5, 5, 2.0), 2.0).empty());
  EXPECT_TRUE(contour_lines(Matrix<double>::Constant(5, 5, 2.0), 3.0).empty());
}

TEST(ContourLines, ValuesExactlyAtTheLevelMakeNoGaps) {
  const auto values =
      sampled(9, 9, [](double x, double y) { return std::max(std::abs(x - 4), std::abs(y - 4)); });
  const auto lines = contour_lines(values, 2);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].closed);
}

TEST(ContourLevels, AreRoundNumbersAndContainZeroWhenTheSignChanges) {
  const auto levels = contour_levels(-0.37, 0.81, 12);
  EXPECT_GE(levels.size(), 6U);
  EXPECT_NE(std::find(levels.begin(), levels.end(), 0.0), levels.end());
  EXPECT_TRUE(contour_levels(1, 1, 10).empty());
}

}  // namespace
}  // namespace mercer::plot
