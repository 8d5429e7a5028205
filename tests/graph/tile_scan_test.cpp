// Looking through a tile: what is not above the limit is found, each once, and what is no number too.
#include "graph/tile_scan.hpp"

#include "support.hpp"

#include <limits>

namespace mercer {
namespace {

template <class S>
class TileScan : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(TileScan, Types);

TYPED_TEST(TileScan, FindsWhatAPlainLoopFinds) {
  using S = TypeParam;
  for (const Index n : {1, 15, 64, 131, 500}) {
    const Matrix<S> dot = test::random_matrix<S>(1, n, 1), half = test::random_matrix<S>(1, n, 2),
                    limits = test::random_matrix<S>(1, n, 3);
    std::vector<Found<S>> found(static_cast<std::size_t>(n));
    for (const S limit : {S(-5), S(-1), S(0.5), std::numeric_limits<S>::infinity()}) {
      std::vector<std::int32_t> row, either;
      for (Index j = 0; j < n; ++j) {
        const S v = S(0.25) + (half(0, j) - dot(0, j));
        if (v <= limit) row.push_back(static_cast<std::int32_t>(j));
        if (v <= std::max(limit, limits(0, j))) either.push_back(static_cast<std::int32_t>(j));
      }
      const auto indices = [&](Index count) {
        std::vector<std::int32_t> out;
        for (Index p = 0; p < count; ++p) {
          const Found<S> f = found[static_cast<std::size_t>(p)];
          EXPECT_EQ(f.lower, S(0.25) + (half(0, f.index) - dot(0, f.index)));
          out.push_back(f.index);
        }
        return out;
      };
      EXPECT_EQ(indices(tile_scan::near_row(dot.data(), n, S(0.25), half.data(), limit, found.data())), row);
      EXPECT_EQ(indices(tile_scan::near_either(dot.data(), n, S(0.25), half.data(), limit, limits.data(),
                                               found.data())),
                either);
    }
  }
}

TYPED_TEST(TileScan, KeepsWhatIsNoNumber) {
  using S = TypeParam;
  std::vector<S> dot(100, S(-10)), half(100, S(0));
  dot[37] = std::numeric_limits<S>::quiet_NaN();
  dot[98] = std::numeric_limits<S>::quiet_NaN();
  std::vector<Found<S>> found(100);
  ASSERT_EQ(tile_scan::near_row(dot.data(), 100, S(0), half.data(), S(1), found.data()), 2);
  EXPECT_EQ(found[0].index, 37);
  EXPECT_EQ(found[1].index, 98);
}

}  // namespace
}  // namespace mercer
