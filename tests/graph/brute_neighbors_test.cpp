// Neighbours by all pairs: the right ones in the right order, whatever the data, its form and the threads.
#include "graph/brute_neighbors.hpp"

#include "graph/naive.hpp"

#include <cmath>
#include <limits>

namespace mercer {
namespace {

using test::anywhere;
using test::expect_same_lists;
using test::naive_lists;

template <class T>
class BruteForce : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(BruteForce, Types);

template <class T>
void expect_exact(const Samples<T>& points, Index count) {
  const BruteNeighbors<T> search(points, {});
  expect_same_lists(search.nearest(count, {}), naive_lists(points, points, count, anywhere, true));
}

TYPED_TEST(BruteForce, FindsTheNearestOfAnyNumberOfFeatures) {
  for (const Index d : {1, 2, 7, 16, 33, 100})
    expect_exact<TypeParam>(test::random_matrix<TypeParam>(150, d, static_cast<std::uint64_t>(d)), 10);
}

TYPED_TEST(BruteForce, FindsThemAcrossTiles) {
  Matrix<TypeParam> x = test::random_matrix<TypeParam>(1300, 5, 1);
  expect_exact<TypeParam>(x, 12);
  x.array() += TypeParam(100);  // rows less their mean, which are made for each tile
  expect_exact<TypeParam>(x, 12);
}

TYPED_TEST(BruteForce, FindsThemInSparseRows) {
  expect_exact<TypeParam>(test::random_sparse<TypeParam>(200, 30, 2), 8);  // a third: written out
  Matrix<TypeParam> thin = Matrix<TypeParam>::Zero(400, 300);
  Random random(3);
  for (Index i = 0; i < thin.rows(); ++i)
    for (int e = 0; e < 6; ++e) thin(i, static_cast<Index>(random.below(300))) = TypeParam(random.normal());
  expect_exact<TypeParam>(SparseMatrix<TypeParam>(thin.sparseView()), 8);
}

TYPED_TEST(BruteForce, OrdersEqualDistancesByNumber) {
  expect_exact<TypeParam>(test::lattice<TypeParam>(700, 3, 5, 4), 20);
  expect_exact<TypeParam>(SparseMatrix<TypeParam>(test::lattice<TypeParam>(300, 40, 2, 5).sparseView()), 20);
}

TYPED_TEST(BruteForce, LeavesOutThePointItselfAndNotItsDuplicates) {
  Matrix<TypeParam> x = test::random_matrix<TypeParam>(120, 20, 6);
  x.middleRows(40, 40) = x.topRows(40);
  const NeighborLists lists = BruteNeighbors<TypeParam>(x, {}).nearest(3, {});
  for (Index i = 0; i < 40; ++i) {
    EXPECT_EQ(lists.neighbors(i)[0], i + 40);
    EXPECT_EQ(lists.neighbors(i + 40)[0], i);
    EXPECT_EQ(lists.distances(i)[0], 0);
  }
}

TYPED_TEST(BruteForce, WorksWhereAllPointsAreEqual) {
  const Matrix<TypeParam> x = Matrix<TypeParam>::Constant(600, 4, TypeParam(3.7));
  const NeighborLists lists = BruteNeighbors<TypeParam>(x, {}).nearest(5, {});
  EXPECT_EQ(std::vector<std::int32_t>(lists.neighbors(2).begin(), lists.neighbors(2).end()),
            (std::vector<std::int32_t>{0, 1, 3, 4, 5}));
  EXPECT_EQ(*std::max_element(lists.distance.begin(), lists.distance.end()), 0);
}

TYPED_TEST(BruteForce, KeepsItsDigitsFarFromTheOriginAndInTightClusters) {
  Matrix<TypeParam> far = test::random_matrix<TypeParam>(400, 6, 7);
  far.array() += TypeParam(1000);
  expect_exact<TypeParam>(far, 6);
  // Clusters a thousandth of a thousandth of their distance wide: ‖x‖² + ‖y‖² − 2x·y is all rounding in
  // float.
  Matrix<TypeParam> tight = test::random_matrix<TypeParam>(600, 6, 8) * TypeParam(1e-6);
  for (Index i = 0; i < 600; ++i) tight(i, i % 6) += TypeParam(i % 2 == 0 ? 1 : -1);
  expect_exact<TypeParam>(tight, 6);
}

TYPED_TEST(BruteForce, SurvivesVeryLargeAndVerySmallNumbers) {
  const Matrix<TypeParam> x = test::random_matrix<TypeParam>(100, 5, 9);
  const NeighborLists truth = BruteNeighbors<TypeParam>(x, {}).nearest(4, {});
  for (const double factor : {0x1p70, 0x1p-80}) {
    const Matrix<TypeParam> scaled = x * TypeParam(factor);
    EXPECT_EQ(BruteNeighbors<TypeParam>(scaled, {}).nearest(4, {}).index, truth.index) << factor;
  }
}

TEST(BruteForce, RefusesRowsWhoseSquareOverflows) {
  Matrix<double> x = test::random_matrix<double>(10, 3, 10);
  x(4, 1) = 1e200;
  try {
    const BruteNeighbors<double> search(x, {});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::bad_data);
    EXPECT_NE(e.message().find("row "), std::string::npos);
  }
}

TYPED_TEST(BruteForce, ComputesInFloatWhereThatIsFineEnough) {
  EXPECT_TRUE(BruteNeighbors<TypeParam>(test::random_matrix<TypeParam>(300, 10, 11), {}).in_float());
  Matrix<TypeParam> tight = test::random_matrix<TypeParam>(400, 6, 8) * TypeParam(1e-6);
  tight.col(0).array() += test::random_matrix<TypeParam>(400, 1, 12).array().sign();
  EXPECT_FALSE(BruteNeighbors<TypeParam>(tight, {}).in_float());
}

TYPED_TEST(BruteForce, FindsTheNearestOfNewPoints) {
  const Samples<TypeParam> points = test::random_matrix<TypeParam>(700, 9, 13);
  const Samples<TypeParam> rows = test::random_matrix<TypeParam>(150, 9, 14);
  const BruteNeighbors<TypeParam> search(points, {});
  expect_same_lists(search.nearest(rows, 7, {}, {}), naive_lists(rows, points, 7, anywhere, false));
  EXPECT_EQ(search.nearest(points, 1, {}, {}).index[5], 5) << "a point is its own neighbour here";
  const Samples<TypeParam> sparse = SparseMatrix<TypeParam>(rows.to_dense().sparseView());
  expect_same_lists(search.nearest(sparse, 7, {}, {}), naive_lists(rows, points, 7, anywhere, false));
  EXPECT_EQ(search.nearest(rows, 700, {}, {}).index.size(), 150U * 700U) << "all of them";
}

TYPED_TEST(BruteForce, LeavesOutWhatIsExcluded) {
  const Samples<TypeParam> points = test::random_matrix<TypeParam>(1100, 4, 15);
  std::vector<Excluded> own;
  for (Index i = 0; i < 1100; ++i) own.push_back(i < 600 ? Excluded{0, 600} : Excluded{600, 1100});
  const NeighborLists lists = BruteNeighbors<TypeParam>(points, {}).nearest(points, 2, own, {});
  const NeighborLists low =
      naive_lists(points.middle_rows(0, 600), points.middle_rows(600, 500), 2, anywhere, false);
  for (Index i = 0; i < 600; ++i) EXPECT_EQ(lists.neighbors(i)[1], low.neighbors(i)[1] + 600);
}

TYPED_TEST(BruteForce, FindsAllWithinARadius) {
  const Samples<TypeParam> points = test::lattice<TypeParam>(600, 4, 4, 16);
  const Samples<TypeParam> rows = test::random_matrix<TypeParam>(90, 4, 17);
  const BruteNeighbors<TypeParam> search(points, {});
  expect_same_lists(search.within(1.0, {}),
                    naive_lists(points, points, 0, 1.0, true));  // closed: 1 is within
  expect_same_lists(search.within(rows, 0.8, {}), naive_lists(rows, points, 0, 0.8, false));
}

TYPED_TEST(BruteForce, RefusesMoreNeighboursThanFitTheMemory) {
  const BruteNeighbors<TypeParam> search(test::random_matrix<TypeParam>(400, 3, 18), {});
  try {
    (void)search.within(100, mercer::Run{.memory = 1 << 20});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::no_memory);
  }
}

