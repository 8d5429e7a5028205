// X₍ₙ₎X₍ₙ₎ᵀ against the product written down.
#include <mercer/tensor_algebra.hpp>

#include "expect_error.hpp"
#include "random_tensor.hpp"

namespace mercer {
namespace {

using test::error_of;

template <class T>
Block<double> by_unfolding(const TensorView<T>& x, Index mode) {
  const Block<double> matrix = unfold(x, mode).template cast<double>();
  return matrix * matrix.transpose();
}

double relative(const Block<double>& a, const Block<double>& truth) {
  return (a - truth).norm() / truth.norm();
}

template <class T>
class ModeGram : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ModeGram, Types);

TYPED_TEST(ModeGram, IsExactInDoubleForEveryModeAndLayout) {
  using T = TypeParam;
  for (const Shape& shape : test::some_shapes())
    for (const auto& laid : test::layouts<T>(shape, 60))
      for (Index mode = 0; mode < laid.view.order(); ++mode)
        EXPECT_LT(relative(mode_gram(laid.view, mode), by_unfolding(laid.view, mode)), 1e-14)
            << laid.name << ' ' << to_string(shape) << " mode " << mode;
}

TYPED_TEST(ModeGram, IsRightWhereTheWorkIsCutIntoPieces) {
  using T = TypeParam;
  // Many columns; long blocks; short blocks; blocks of a length that pieces do not divide.
  for (const Shape& shape : {Shape{12, 9000}, {700, 11, 5}, {5, 13, 600}, {90, 17, 30}, {9000, 12}})
    for (const Index mode : {Index(0), Index(1)}) {
      if (shape[static_cast<std::size_t>(mode)] > 1000) continue;
      const Tensor<T> x = test::random_tensor<T>(shape, 61);
      EXPECT_LT(relative(mode_gram<T>(x, mode), by_unfolding<T>(x, mode)), 1e-13)
          << to_string(shape) << ' ' << mode;
    }
}

TYPED_TEST(ModeGram, LargeModesAreCutIntoTiles) {
  using T = TypeParam;
  for (const Shape& shape : {Shape{1, 1100, 5}, {5, 1100, 1}, {70, 1100, 1}}) {
    const Tensor<T> x = test::random_tensor<T>(shape, 62);
    EXPECT_LT(relative(mode_gram<T>(x, 1), by_unfolding<T>(x, 1)), 1e-13);
  }
}

TYPED_TEST(ModeGram, IsSymmetricAndTheSameForOneAndTwoThreadsBitByBit) {
  using T = TypeParam;
  for (const auto& laid : test::layouts<T>({50, 60, 70}, 63))
    for (Index mode = 0; mode < 3; ++mode) {
      const auto one = mode_gram(laid.view, mode, Run{.threads = 1});
      const auto two = mode_gram(laid.view, mode, Run{.threads = 2});
      EXPECT_TRUE(one == two) << laid.name << ' ' << mode;
      EXPECT_TRUE(one == one.transpose());
    }
}

TEST(ModeGramErrors, AModeThatIsNotThere) {
  EXPECT_EQ(error_of([] { (void)mode_gram<double>(Tensor<double>({3, 4}), 2); }).code(), ErrorCode::usage);
}

}  // namespace
}  // namespace mercer
