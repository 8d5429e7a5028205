// Pieces of a graph: how many, which is the largest, and the shortest links between them.
#include "graph/components.hpp"

#include "graph/naive.hpp"

namespace mercer {
namespace {

/// Lists that name these pairs, one way.
NeighborLists lists_with(Index n, const std::vector<std::pair<Index, Index>>& pairs) {
  std::vector<std::vector<Neighbor>> rows(static_cast<std::size_t>(n));
  for (const auto& [i, j] : pairs)
    rows[static_cast<std::size_t>(i)].push_back({1, static_cast<std::int32_t>(j)});
  return join(std::move(rows));
}

TEST(UnionFind, TellsWhetherTwoWereOneAlready) {
  UnionFind sets(5);
  EXPECT_TRUE(sets.join(4, 2));
  EXPECT_TRUE(sets.join(2, 3));
  EXPECT_FALSE(sets.join(3, 4));
  EXPECT_EQ(sets.find(4), 2);
  EXPECT_NE(sets.find(0), sets.find(1));
}

TEST(Components, AreFoundAlongLinksOfEitherDirection) {
  const GraphPieces pieces = pieces_of(lists_with(7, {{5, 1}, {1, 3}, {0, 2}, {6, 2}}));
  EXPECT_EQ(pieces.of, (std::vector<Index>{0, 1, 0, 1, 2, 1, 0}));
  EXPECT_EQ(pieces.sizes, (std::vector<Index>{3, 3, 1}));
  EXPECT_EQ(pieces.largest(), 0) << "the first of two equals";
}

TEST(Components, OfNoPointsAreNone) { EXPECT_EQ(pieces_of(lists_with(0, {})).count(), 0); }

template <class T>
class Bridges : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Bridges, Types);

/// Kruskal's algorithm over all pairs of points, those of one piece joined before.
template <class T>
double spanning_length(const Matrix<T>& x, const GraphPieces& pieces, Index& links) {
  std::vector<std::tuple<double, Index, Index>> pairs;
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < i; ++j)
      pairs.emplace_back((x.row(i) - x.row(j)).template cast<double>().norm(), i, j);
  std::sort(pairs.begin(), pairs.end());
  UnionFind sets(pieces.count());
  double sum = 0;
  for (const auto& [distance, i, j] : pairs)
    if (sets.join(pieces.of[static_cast<std::size_t>(i)], pieces.of[static_cast<std::size_t>(j)]))
      sum += distance, ++links;
  return sum;
}

TYPED_TEST(Bridges, AreTheMinimumSpanningTreeOfThePieces) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    // Ties and duplicates in half of the cases.
    const Matrix<TypeParam> x = seed % 2 == 0 ? test::random_matrix<TypeParam>(90, 3, seed)
                                              : test::lattice<TypeParam>(90, 2, 12, seed);
    Random random(seed, 3);
    std::vector<std::pair<Index, Index>> pairs;
    for (int link = 0; link < 60; ++link)
      pairs.emplace_back(static_cast<Index>(random.below(90)), static_cast<Index>(random.below(90)));
    const GraphPieces pieces = pieces_of(lists_with(90, pairs));
    ASSERT_GT(pieces.count(), 10);
    const std::vector<Bridge> bridges = bridges_between<TypeParam>(x, pieces, {});
    Index links = 0;
    const double length = spanning_length(x, pieces, links);
    ASSERT_EQ(static_cast<Index>(bridges.size()), links);
    UnionFind sets(pieces.count());
    double sum = 0;
    for (const Bridge& b : bridges) {
      EXPECT_LT(b.a, b.b);
      EXPECT_NEAR(b.distance, (x.row(b.a) - x.row(b.b)).template cast<double>().norm(), 1e-6);
      EXPECT_TRUE(
          sets.join(pieces.of[static_cast<std::size_t>(b.a)], pieces.of[static_cast<std::size_t>(b.b)]));
      sum += b.distance;
    }
    EXPECT_NEAR(sum, length, 1e-5);
  }
}

TYPED_TEST(Bridges, JoinTwoCloudsByTheirNearestPoints) {
  const Matrix<TypeParam> x = test::two_clouds<TypeParam>(70, 50, 2, 20, 3);
  GraphPieces pieces;
  for (Index i = 0; i < 120; ++i) pieces.of.push_back(i < 70 ? 0 : 1);
  pieces.sizes = {70, 50};
  const std::vector<Bridge> bridges = bridges_between<TypeParam>(x, pieces, {});
  ASSERT_EQ(bridges.size(), 1U);
  double least = 1e9;
  for (Index i = 0; i < 70; ++i)
    for (Index j = 70; j < 120; ++j) least = std::min(least, double((x.row(i) - x.row(j)).norm()));
  EXPECT_NEAR(bridges[0].distance, least, 1e-5);
}

TEST(Bridges, GoIntoTheListsOfBothEndsInOrder) {
  NeighborLists lists = join({{{1, 1}, {9, 2}}, {{1, 0}}, {{9, 0}}, {}});
  lists.recall = 0.9;
  const NeighborLists out = with_bridges(lists, {{0, 3, 2.0}});
  EXPECT_EQ(out.begin, (std::vector<Index>{0, 3, 4, 5, 6}));
  EXPECT_EQ(out.index, (std::vector<std::int32_t>{1, 3, 2, 0, 0, 0}));
  EXPECT_EQ(out.distance, (std::vector<double>{1, 2, 3, 1, 3, 2}));
  EXPECT_EQ(out.recall, 0.9);
}

TEST(Restricted, ListsAreRenumbered) {
  const NeighborLists out = restricted(join({{}, {{4, 3}}, {}, {{4, 1}, {9, 4}}, {{9, 3}}}), {1, 3, 4});
  EXPECT_EQ(out.begin, (std::vector<Index>{0, 1, 3, 4}));
  EXPECT_EQ(out.index, (std::vector<std::int32_t>{1, 0, 2, 1}));
  EXPECT_EQ(out.distance, (std::vector<double>{2, 2, 3, 3}));
}

}  // namespace
}  // namespace mercer
