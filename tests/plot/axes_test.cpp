// Axes map data to the page, and leave the room that their text needs.
#include "plot/axes.hpp"

#include <gtest/gtest.h>

namespace mercer::plot {
namespace {

TEST(Axes, CornersOfTheRangesAreCornersOfTheBox) {
  Canvas canvas(Format::svg, 400, 300);
  const Axes axes(canvas, canvas.page(), {50, 10, 20, 40}, {{-2, 6}, "x"}, {{10, 20}, "y"});
  EXPECT_NEAR(axes.at(-2, 10).x, 50, 1e-9);
  EXPECT_NEAR(axes.at(-2, 10).y, 260, 1e-9);
  EXPECT_NEAR(axes.at(6, 20).x, 390, 1e-9);
  EXPECT_NEAR(axes.at(6, 20).y, 20, 1e-9);
}

TEST(Axes, WithEqualAspectAUnitIsAsLongInBothDirectionsAndNothingIsCutOff) {
  Canvas canvas(Format::svg, 400, 300);
  const Axes axes(canvas, canvas.page(), {}, {{0, 1}, "x"}, {{0, 5}, "y"}, {.equal_aspect = true});
  const Point a = axes.at(0, 0), b = axes.at(1, 1);
  EXPECT_NEAR(b.x - a.x, a.y - b.y, 1e-9);
  EXPECT_LE(axes.x().low, 0);
  EXPECT_GE(axes.x().high, 1);
  EXPECT_LE(axes.y().low, 0);
  EXPECT_GE(axes.y().high, 5);
}

TEST(Axes, LongLabelsGetMoreRoomThanShortOnes) {
  const Canvas canvas(Format::svg, 400, 300);
  const Axis x{{0, 1}, "x"};
  const Margins narrow = Axes::measure(canvas, canvas.page(), x, {{0, 9}, "y"}, {});
  const Margins wide = Axes::measure(canvas, canvas.page(), x, {{-1234.001, -1234}, "y"}, {});
  EXPECT_GT(wide.left, narrow.left + 20);
}

TEST(Axes, WithoutLabelsTheyNeedNoRoom) {
  const Canvas canvas(Format::svg, 400, 300);
  Axis bare{{0, 1}, "x"};
  bare.labels = false;
  const Margins m = Axes::measure(canvas, canvas.page(), bare, bare, {});
  EXPECT_EQ(m.left + m.right + m.top + m.bottom, 0);
}

TEST(Axes, ThePowerOfTenIsSaidOnceInTheName) {
  EXPECT_EQ(name_with_factor("PC1", nice_ticks({0, 3e-7}, 5)), "PC1 (×10⁻⁷)");
  EXPECT_EQ(name_with_factor("PC1", nice_ticks({0, 3}, 5)), "PC1");
}

}  // namespace
}  // namespace mercer::plot