TYPED_TEST(BruteForce, GivesTheSameForAnyThreadsAndLittleMemory) {
  const Samples<TypeParam> points = test::random_matrix<TypeParam>(1500, 20, 19);
  const BruteNeighbors<TypeParam> search(points, {});
  const NeighborLists one = search.nearest(15, mercer::Run{.threads = 1});
  for (const mercer::Run& run :
       {mercer::Run{.threads = 2}, mercer::Run{.threads = 5}, mercer::Run{.threads = 2, .memory = 100000}}) {
    const NeighborLists other = search.nearest(15, run);
    EXPECT_EQ(one.index, other.index);
    EXPECT_EQ(one.distance, other.distance);
  }
}

/// Points spread along few of 60 axes, some of them twice.
template <class T>
Samples<T> flat_points(Index n, std::uint64_t seed) {
  Matrix<T> x = test::random_matrix<T>(n, 60, seed);
  for (Index c = 0; c < 60; ++c) x.col(c) *= T(std::pow(0.7, double(c)));
  x.array() += T(3);
  x.middleRows(n / 2, n / 8) = x.topRows(n / 8);
  return x;
}

template <class T>
BruteNeighbors<T> search_by_shadows(const Samples<T>& points,
                                    double patience = std::numeric_limits<double>::infinity()) {
  ShadowAxes axes(points, mean_of(points), 9);
  axes.keep(4, 9);
  return BruteNeighbors<T>(points, std::move(axes), patience, {});
}

