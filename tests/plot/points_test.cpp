// Points get smaller and clearer the more of them share the room.
#include "plot/points.hpp"

#include "base/random.hpp"

#include <gtest/gtest.h>

namespace mercer::plot {
namespace {

std::vector<Point> spread(std::size_t n, const Rect& box) {
  Random random(4);
  std::vector<Point> at(n);
  for (Point& p : at) p = {box.x + box.w * random.uniform(), box.y + box.h * random.uniform()};
  return at;
}

TEST(PointStyle, MorePointsAreSmallerAndMoreTransparent) {
  const Rect box{0, 0, 600, 450};
  PointStyle before = point_style(spread(20, box), box);
  for (const std::size_t n : {200U, 2000U, 20000U, 200000U}) {
    const PointStyle style = point_style(spread(n, box), box);
    EXPECT_LT(style.radius, before.radius);
    EXPECT_LE(style.alpha, before.alpha);
    before = style;
  }
  EXPECT_GE(before.radius, 0.5);
  EXPECT_GE(before.alpha, 0.15);
}

TEST(PointStyle, ACrowdIsMoreTransparentThanTheSameNumberSpreadOut) {
  const Rect box{0, 0, 600, 450};
  EXPECT_LT(point_style(spread(3000, {300, 200, 40, 40}), box).alpha,
            point_style(spread(3000, box), box).alpha);
}

TEST(PointStyle, ShapesAreKeptAsLongAsTheyCanBeSeen) {
  const Rect box{0, 0, 600, 450};
  EXPECT_TRUE(point_style(spread(1797, box), box).shapes);
  EXPECT_FALSE(point_style(spread(200000, box), box).shapes);
}

}  // namespace
}  // namespace mercer::plot
