// Approximate neighbours: what is said of the recall is true, and threads do not matter.
#include "graph/naive.hpp"

#include <set>

namespace mercer {
namespace {

template <class T>
class Hnsw : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Hnsw, Types);

/// Share of the true neighbours that were found.
double share_found(const NeighborLists& found, const NeighborLists& truth) {
  Index right = 0;
  for (Index i = 0; i < truth.size(); ++i) {
    const std::set<std::int32_t> near(truth.neighbors(i).begin(), truth.neighbors(i).end());
    for (const std::int32_t j : found.neighbors(i)) right += near.count(j) > 0;
  }
  return double(right) / double(truth.index.size());
}

TYPED_TEST(Hnsw, FindsMostAndSaysHowMany) {
  const Samples<TypeParam> x = test::random_matrix<TypeParam>(1500, 12, 1);
  const NeighborIndex<TypeParam> index(x, NeighborSearch::hnsw);
  EXPECT_EQ(index.search(), NeighborSearch::hnsw);
  const NeighborLists found = index.nearest(10);
  const NeighborLists truth = test::naive_lists(x, x, 10, test::anywhere, true);
  const double share = share_found(found, truth);
  EXPECT_GT(share, 0.95);
  EXPECT_NEAR(found.recall, share, 0.03) << "measured on 256 of the points";
  for (Index i = 0; i < 1500; ++i) {
    const auto near = found.neighbors(i);
    EXPECT_EQ(std::set<std::int32_t>(near.begin(), near.end()).size(), 10U);
    EXPECT_EQ(std::count(near.begin(), near.end(), i), 0) << "itself";
    EXPECT_TRUE(std::is_sorted(found.distances(i).begin(), found.distances(i).end()));
    for (std::size_t p = 0; p < 10; ++p) {
      if (near[p] != truth.neighbors(i)[0]) continue;
      EXPECT_NEAR(found.distances(i)[p], truth.distances(i)[0], 1e-12) << "distances are exact";
    }
  }
}

TEST(Hnsw, NeitherAnOffsetNorAScaleCostsNeighbours) {
  const Matrix<double> x = test::random_matrix<double>(1500, 3, 9);
  const NeighborLists truth =
      test::naive_lists(Samples<double>(x), Samples<double>(x), 8, test::anywhere, true);
  for (const double scale : {1e-25, 1.0, 1e25})
    for (const double offset : {0.0, 1e8}) {
      const Samples<double> moved = Matrix<double>((x.array() + offset) * scale);
      const NeighborLists found = NeighborIndex<double>(moved, NeighborSearch::hnsw).nearest(8);
      EXPECT_GT(share_found(found, truth), 0.95) << scale << ", " << offset;
    }
}

TYPED_TEST(Hnsw, IsTheSameForAnyThreads) {
  const Samples<TypeParam> x = test::random_matrix<TypeParam>(800, 8, 2);
  const auto lists = [&](int threads) {
    const mercer::Run run{.threads = threads};
    return NeighborIndex<TypeParam>(x, NeighborSearch::hnsw, run).nearest(8, run);
  };
  const NeighborLists one = lists(1), two = lists(2), three = lists(3);
  EXPECT_EQ(one.index, two.index);
  EXPECT_EQ(one.index, three.index);
  EXPECT_EQ(one.recall, two.recall);
}

TYPED_TEST(Hnsw, FindsNeighboursOfNewPoints) {
  const Samples<TypeParam> x = test::random_matrix<TypeParam>(900, 6, 3);
  const Samples<TypeParam> rows = test::random_matrix<TypeParam>(400, 6, 4);
  const NeighborIndex<TypeParam> index(x, NeighborSearch::hnsw);
  const NeighborLists many = index.nearest(rows, 5);
  EXPECT_GT(share_found(many, test::naive_lists(rows, x, 5, test::anywhere, false)), 0.95);
  const Samples<TypeParam> few = rows.middle_rows(0, 20);
  const NeighborLists exact = index.nearest(few, 5);
  EXPECT_EQ(exact.recall, 1);
  test::expect_same_lists(exact, test::naive_lists(few, x, 5, test::anywhere, false));
}

TYPED_TEST(Hnsw, SearchesARadiusExactly) {
  const Samples<TypeParam> x = test::random_matrix<TypeParam>(300, 3, 5);
  const NeighborIndex<TypeParam> index(x, NeighborSearch::hnsw);
  test::expect_same_lists(index.within(0.6), test::naive_lists(x, x, 0, 0.6, true));
}

TYPED_TEST(Hnsw, WorksWithDuplicatesAndFewPoints) {
  const Matrix<TypeParam> same = Matrix<TypeParam>::Ones(200, 3);
  const NeighborLists lists = NeighborIndex<TypeParam>(same, NeighborSearch::hnsw).nearest(20);
  EXPECT_EQ(*std::max_element(lists.distance.begin(), lists.distance.end()), 0);
  EXPECT_EQ(lists.recall, 1) << "any of them is as near";
  for (const Index n : {2, 3, 20}) {
    const Samples<TypeParam> x = test::random_matrix<TypeParam>(n, 4, 6);
    test::expect_same_lists(NeighborIndex<TypeParam>(x, NeighborSearch::hnsw).nearest(n - 1),
                            test::naive_lists(x, x, n - 1, test::anywhere, true));
  }
}

TYPED_TEST(Hnsw, TakesSparseRows) {
  const Samples<TypeParam> x = test::random_sparse<TypeParam>(500, 15, 7);
  const NeighborLists found = NeighborIndex<TypeParam>(x, NeighborSearch::hnsw).nearest(6);
  EXPECT_GT(share_found(found, test::naive_lists(x, x, 6, test::anywhere, true)), 0.95);
}

TEST(Hnsw, RefusesToExceedTheMemory) {
  try {
    const NeighborIndex<double> index(test::random_matrix<double>(1000, 50, 8), NeighborSearch::hnsw,
                                      mercer::Run{.memory = 100000});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::no_memory);
  }
}

TEST(Hnsw, RecallIsInTheReportOfAGraph) {
  const auto graph = NeighborGraph::build<double>(Samples<double>(test::random_matrix<double>(600, 10, 9)),
                                                  {.count = 8, .search = NeighborSearch::hnsw});
  EXPECT_EQ(graph.report().search, NeighborSearch::hnsw);
  EXPECT_EQ(graph.report().recall, graph.lists().recall);
  EXPECT_GT(graph.report().recall, 0.9);
  EXPECT_LE(graph.report().recall, 1);
}

}  // namespace
}  // namespace mercer
