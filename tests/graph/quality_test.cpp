// How faithful a map is: against the definitions written out, scikit-learn, and the two limits.
#include <mercer/embedding.hpp>
#include <mercer/error.hpp>

#include "support.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace mercer {
namespace {

template <class T>
class Quality : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Quality, Types);

/// ranks(i, j): the place of j, from 1, among all others by distance from i.
template <class T>
Matrix<double> ranks_of(const Matrix<T>& x, Matrix<double>& distances) {
  const Index n = x.rows();
  const Matrix<double> a = x.template cast<double>();
  Matrix<double> ranks = Matrix<double>::Zero(n, n);
  distances.resize(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) distances(i, j) = (a.row(i) - a.row(j)).norm();
    std::vector<Index> order;
    for (Index j = 0; j < n; ++j)
      if (j != i) order.push_back(j);
    std::stable_sort(order.begin(), order.end(),
                     [&](Index p, Index q) { return distances(i, p) < distances(i, q); });
    for (std::size_t r = 0; r < order.size(); ++r) ranks(i, order[r]) = double(r + 1);
  }
  return ranks;
}

template <class T>
EmbeddingQuality by_definition(const Matrix<T>& x, const Matrix<T>& y, Index k) {
  const Index n = x.rows();
  Matrix<double> delta, d;
  const Matrix<double> in_data = ranks_of(x, delta), in_map = ranks_of(y, d);
  double intruders = 0, missing = 0, kept = 0;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      if (i == j) continue;
      const bool near_data = in_data(i, j) <= double(k), near_map = in_map(i, j) <= double(k);
      if (near_map && !near_data) intruders += in_data(i, j) - double(k);
      if (near_data && !near_map) missing += in_map(i, j) - double(k);
      kept += near_data && near_map;
    }
  const double scale = d.cwiseProduct(delta).sum() / delta.squaredNorm();
  const double factor = 2.0 / (double(n * k) * double(2 * n - 3 * k - 1));
  return {.neighbors = k,
          .trustworthiness = 1 - factor * intruders,
          .continuity = 1 - factor * missing,
          .preservation = kept / double(n * k),
          .stress = (d - scale * delta).norm() / d.norm(),
          .measured = n};
}

void expect_equal(const EmbeddingQuality& a, const EmbeddingQuality& b) {
  EXPECT_EQ(a.neighbors, b.neighbors);
  EXPECT_EQ(a.measured, b.measured);
  EXPECT_NEAR(a.trustworthiness, b.trustworthiness, 1e-12);
  EXPECT_NEAR(a.continuity, b.continuity, 1e-12);
  EXPECT_NEAR(a.preservation, b.preservation, 1e-12);
  EXPECT_NEAR(a.stress, b.stress, 1e-9);
}

TYPED_TEST(Quality, IsAsDefined) {
  const Matrix<TypeParam> x = test::random_matrix<TypeParam>(90, 5, 1);
  for (const Index k : {1, 5, 12, 44})
    for (const Index kept : {1, 2, 4}) {
      const Matrix<TypeParam> map = x.leftCols(kept);
      expect_equal(embedding_quality<TypeParam>(x, map, {.neighbors = k}),
                   by_definition<TypeParam>(x, map, k));
    }
}

TYPED_TEST(Quality, OrdersDuplicatesByNumber) {
  Matrix<TypeParam> x = test::random_matrix<TypeParam>(60, 3, 2);
  x.bottomRows(30) = x.topRows(30);
  const Matrix<TypeParam> map = test::random_matrix<TypeParam>(60, 2, 3);
  expect_equal(embedding_quality<TypeParam>(x, map, {.neighbors = 6}), by_definition<TypeParam>(x, map, 6));
}

TYPED_TEST(Quality, OfTheDataItselfIsPerfect) {
  const Matrix<TypeParam> x = test::random_matrix<TypeParam>(150, 4, 4);
  const EmbeddingQuality same = embedding_quality<TypeParam>(x, x, {.neighbors = 10});
  EXPECT_EQ(same.trustworthiness, 1);
  EXPECT_EQ(same.continuity, 1);
  EXPECT_EQ(same.preservation, 1);
  EXPECT_LT(same.stress, 1e-12);
  const EmbeddingQuality larger = embedding_quality<TypeParam>(x, Matrix<TypeParam>(TypeParam(8) * x), {});
  EXPECT_EQ(larger.trustworthiness, 1);
  EXPECT_LT(larger.stress, 1e-12) << "the scale of a map does not matter";
}

TYPED_TEST(Quality, OfAMapOfChanceIsHalf) {
  const Matrix<TypeParam> x = test::random_matrix<TypeParam>(500, 4, 5),
                          map = test::random_matrix<TypeParam>(500, 2, 6);
  const EmbeddingQuality q = embedding_quality<TypeParam>(x, map, {.neighbors = 10});
  EXPECT_NEAR(q.trustworthiness, 0.5, 0.03);
  EXPECT_NEAR(q.continuity, 0.5, 0.03);
  EXPECT_NEAR(q.preservation, 10.0 / 499, 0.01);
  EXPECT_GT(q.stress, 0.3);
}

TYPED_TEST(Quality, OfACollapsedMapIsLow) {
  const Matrix<TypeParam> x = test::random_matrix<TypeParam>(80, 3, 7),
                          point = Matrix<TypeParam>::Ones(80, 2);
  EXPECT_EQ(embedding_quality<TypeParam>(x, point, {.neighbors = 5}).stress, 1);
  EXPECT_EQ(embedding_quality<TypeParam>(point, point, {.neighbors = 5}).stress, 0);
  EXPECT_EQ(embedding_quality<TypeParam>(point, point, {.neighbors = 5}).trustworthiness, 1);
}

