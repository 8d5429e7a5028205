// Turned rectangles: do they overlap or not?
#include "plot/geometry.hpp"

#include <gtest/gtest.h>

namespace mercer::plot {
namespace {

Quad upright(double x, double y, double w, double h) {
  return {{Point{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}}};
}

TEST(Quad, OverlapsWhatItSharesAreaWith) {
  EXPECT_TRUE(upright(0, 0, 10, 10).overlaps(upright(9, 9, 10, 10)));
  EXPECT_TRUE(upright(0, 0, 10, 10).overlaps(upright(2, 2, 1, 1)));
  EXPECT_FALSE(upright(0, 0, 10, 10).overlaps(upright(11, 0, 10, 10)));
  EXPECT_FALSE(upright(0, 0, 10, 10).overlaps(upright(10, 0, 10, 10))) << "touching is not overlapping";
}

TEST(Quad, ATurnedOneIsSmallerThanItsBounds) {
  const Quad diamond{{Point{10, 0}, {20, 10}, {10, 20}, {0, 10}}};
  EXPECT_TRUE(diamond.bounds().overlaps({0, 0, 4, 4}));
  EXPECT_FALSE(diamond.overlaps(upright(0, 0, 4, 4)));
  EXPECT_TRUE(diamond.overlaps(upright(0, 0, 6, 6)));
}

TEST(Range, FractionsGoFromLowToHigh) {
  const Range r{-1, 3};
  EXPECT_DOUBLE_EQ(r.fraction(-1), 0);
  EXPECT_DOUBLE_EQ(r.fraction(3), 1);
  EXPECT_DOUBLE_EQ(r.middle(), 1);
}

}  // namespace
}  // namespace mercer::plot
