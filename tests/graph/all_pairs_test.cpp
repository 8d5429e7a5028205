// Tiles of a triangle: each once, in the order that is promised. And when a search by shadows is given up.
#include "graph/all_pairs.hpp"

#include "graph/tile_judge.hpp"
#include "support.hpp"

#include <set>
#include <utility>

namespace mercer {
namespace {

TEST(AllPairs, MeetsEveryTileOnce) {
  for (const Index blocks : {1, 2, 3, 10, 57})
    for (const auto& position : {by_rows, by_bands}) {
      std::set<std::pair<Index, Index>> seen;
      const Index total = blocks * (blocks + 1) / 2;
      for (Index t = 0; t < total; ++t) {
        const Position at = position(t, blocks);
        ASSERT_LE(0, at.col);
        ASSERT_LE(at.col, at.row);
        ASSERT_LT(at.row, blocks);
        ASSERT_EQ(t < blocks, at.row == at.col) << "the diagonal first";
        seen.emplace(at.row, at.col);
      }
      EXPECT_EQ(static_cast<Index>(seen.size()), total);
    }
}

TEST(AllPairs, MovesAwayFromTheDiagonalBandByBand) {
  constexpr Index blocks = 2'000'003;  // a thousand million points
  Index before = 0;
  for (const Index t :
       {Index(0), blocks - 1, blocks, 2 * blocks - 2, 2 * blocks - 1, blocks * (blocks + 1) / 2 - 1}) {
    const Position at = by_bands(t, blocks);
    EXPECT_GE(at.row - at.col, before);
    before = at.row - at.col;
  }
  EXPECT_EQ(by_bands(blocks, blocks).row, 1);
  EXPECT_EQ(before, blocks - 1) << "the corner last";
}

TEST(Effort, IsNotMoreThanItMayBe) {
  Effort effort(1.0, 2);
  effort.add(0.7);
  EXPECT_NO_THROW(effort.check());
  effort.add(0.7);
  EXPECT_THROW(effort.check(), ShadowsTellNothing);
}

}  // namespace
}  // namespace mercer
