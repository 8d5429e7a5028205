// Ticks are round numbers within the range, few enough, and written as people write numbers.
#include "plot/ticks.hpp"

#include <mercer/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mercer::plot {
namespace {

using Labels = std::vector<std::string>;

TEST(Ticks, StepsAreOneTwoOrFiveTimesAPowerOfTen) {
  EXPECT_DOUBLE_EQ(nice_step(1), 1);
  EXPECT_DOUBLE_EQ(nice_step(1.1), 2);
  EXPECT_DOUBLE_EQ(nice_step(0.03), 0.05);
  EXPECT_DOUBLE_EQ(nice_step(0.06), 0.1);
  EXPECT_DOUBLE_EQ(nice_step(700), 1000);
}

TEST(Ticks, LabelsHaveTheDecimalsOfTheStepAndAProperMinus) {
  EXPECT_EQ(nice_ticks({-1, 1}, 5).labels, (Labels{"−1.0", "−0.5", "0.0", "0.5", "1.0"}));
  EXPECT_EQ(nice_ticks({-30, 29}, 6).labels, (Labels{"−30", "−20", "−10", "0", "10", "20"}));
}

TEST(Ticks, VeryLargeAndSmallNumbersShareAPowerOfTen) {
  const Ticks small = nice_ticks({0, 4e-5}, 5);
  EXPECT_EQ(small.factor, "×10⁻⁵");
  EXPECT_EQ(small.labels, (Labels{"0", "1", "2", "3", "4"}));
  EXPECT_EQ(nice_ticks({0, 2e12}, 5).factor, "×10¹²");
  EXPECT_EQ(nice_ticks({0, 100}, 5).factor, "");
}

TEST(Ticks, ThereAreNeverMoreThanAskedForAndAllLieInTheRange) {
  for (const double low : {-1e7, -3.7, -1e-9, 0.0, 0.1234, 99.5, 1e12})
    for (const double span : {1e-8, 0.3, 1.0, 7.7, 12345.0, 1e9})
      for (int most = 2; most < 12; ++most) {
        if (span < 1e-12 * std::abs(low)) continue;
        const Range range{low, low + span};
        const Ticks ticks = nice_ticks(range, most);
        EXPECT_LE(ticks.at.size(), static_cast<std::size_t>(most));
        EXPECT_EQ(ticks.at.size(), ticks.labels.size());
        for (const double v : ticks.at) {
          EXPECT_GE(v, range.low - 1e-6 * span);
          EXPECT_LE(v, range.high + 1e-6 * span);
        }
      }
}

TEST(Ticks, NeighbouringLabelsAreNeverTheSame) {
  for (const Range& range : {Range{1e9, 1e9 + 1}, Range{-1e-7, 1e-7}, Range{123.4567, 123.4568}}) {
    const Ticks ticks = nice_ticks(range, 6);
    for (std::size_t i = 1; i < ticks.labels.size(); ++i) EXPECT_NE(ticks.labels[i], ticks.labels[i - 1]);
  }
}

TEST(RangeOf, EqualValuesGetRoomAroundThem) {
  const double same[] = {5, 5, 5};
  const Range r = range_of(same);
  EXPECT_LT(r.low, 5);
  EXPECT_GT(r.high, 5);
  const double zeros[] = {0, 0};
  EXPECT_GT(range_of(zeros).span(), 0);
}

TEST(RangeOf, RefusesValuesThatCannotBeDrawn) {
  const double nan[] = {1, std::nan("")}, inf[] = {std::numeric_limits<double>::infinity()},
               huge[] = {-1e308, 1e308};
  EXPECT_THROW((void)range_of(nan), Error);
  EXPECT_THROW((void)range_of(inf), Error);
  EXPECT_THROW((void)range_of(huge), Error);
}

TEST(FormatNumber, KeepsSignificantDigitsAndDropsZeros) {
  EXPECT_EQ(format_number(0.21345), "0.213");
  EXPECT_EQ(format_number(9.996), "10");
  EXPECT_EQ(format_number(5e-324), "4.94×10⁻³²⁴");
  EXPECT_EQ(format_number(-1.7976931348623157e308), "−1.80×10³⁰⁸");
  EXPECT_EQ(format_number(-1234), "−1230");
  EXPECT_EQ(format_number(0.5), "0.5");
  EXPECT_EQ(format_number(0), "0");
  EXPECT_EQ(format_number(2.1e-7, 2), "2.1×10⁻⁷");
}

TEST(FormatPercent, NeverRoundsUpToEverything) {
  EXPECT_EQ(format_percent(0.342), "34.2\u00A0%");
  EXPECT_EQ(format_percent(0.9997), "99.97\u00A0%");
  EXPECT_EQ(format_percent(0.999999), "99.99\u00A0%");
  EXPECT_EQ(format_percent(1), "100\u00A0%");
  EXPECT_EQ(format_percent(0.0042), "0.42\u00A0%");
  EXPECT_EQ(format_percent(1e-9), "< 0.01\u00A0%");
  EXPECT_EQ(format_percent(0), "0\u00A0%");
}

}  // namespace
}  // namespace mercer::plot
