// Landmarks chosen in input space.
#include "kernel/landmarks.hpp"

#include "support.hpp"

#include <algorithm>
#include <set>

namespace mercer {
namespace {

TEST(UniformRows, AreDistinctAscendingAndEquallyLikely) {
  Vector<double> hits = Vector<double>::Zero(20);
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const auto rows = uniform_rows(20, 5, seed);
    ASSERT_EQ(rows.size(), 5U);
    ASSERT_TRUE(std::is_sorted(rows.begin(), rows.end()));
    ASSERT_EQ(std::set<Index>(rows.begin(), rows.end()).size(), 5U);
    for (const Index row : rows) hits[row] += 1;
  }
  EXPECT_LT((hits.array() - 1000).abs().maxCoeff(), 5 * std::sqrt(4000 * 0.25 * 0.75));
  EXPECT_EQ(uniform_rows(4, 9, 1), (std::vector<Index>{0, 1, 2, 3}));
}

TEST(KmeansRows, FindOneRowInEachOfWellSeparatedClusters) {
  Matrix<double> x = test::random_matrix<double>(300, 2, 1);
  for (Index i = 0; i < 300; ++i) x(i, 0) += 1000.0 * double(i % 6);
  const auto rows = kmeans_rows<double>(x, 6, {});
  ASSERT_EQ(rows.size(), 6U);
  std::set<Index> clusters;
  for (const Index row : rows) clusters.insert(row % 6);
  EXPECT_EQ(clusters.size(), 6U);
  EXPECT_EQ(rows, kmeans_rows<double>(x, 6, {.threads = 3}));
}

TEST(KmeansRows, AreFewerWhenThereAreFewerPointsAndRefuseSparseData) {
  Matrix<double> x(50, 1);
  for (Index i = 0; i < 50; ++i) x(i, 0) = double(i % 3);
  EXPECT_EQ(kmeans_rows<double>(x, 10, {}).size(), 3U);
  EXPECT_THROW((void)kmeans_rows<double>(test::random_sparse<double>(20, 4, 1), 3, {}), Error);
}

}  // namespace
}  // namespace mercer