TYPED_TEST(Quality, OfSparseDataIsThatOfDense) {
  const SparseMatrix<TypeParam> x = test::random_sparse<TypeParam>(70, 6, 8);
  const Matrix<TypeParam> dense = x, map = dense.leftCols(3);
  expect_equal(embedding_quality<TypeParam>(x, map, {.neighbors = 5}),
               embedding_quality<TypeParam>(dense, map, {.neighbors = 5}));
}

TYPED_TEST(Quality, OfSomePointsIsNearThatOfAll) {
  const Matrix<TypeParam> x = test::random_matrix<TypeParam>(1200, 4, 9), map = x.leftCols(2);
  const EmbeddingQuality all = embedding_quality<TypeParam>(x, map, {.neighbors = 10});
  const EmbeddingQuality some = embedding_quality<TypeParam>(x, map, {.neighbors = 10, .most_points = 300});
  EXPECT_EQ(all.measured, 1200);
  EXPECT_EQ(some.measured, 300);
  EXPECT_NEAR(some.trustworthiness, all.trustworthiness, 0.02);
  EXPECT_NEAR(some.stress, all.stress, 0.02);
  const EmbeddingQuality other =
      embedding_quality<TypeParam>(x, map, {.neighbors = 10, .most_points = 300}, {.seed = 5});
  EXPECT_NE(some.stress, other.stress) << "drawn by the seed";
}

TYPED_TEST(Quality, IsTheSameForAnyThreads) {
  const Matrix<TypeParam> x = test::random_matrix<TypeParam>(300, 20, 10), map = x.leftCols(2);
  const EmbeddingQuality one = embedding_quality<TypeParam>(x, map, {}, {.threads = 1});
  const EmbeddingQuality two = embedding_quality<TypeParam>(x, map, {}, {.threads = 2});
  EXPECT_EQ(one.trustworthiness, two.trustworthiness);
  EXPECT_EQ(one.stress, two.stress);
}

/// sin i, cos(1.7i + 0.3), sin(0.37i + 1), cos 2.9i, i/50 for i < 200.
Matrix<double> waves() {
  Matrix<double> x(200, 5);
  for (Index i = 0; i < 200; ++i)
    x.row(i) << std::sin(double(i)), std::cos(1.7 * double(i) + 0.3), std::sin(0.37 * double(i) + 1),
        std::cos(2.9 * double(i)), double(i) / 50;
  return x;
}

// trustworthiness(X, Y, n_neighbors=k) and trustworthiness(Y, X, ...) of scikit-learn 1.2.1, Y being two of
// the columns. (Continuity is trustworthiness with the two exchanged.)
TEST(Quality, IsThatOfScikitLearn) {
  struct Case {
    std::array<Index, 2> columns;
    Index k;
    double trustworthiness, continuity;
  };
  const Matrix<double> x = waves();
  for (const Case& c : {Case{{0, 1}, 1, 0.6813888888888888, 0.9233080808080808},
                        Case{{0, 1}, 5, 0.6840781250000001, 0.8891249999999999},
                        Case{{0, 1}, 12, 0.688679981634527, 0.8676354453627181},
                        Case{{0, 1}, 50, 0.7307453815261045, 0.8097863453815262},
                        Case{{0, 4}, 1, 0.7872979797979798, 0.9402020202020203},
                        Case{{0, 4}, 5, 0.7736302083333333, 0.9188541666666666},
                        Case{{0, 4}, 12, 0.8413200183654729, 0.9030165289256198},
                        Case{{0, 4}, 50, 0.885352610441767, 0.9050963855421686}}) {
    Matrix<double> map(200, 2);
    map << x.col(c.columns[0]), x.col(c.columns[1]);
    const EmbeddingQuality q = embedding_quality<double>(x, map, {.neighbors = c.k});
    EXPECT_NEAR(q.trustworthiness, c.trustworthiness, 1e-12) << c.k;
    EXPECT_NEAR(q.continuity, c.continuity, 1e-12) << c.k;
  }
}

TEST(Quality, RefusesWhatCannotBeCompared) {
  const Matrix<double> x = test::random_matrix<double>(20, 3, 11);
  const auto code = [&](const Matrix<double>& data, const Matrix<double>& map, QualityOptions options) {
    try {
      (void)embedding_quality<double>(data, map, options);
    } catch (const Error& e) {
      return e.code();
    }
    return ErrorCode::internal;
  };
  EXPECT_EQ(code(x, x.topRows(19), {.neighbors = 3}), ErrorCode::usage);
  EXPECT_EQ(code(x, x, {.neighbors = 10}), ErrorCode::usage);
  EXPECT_EQ(code(x, x, {.neighbors = 0}), ErrorCode::usage);
  EXPECT_EQ(code(x, x, {.neighbors = 3, .most_points = 0}), ErrorCode::usage);
  EXPECT_EQ(code(Matrix<double>(0, 3), Matrix<double>(0, 3), {}), ErrorCode::usage);
  Matrix<double> hole = x;
  hole(4, 1) = std::nan("");
  EXPECT_EQ(code(hole, x, {.neighbors = 3}), ErrorCode::bad_data);
  EXPECT_EQ(code(x, hole, {.neighbors = 3}), ErrorCode::bad_data);
}

}  // namespace
}  // namespace mercer
