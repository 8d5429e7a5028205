// Affinities: the perplexity asked for is reached, P is symmetric and sums to one.
#include "manifold/tsne_affinities.hpp"

#include "manifold/tsne_map.hpp"
#include "support.hpp"

#include <numeric>

namespace mercer {
namespace {

double perplexity_of(const std::vector<double>& p) {
  double entropy = 0;
  for (const double value : p)
    if (value > 0) entropy -= value * std::log(value);
  return std::exp(entropy);
}

TEST(Calibration, ReachesThePerplexity) {
  for (const double scale : {1e-6, 1.0, 1e8})
    for (const double perplexity : {1.5, 5.0, 30.0, 60.0}) {
      Random random(7);
      std::vector<double> squared(180), p(180);
      for (double& d : squared) d = scale * random.uniform() * random.uniform();
      calibrate(squared, perplexity, p);
      EXPECT_NEAR(perplexity_of(p), perplexity, 1e-5) << "scale " << scale;
      EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1, 1e-12);
    }
}

TEST(Calibration, FindsTheWidthOfEquispacedDistances) {
  std::vector<double> squared(60), p(60);
  for (std::size_t j = 0; j < squared.size(); ++j) squared[j] = 1e4 + 3 * double(j);  // a common part cancels
  const double beta = calibrate(squared, 20, p);
  EXPECT_NEAR(perplexity_of(p), 20, 1e-5);
  for (std::size_t j = 1; j < p.size(); ++j) EXPECT_NEAR(p[j] / p[j - 1], std::exp(-3 * beta), 1e-9);
}

TEST(Calibration, PointsThatTieAsNearestShareAlike) {
  std::vector<double> squared(40, 0.0), p(40);
  for (std::size_t j = 12; j < squared.size(); ++j) squared[j] = 1;
  calibrate(squared, 5, p);  // twelve are at the same place: no width makes five of them
  for (std::size_t j = 0; j < p.size(); ++j) EXPECT_NEAR(p[j], j < 12 ? 1.0 / 12 : 0, 1e-6);
}

TEST(Calibration, PointsThatAllTieShareAlike) {
  const std::vector<double> squared(30, 4.0);
  std::vector<double> p(30);
  calibrate(squared, 5, p);
  for (const double value : p) EXPECT_NEAR(value, 1.0 / 30, 1e-12);
}

template <class T>
class Affinities : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Affinities, Types);

template <class T>
Matrix<double> written_out(const SparseAffinities<T>& p) {
  Matrix<double> out = Matrix<double>::Zero(p.points(), p.points());
  for (Index i = 0; i < p.points(); ++i)
    for (Index e = p.begin[std::size_t(i)]; e < p.begin[std::size_t(i) + 1]; ++e)
      out(i, p.index[std::size_t(e)]) += double(p.value[std::size_t(e)]);
  return out;
}

TYPED_TEST(Affinities, AreSymmetricAndSumToOne) {
  using T = TypeParam;
  const NeighborIndex<T> index(test::random_matrix<T>(120, 4, 1), NeighborSearch::brute);
  const auto p = sparse_affinities<T>(index.nearest(15), 5, {});
  const Matrix<double> full = written_out(p);
  EXPECT_EQ(full, Matrix<double>(full.transpose()));
  EXPECT_NEAR(full.sum(), 1, test::tolerance<T>(1e-12, 1e-5));
  EXPECT_EQ(full.diagonal().cwiseAbs().maxCoeff(), 0);
  EXPECT_EQ((full.array() > 0).count(), p.links);
  for (const Index begin : p.begin) EXPECT_EQ(begin % TsneMap<T>::vector, 0);
}

TYPED_TEST(Affinities, OverAllNeighboursAreThoseOfAllPairs) {
  using T = TypeParam;
  const Samples<T> points = test::random_matrix<T>(90, 3, 2);
  const Matrix<double> sparse =
      written_out(sparse_affinities<T>(NeighborIndex<T>(points, NeighborSearch::brute).nearest(89), 12, {}));
  const Matrix<T> dense = dense_affinities(points, 12, {});
  EXPECT_LT((sparse - dense.leftCols(90).template cast<double>()).norm() / sparse.norm(),
            test::tolerance<T>(1e-12, 1e-5));
  EXPECT_EQ(dense.rightCols(dense.cols() - 90).cwiseAbs().sum(), 0);
}

TYPED_TEST(Affinities, OfSparseRowsAreThoseOfDenseOnes) {
  using T = TypeParam;
  const SparseMatrix<T> rows = test::random_sparse<T>(70, 12, 3);
  const Matrix<T> a = dense_affinities(Samples<T>(rows), 10, {});
  const Matrix<T> b = dense_affinities(Samples<T>(Matrix<T>(rows)), 10, {});
  EXPECT_LT((a - b).norm() / b.norm(), test::tolerance<T>(1e-12, 1e-4));
}

TEST(Affinities, CountThePiecesOfTheGraph) {
  Matrix<double> rows = test::random_matrix<double>(60, 2, 4);
  rows.bottomRows(20).array() += 1000;
  const NeighborIndex<double> index(rows, NeighborSearch::brute);
  EXPECT_EQ(sparse_affinities<double>(index.nearest(15), 5, {}).pieces(), 2);
  EXPECT_EQ(sparse_affinities<double>(index.nearest(45), 15, {}).pieces(), 1);
}

TEST(Affinities, NegativeEntropyIsOfTheValuesAboveZero) {
  const std::vector<double> p = {0.5, 0, 0.25, 0.25};
  EXPECT_NEAR(negative_entropy(p.data(), 4, {}), -1.5 * std::log(2.0), 1e-15);
}

}  // namespace
}  // namespace mercer
