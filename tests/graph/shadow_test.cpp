// Shadows: their distances bound those of the points, whatever the points; their order.
#include "graph/shadow.hpp"

#include "graph/dot_tiles.hpp"
#include "support.hpp"

#include <algorithm>
#include <numeric>

namespace mercer {
namespace {

template <class T>
class Shade : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Shade, Types);

template <class T>
ShadowAxes axes_of(const Samples<T>& points, Index few, Index all) {
  ShadowAxes axes(points, mean_of(points), all);
  axes.keep(few, axes.all());
  return axes;
}

/// Points near a plane of a few dimensions, each axis less spread than the one before.
template <class T>
Matrix<T> flat(Index n, Index d, std::uint64_t seed) {
  Matrix<T> x = test::random_matrix<T>(n, d, seed);
  for (Index c = 0; c < d; ++c) x.col(c) *= T(std::pow(0.8, double(c)));
  return x;
}

/// Distances on few axes, the second look and its width, around the truth for every pair. The share of pairs
/// where the second look tells more.
template <class T>
double checked_bounds(const Samples<T>& points, const Samples<T>& rows, Index few, Index all) {
  const ShadowAxes axes = axes_of(points, few, all);
  const Shadows left = axes.shadows(rows, {}, {}), right = axes.shadows(points, {}, {});
  const DotTiles<float> tiles(right.coarse(), Vector<double>());
  const TileRows<float> prepared = tiles.prepare(left.coarse());
  const SecondLook look(left, right);
  EXPECT_TRUE(look);
  const RowDistance<T> distance(rows, points);
  Index closer = 0;
  tiles.for_rows(prepared, 0, rows.rows(), 0, points.rows(), [&](Index i, const float* dots) {
    for (Index j = 0; j < points.rows(); ++j) {
      const float halves = prepared.half[i] + tiles.points().half[j];
      const float first = halves - dots[j], second = look.lower(i, j, first);
      const double truth = distance(i, j) / 2;
      EXPECT_LE(double(first), truth) << i << " " << j;
      EXPECT_LE(double(second), truth) << i << " " << j;
      EXPECT_GE(double(second) + double(tiles.width(halves)) + double(look.width(i, j, halves)), truth)
          << i << " " << j;
      closer += second > first;
    }
  });
  return double(closer) / double(rows.rows() * points.rows());
}

TYPED_TEST(Shade, IsNeverFartherThanThePoints) {
  const Samples<TypeParam> points = flat<TypeParam>(300, 40, 1), rows = flat<TypeParam>(50, 40, 2);
  EXPECT_GT(checked_bounds(points, points, 4, 12), 0.9);
  EXPECT_GT(checked_bounds(points, rows, 8, 20), 0.9);
  const Samples<TypeParam> elsewhere = test::random_matrix<TypeParam>(50, 40, 3);
  EXPECT_GT(checked_bounds(points, elsewhere, 8, 20), 0.9);
}

TYPED_TEST(Shade, IsNeverFartherWhereNothingIsLeft) {
  // In a plane, far from the origin, equal to one another, and a stranger to all of it.
  Matrix<TypeParam> plane =
      test::random_matrix<TypeParam>(200, 3, 4) * test::random_matrix<TypeParam>(3, 30, 5);
  plane.bottomRows(50) = plane.topRows(50);
  Matrix<TypeParam> strangers = test::random_matrix<TypeParam>(20, 30, 6);
  (void)checked_bounds(Samples<TypeParam>(plane), Samples<TypeParam>(plane), 3, 6);
  (void)checked_bounds(Samples<TypeParam>(plane), Samples<TypeParam>(strangers), 3, 6);
  plane.array() += TypeParam(50);
  EXPECT_GT(checked_bounds(Samples<TypeParam>(plane), Samples<TypeParam>(plane), 2, 6), 0.4);
}

TYPED_TEST(Shade, NeedsNoMorePointsThanAxes) {
  const Samples<TypeParam> points = test::random_matrix<TypeParam>(10, 2000, 7);  // axes from inner products
  EXPECT_GT(checked_bounds(points, points, 4, 8), 0.4);
}

TYPED_TEST(Shade, NeedsNoFullRank) {
  // A thousand features and more, of which most are constant or copies.
  Matrix<TypeParam> points = Matrix<TypeParam>::Constant(1100, 1030, TypeParam(0.5));
  points.leftCols(5) = test::random_matrix<TypeParam>(1100, 5, 10);
  points.middleCols(5, 5) = points.leftCols(5);
  points.row(3) = points.row(4);
  const Samples<TypeParam> some(Matrix<TypeParam>(points.topRows(60)));
  EXPECT_GT(checked_bounds(Samples<TypeParam>(points), some, 3, 40), 0.4);
}

TYPED_TEST(Shade, KnowsWhatFloatCannotHold) {
  const Samples<TypeParam> points = flat<TypeParam>(100, 20, 11);
  const ShadowAxes axes = axes_of(points, 4, 10);
  EXPECT_TRUE(axes.shadows(points, {}, {}).in_range());
  Matrix<TypeParam> far = points.to_dense();
  far.row(7) *= TypeParam(1e20);
  EXPECT_FALSE(axes.shadows(Samples<TypeParam>(far), {}, {}).in_range());
}

TYPED_TEST(Shade, OrdersNeighboursTogether) {
  const Samples<TypeParam> points = flat<TypeParam>(1000, 20, 8);
  const ShadowAxes axes = axes_of(points, 4, 10);
  const std::vector<Index> order = axes.order(points, 64, {});
  std::vector<Index> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (Index i = 0; i < 1000; ++i) ASSERT_EQ(sorted[static_cast<std::size_t>(i)], i);
  const RowDistance<TypeParam> distance(points, points);
  double before = 0, after = 0;
  for (Index i = 0; i + 1 < 1000; ++i) {
    before += distance(i, i + 1);
    after += distance(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(i) + 1]);
  }
  EXPECT_LT(after, 0.6 * before);
  EXPECT_EQ(order, axes.order(points, 64, mercer::Run{.threads = 1}));
}

TYPED_TEST(Shade, IsThrownOfTheRowsNamed) {
  const Samples<TypeParam> points = flat<TypeParam>(100, 20, 9);
  const ShadowAxes axes = axes_of(points, 4, 10);
  const Shadows all = axes.shadows(points, {}, {}), some = axes.shadows(points, {7, 3, 99}, {});
  ASSERT_EQ(some.rows.rows(), 3);
  for (const auto& [row, number] : {std::pair<Index, Index>{0, 7}, {1, 3}, {2, 99}})
    EXPECT_NEAR((some.rows.dense().row(row) - all.rows.dense().row(number)).norm(), 0, 1e-6);
}

}  // namespace
}  // namespace mercer
