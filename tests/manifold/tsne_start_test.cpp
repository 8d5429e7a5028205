// Starts of t-SNE: their size, the Laplacian's against LAPACK's, graphs in pieces.
#include "manifold/tsne_start.hpp"
#include "decompositions.hpp"

#include "manifold/tsne_maps.hpp"

namespace mercer {
namespace {

SparseAffinities<float> affinities_of(const Matrix<double>& rows, Index neighbors, double perplexity) {
  const NeighborIndex<double> index(rows, NeighborSearch::brute);
  return sparse_affinities<float>(index.nearest(neighbors), perplexity, {});
}

double deviation(const Vector<double>& x) { return std::sqrt((x.array() - x.mean()).square().mean()); }

TEST(TsneStart, HasOneSizeWhateverItIs) {
  const Matrix<double> rows = 100 * test::random_matrix<double>(200, 5, 1);
  const auto p = affinities_of(rows, 30, 10);
  for (const auto start : {TsneStart::pca, TsneStart::laplacian, TsneStart::random})
    for (const Index components : {1, 2, 3}) {
      const Matrix<double> map =
          tsne_start<double>(rows, {.components = components, .start = start}, p, {.seed = 3});
      ASSERT_EQ(map.rows(), 200);
      ASSERT_EQ(map.cols(), components);
      EXPECT_NEAR(deviation(map.col(0)), tsne_start_size, 0.2 * tsne_start_size) << name_of(start);
    }
}

TEST(TsneStart, MayBeAMapThatIsThere) {
  const Matrix<double> rows = test::random_matrix<double>(60, 4, 5),
                       given = 30 * test::random_matrix<double>(60, 2, 6);
  const Matrix<double> map = tsne_start<double>(rows, {.initial = given}, {}, {});
  EXPECT_NEAR((map - (given.rowwise() - given.colwise().mean())).norm(), 0, 1e-12);
}

/// D^{−½}v of the bottom eigenvectors v of I − D^{−½}PD^{−½}, up to their signs and a little noise.
TEST(TsneStart, OfTheLaplacianIsItsBottomEigenvectors) {
  Matrix<double> rows = test::random_matrix<double>(150, 3, 2);
  rows.col(0) *= 6;  // one long axis, so that the first pair stands alone
  rows.col(1) *= 3;
  const auto sparse = affinities_of(rows, 30, 10);
  const Matrix<double> p = test::all_pairs(sparse).leftCols(150).cast<double>();
  const Vector<double> root = p.rowwise().sum().cwiseSqrt();
  const Matrix<double> scaled = root.cwiseInverse().asDiagonal() * p * root.cwiseInverse().asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> solver(Matrix<double>::Identity(150, 150) - scaled);
  const Matrix<double> map =
      tsne_start<double>(rows, {.components = 2, .start = TsneStart::laplacian}, sparse, {});
  for (Index c = 0; c < 2; ++c) {
    const Vector<double> expected = solver.eigenvectors().col(c + 1).cwiseQuotient(root), found = map.col(c);
    EXPECT_GT(std::abs(expected.normalized().dot(found.normalized())), 0.999) << c;
  }
}

TEST(TsneStart, OfAGraphInPiecesHasNoTwoPointsInOnePlace) {
  Matrix<double> rows = test::random_matrix<double>(90, 4, 4);
  for (Index i = 0; i < 90; ++i) rows(i, 0) += 1000.0 * double(i % 3);
  const auto p = affinities_of(rows, 15, 5);
  ASSERT_EQ(p.pieces(), 3);
  const Matrix<double> map = tsne_start<double>(rows, {.start = TsneStart::laplacian}, p, {});
  ASSERT_TRUE(map.allFinite());
  for (Index i = 0; i < 90; ++i)
    for (Index j = 0; j < i; ++j) EXPECT_GT((map.row(i) - map.row(j)).norm(), 0);
}

}  // namespace
}  // namespace mercer
