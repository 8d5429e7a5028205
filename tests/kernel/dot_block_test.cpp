// Inner products by blocks, beside sums in long double.
#include "kernel/dot_block.hpp"

#include "base/random.hpp"
#include "support.hpp"

namespace mercer {
namespace {

template <class T>
class DotBlock : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(DotBlock, Precisions);

TYPED_TEST(DotBlock, IsTheInnerProductOfEachPairOfRows) {
  using T = TypeParam;
  Random random(7, 1);
  const auto filled = [&](Index size) {
    std::vector<T> out(static_cast<std::size_t>(size));
    for (T& value : out) value = T(random.normal());
    return out;
  };
  for (const Index rows : {1, 6, 64, 71, 256})
    for (const Index cols : {1, 8, 33, 64, 250})
      for (const Index length : {1, 2, 20, 127, 128}) {
        const Index stride_a = length + 3, stride_b = length + 1;
        const std::vector<T> a = filled(rows * stride_a), b = filled(cols * stride_b);
        std::vector<T> out(static_cast<std::size_t>(rows * cols + 1), T(-7));
        dot_block(a.data(), stride_a, rows, b.data(), stride_b, cols, length, out.data());
        for (Index i = 0; i < rows; ++i)
          for (Index j = 0; j < cols; ++j) {
            long double sum = 0, size = 0;
            for (Index k = 0; k < length; ++k) {
              const long double product =
                  static_cast<long double>(a[static_cast<std::size_t>(i * stride_a + k)]) *
                  static_cast<long double>(b[static_cast<std::size_t>(j * stride_b + k)]);
              sum += product;
              size += std::abs(product);
            }
            ASSERT_NEAR(double(out[static_cast<std::size_t>(i * cols + j)]), double(sum),
                        double(length) * double(std::numeric_limits<T>::epsilon()) * double(size))
                << rows << "x" << cols << ", " << length << " long, at " << i << ", " << j;
          }
        EXPECT_EQ(out.back(), T(-7));  // nothing beyond the end was touched
      }
}

TEST(DotBlocks, AreForTilesOfPointsWithFewFeatures) {
  EXPECT_TRUE(suits_dot_block(256, 256, 20));
  EXPECT_FALSE(suits_dot_block(256, 256, 784));
  EXPECT_FALSE(suits_dot_block(8, 256, 20));
}

}  // namespace
}  // namespace mercer