TYPED_TEST(BruteForce, FindsTheSameByShadows) {
  const Samples<TypeParam> points = flat_points<TypeParam>(1300, 21), rows = flat_points<TypeParam>(200, 22);
  const BruteNeighbors<TypeParam> search = search_by_shadows(points);
  for (const Index count : {1, 12, 90})
    expect_same_lists(search.nearest(count, {}), naive_lists(points, points, count, anywhere, true));
  expect_same_lists(search.nearest(rows, 7, {}, {}), naive_lists(rows, points, 7, anywhere, false));
  expect_same_lists(search.within(0.5, {}), naive_lists(points, points, 0, 0.5, true));
  expect_same_lists(search.within(rows, 0.5, {}), naive_lists(rows, points, 0, 0.5, false));
  expect_same_lists(search.nearest(rows, 1300, {}, {}), naive_lists(rows, points, 1300, anywhere, false));
}

TYPED_TEST(BruteForce, ChoosesShadowsWhereTheyTellMostPointsApart) {
  Matrix<TypeParam> x = test::random_matrix<TypeParam>(8000, 200, 27);
  for (Index c = 0; c < 200; ++c) x.col(c) *= TypeParam(std::pow(0.8, double(c)));
  const Samples<TypeParam> points(x);
  const BruteNeighbors<TypeParam> many(points, {}, 1'000'000'000), few(points, {}, 10);
  EXPECT_GT(many.shadow_axes(), 0);
  EXPECT_EQ(few.shadow_axes(), 0);
  const NeighborLists a = many.nearest(12, {}), b = few.nearest(12, {});
  EXPECT_EQ(a.index, b.index);
  EXPECT_EQ(a.distance, b.distance);
}

TYPED_TEST(BruteForce, OrdersEqualDistancesByNumberAmongShadows) {
  Matrix<TypeParam> x = test::lattice<TypeParam>(900, 20, 2, 28);
  for (Index i = 0; i < 300; ++i) x.row(3 * i) = x.row(0);  // more of them than a list has room for
  const Samples<TypeParam> points(x);
  expect_same_lists(search_by_shadows(points).nearest(20, {}),
                    naive_lists(points, points, 20, anywhere, true));
}

TYPED_TEST(BruteForce, FindsTheSameWhereShadowsTellNothingOrAreGivenUp) {
  // Rows that have nothing to do with the points, and a radius that holds most of them.
  const Samples<TypeParam> points = flat_points<TypeParam>(1300, 29);
  const Samples<TypeParam> others = test::random_matrix<TypeParam>(300, 60, 30);
  const NeighborLists nearest = naive_lists(others, points, 12, anywhere, false),
                      within = naive_lists(others, points, 0, 25.0, false),
                      among = naive_lists(points, points, 0, 2.0, true);
  ASSERT_GT(within.index.size(), 100'000U);
  for (const double patience : {1e9, 1.0, 1e-3}) {
    const BruteNeighbors<TypeParam> search = search_by_shadows(points, patience);
    expect_same_lists(search.nearest(others, 12, {}, {}), nearest);
    expect_same_lists(search.within(others, 25.0, {}), within);
    expect_same_lists(search.within(2.0, {}), among);
  }
}

TYPED_TEST(BruteForce, LeavesOutWhatIsExcludedByShadowsToo) {
  const Samples<TypeParam> points = flat_points<TypeParam>(1100, 23);
  std::vector<Excluded> own;
  for (Index i = 0; i < 1100; ++i) own.push_back(i < 600 ? Excluded{0, 600} : Excluded{600, 1100});
  const BruteNeighbors<TypeParam> search = search_by_shadows(points);
  const NeighborLists plain = BruteNeighbors<TypeParam>(points, {}).nearest(points, 2, own, {});
  const NeighborLists lists = search.nearest(points, 2, own, {});
  EXPECT_EQ(lists.index, plain.index);
  EXPECT_EQ(lists.distance, plain.distance);
}

TYPED_TEST(BruteForce, GivesTheSameByShadowsForAnyThreadsAndLittleMemory) {
  const Samples<TypeParam> points = flat_points<TypeParam>(1500, 24);
  const BruteNeighbors<TypeParam> search = search_by_shadows(points);
  const NeighborLists plain = BruteNeighbors<TypeParam>(points, {}).nearest(15, {});
  for (const mercer::Run& run :
       {mercer::Run{.threads = 1}, mercer::Run{.threads = 5}, mercer::Run{.threads = 2, .memory = 100000}}) {
    const NeighborLists lists = search.nearest(15, run);
    EXPECT_EQ(lists.index, plain.index);
    EXPECT_EQ(lists.distance, plain.distance) << "to the bit";
  }
}

TYPED_TEST(BruteForce, FindsTheNearestOfPointsThatFloatCannotHold) {
  const Samples<TypeParam> points = flat_points<TypeParam>(300, 25);
  const BruteNeighbors<TypeParam> search(points, {}), by_shadows = search_by_shadows(points);
  std::vector<double> factors{1e3, 1e16, 1e17, 3e17,
                              1e18};  // half the square of 24 times that is beyond float
  if (std::is_same_v<TypeParam, double>) factors.insert(factors.end(), {1e19, 1e20, 1e40});
  for (const double factor : factors) {
    const Samples<TypeParam> far(Matrix<TypeParam>(points.to_dense().topRows(9) * TypeParam(factor)));
    const auto truth = naive_lists(far, points, 9, anywhere, false);
    for (const auto* s : {&search, &by_shadows}) {
      const NeighborLists lists = s->nearest(far, 9, {}, {});
      for (std::size_t p = 0; p < truth.distance.size(); ++p)
        ASSERT_NEAR(lists.distance[p], truth.distance[p], 1e-12 * truth.distance[p]) << factor;
    }
  }
  const Samples<double> line(Matrix<double>(1e17 * Vector<double>::LinSpaced(10, 0, 9)));
  const NeighborLists lists = BruteNeighbors<double>(line, {}).nearest(
      Samples<double>(Matrix<double>::Constant(1, 1, 1e20)), 3, {}, {});
  EXPECT_EQ(lists.index, (std::vector<std::int32_t>{9, 8, 7}));
}

TEST(BruteForce, CanBeStopped) {
  std::stop_source stop;
  stop.request_stop();
  const BruteNeighbors<double> search(test::random_matrix<double>(100, 3, 20), {});
  EXPECT_THROW((void)search.nearest(5, mercer::Run{.stop = stop.get_token()}), Error);
}

}  // namespace
}  // namespace mercer
