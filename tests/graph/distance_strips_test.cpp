// Strips of distances: those of the rows summed directly, whatever the data and its form.
#include "graph/distance_strips.hpp"

#include "graph/naive.hpp"

namespace mercer {
namespace {

template <class T>
class Strips : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Strips, Types);

template <class T>
void expect_direct(const Samples<T>& points, double relative) {
  const DistanceStrips<T> strips(points, {});
  const RowDistance<T> distance(points, points);
  const Index n = points.rows();
  const std::vector<Index> of = {0, 3, 4, n - 1};
  std::vector<double> found(of.size() * static_cast<std::size_t>(n));
  strips.evaluate(of, found.data());
  for (std::size_t r = 0; r < of.size(); ++r)
    for (Index j = 0; j < n; ++j) {
      const double truth = distance(of[r], j);
      ASSERT_NEAR(found[r * static_cast<std::size_t>(n) + static_cast<std::size_t>(j)], truth,
                  relative * truth)
          << of[r] << ", " << j;
    }
}

TYPED_TEST(Strips, AreThoseOfTheRowsSummedDirectly) {
  for (const Index d : {1, 3, 15, 16, 70}) {
    Matrix<TypeParam> x = test::random_matrix<TypeParam>(700, d, static_cast<std::uint64_t>(d));
    x.middleRows(300, 200) = x.topRows(200);  // duplicates are at distance 0
    expect_direct<TypeParam>(x, 1e-9);
  }
}

TYPED_TEST(Strips, KeepTheirDigitsFarFromTheOrigin) {
  Matrix<TypeParam> x = test::random_matrix<TypeParam>(300, 40, 1);
  x.array() += TypeParam(1e4);
  expect_direct<TypeParam>(x, 1e-9);
}

TYPED_TEST(Strips, TakeSparseRows) {
  expect_direct<TypeParam>(test::random_sparse<TypeParam>(200, 30, 2), 1e-9);  // a third: written out
  Matrix<TypeParam> thin = Matrix<TypeParam>::Zero(400, 300);
  Random random(3);
  for (Index i = 0; i < thin.rows(); ++i)
    for (int e = 0; e < 6; ++e) thin(i, static_cast<Index>(random.below(300))) = TypeParam(random.normal());
  thin.row(7) = thin.row(3);
  expect_direct<TypeParam>(SparseMatrix<TypeParam>(thin.sparseView()), 1e-9);
}

}  // namespace
}  // namespace mercer
