// The tree of a map: every point once, cells with their means, points that coincide.
#include "manifold/tsne_tree.hpp"

#include "manifold/tsne_barnes_hut.hpp"
#include "manifold/tsne_maps.hpp"

#include <algorithm>

namespace mercer {
namespace {

using Tree = TsneTree<double>;

/// Walks the cells and checks each against its points.
Index check_cell(const Tree& tree, std::size_t at, std::vector<Index>& seen) {
  const Tree::Cell& cell = tree.cells()[at];
  const Index components = tree.sorted().components();
  std::vector<Index> mine;
  for (Index i = cell.first; i < cell.last; ++i) mine.push_back(i);
  for (std::size_t child = at + 1; cell.last == 0 && child < std::size_t(cell.skip);
       child = std::size_t(tree.cells()[child].skip)) {
    std::vector<Index> below;
    check_cell(tree, child, below);
    mine.insert(mine.end(), below.begin(), below.end());
  }
  EXPECT_EQ(double(mine.size()), cell.count);
  double side = 0;
  for (Index c = 0; c < components; ++c) {
    double sum = 0, low = 1e300, high = -1e300;
    for (const Index i : mine) {
      const double y = tree.sorted().axis(c)[i];
      sum += y;
      low = std::min(low, y);
      high = std::max(high, y);
    }
    EXPECT_NEAR(cell.center[c], sum / double(mine.size()), 1e-10);
    side = std::max(side, high - low);
  }
  EXPECT_NEAR(cell.width2, side * side, 1e-10);
  seen.insert(seen.end(), mine.begin(), mine.end());
  return Index(mine.size());
}

TEST(TsneTree, HoldsEveryPointOnceInCellsWithTheirMeans) {
  for (const Index components : {1, 2, 3}) {
    const auto map = test::clustered_map<double>(700, components, 30, 1);
    Tree tree(700, components);
    tree.build(map, {});
    std::vector<Index> seen;
    EXPECT_EQ(check_cell(tree, 0, seen), 700);
    std::sort(seen.begin(), seen.end());
    for (Index i = 0; i < 700; ++i) EXPECT_EQ(seen[std::size_t(i)], i);
    std::vector<std::int32_t> order = tree.order();
    for (Index c = 0; c < components; ++c)
      for (Index i = 0; i < 700; ++i) EXPECT_EQ(tree.sorted().axis(c)[i], map.axis(c)[order[std::size_t(i)]]);
    std::sort(order.begin(), order.end());
    for (Index i = 0; i < 700; ++i) EXPECT_EQ(order[std::size_t(i)], i);
  }
}

TEST(TsneTree, KeepsFewPointsInALeaf) {
  Tree tree(500, 2);
  tree.build(test::clustered_map<double>(500, 2, 30, 2), {});
  for (const auto& cell : tree.cells()) EXPECT_LE(cell.last - cell.first, Tree::leaf);
}

TEST(TsneTree, PutsPointsThatCoincideIntoOneLeaf) {
  TsneMap<double> map(200, 2);
  for (Index i = 100; i < 200; ++i) map.axis(0)[i] = 1;  // two places, a hundred points each
  Tree tree(200, 2);
  tree.build(map, {});
  EXPECT_EQ(tree.cells().size(), 3U);
  TsneMap<double> force(200, 2);
  // Σ w = 200·(100·1 + 100·½), force on each: 100·(±1)/4.
  EXPECT_NEAR(barnes_hut(tree, 0, 200, 0.5, force), 200 * 150.0, 1e-9);
  EXPECT_NEAR(force.axis(0)[0], -25, 1e-12);
  EXPECT_NEAR(force.axis(0)[150], 25, 1e-12);
}

TEST(TsneTree, OfPointsThatAllCoincideIsOneCell) {
  Tree tree(50, 3);
  tree.build(TsneMap<double>(50, 3), {});
  EXPECT_EQ(tree.cells().size(), 1U);
}

TEST(TsneTree, IsUsedAgain) {
  Tree tree(300, 2), fresh(300, 2);
  const auto map = test::clustered_map<double>(300, 2, 10, 4);
  tree.build(test::clustered_map<double>(300, 2, 50, 3), {});
  tree.build(map, {});
  fresh.build(map, {});
  EXPECT_EQ(tree.order(), fresh.order());
  EXPECT_EQ(tree.cells().size(), fresh.cells().size());
}

}  // namespace
}  // namespace mercer
