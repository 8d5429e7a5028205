// The box in space fills its area, and what is nearer to the eye is known to be nearer.
#include "plot/projection.hpp"

#include <gtest/gtest.h>

namespace mercer::plot {
namespace {

TEST(Projection, TheCubeFitsItsAreaAndTouchesTwoOppositeSides) {
  const Rect area{50, 20, 400, 300};
  const Projection view(area);
  double left = 1e9, right = -1e9, top = 1e9, bottom = -1e9;
  for (int c = 0; c < 8; ++c) {
    const Point p = view.at({c & 1 ? 1.0 : 0.0, c & 2 ? 1.0 : 0.0, c & 4 ? 1.0 : 0.0});
    left = std::min(left, p.x), right = std::max(right, p.x);
    top = std::min(top, p.y), bottom = std::max(bottom, p.y);
  }
  EXPECT_TRUE(area.inset(-1e-9).contains({left, top, right - left, bottom - top}));
  EXPECT_TRUE(std::abs(right - left - area.w) < 1e-9 || std::abs(bottom - top - area.h) < 1e-9);
}

TEST(Projection, HigherPointsAreHigherOnThePage) {
  const Projection view({0, 0, 100, 100});
  EXPECT_LT(view.at({0.5, 0.5, 1}).y, view.at({0.5, 0.5, 0}).y);
}

TEST(Projection, TheFrontIsNearerThanTheBack) {
  const Projection view({0, 0, 100, 100});
  EXPECT_LT(view.depth({0.5, 0, 0.5}), view.depth({0.5, 1, 0.5}));
  EXPECT_NEAR(view.depth({1, 0, 1}), 0, 1e-12);
  EXPECT_NEAR(view.depth({0, 1, 0}), 1, 1e-12);
}

}  // namespace
}  // namespace mercer::plot
