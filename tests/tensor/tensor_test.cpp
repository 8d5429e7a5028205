// Dense tensors: shapes, views that share memory, copies, and what is refused.
#include <mercer/tensor.hpp>

#include "expect_error.hpp"
#include "random_tensor.hpp"

namespace mercer {
namespace {

using test::error_of;
using test::expect_contains;

TEST(TensorShape, ReadsAsSizesWithCrossesBetween) {
  EXPECT_EQ(to_string(Shape{5, 201, 61}), "5 x 201 x 61");
  EXPECT_EQ(to_string(Shape{7}), "7");
}

TEST(TensorShape, CountsElementsOrSaysWhyNot) {
  EXPECT_EQ(element_count({5, 201, 61}), 61305);
  EXPECT_EQ(error_of([] { (void)element_count({}); }).code(), ErrorCode::usage);
  expect_contains(error_of([] { (void)element_count({5, 0, 61}); }).message(), "mode 1 of a 5 x 0 x 61");
  expect_contains(error_of([] { (void)element_count({5, -3}); }).message(), "mode 1");
  const Index large = Index(1) << 31;
  EXPECT_EQ(element_count({large, large, 1}), large * large);
  expect_contains(error_of([&] { (void)element_count({large, large, 2}); }).message(), "more elements than");
  EXPECT_EQ(error_of([&] { Tensor<double> x({large, large, large}); }).code(), ErrorCode::usage);
}

template <class T>
class TensorTest : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TensorTest, Types);

TYPED_TEST(TensorTest, LiesFirstIndexFastest) {
  using T = TypeParam;
  Tensor<T> x({2, 3, 4});
  EXPECT_EQ(x.values().norm(), T(0));
  x({1, 2, 3}) = 5;
  EXPECT_EQ(x.data()[1 + 2 * (2 + 3 * 3)], T(5));
  EXPECT_EQ(x({1, 2, 3}), T(5));
  EXPECT_EQ(x.view().strides(), (Shape{1, 2, 6}));
  const auto rows = TensorView<T>::last_fastest(x.data(), {4, 3, 2});
  EXPECT_EQ(rows.strides(), (Shape{6, 2, 1}));
  EXPECT_EQ(rows({3, 2, 1}), T(5));
}

TYPED_TEST(TensorTest, SlicesRangesAndReorderedModesShareMemory) {
  using T = TypeParam;
  Tensor<T> x = test::random_tensor<T>({3, 4, 5}, 1);
  const auto slice = x.view().slice(1, 2);
  const auto range = x.view().range(2, 1, 3);
  const auto turned = x.view().reordered({2, 0, 1});
  EXPECT_EQ(slice.shape(), (Shape{3, 5}));
  EXPECT_EQ(slice.count(), 15);
  EXPECT_EQ(range.shape(), (Shape{3, 4, 3}));
  EXPECT_EQ(range.count(), 36);
  EXPECT_EQ(turned.shape(), (Shape{5, 3, 4}));
  test::for_each_index(x.shape(), [&](const Shape& i) {
    if (i[1] == 2) {
      EXPECT_EQ(slice({i[0], i[2]}), x(i));
    }
    if (i[2] >= 1 && i[2] < 4) {
      EXPECT_EQ(range({i[0], i[1], i[2] - 1}), x(i));
    }
    EXPECT_EQ(turned({i[2], i[0], i[1]}), x(i));
  });
  x({1, 2, 3}) = 77;
  EXPECT_EQ(slice({1, 3}), T(77));
  EXPECT_EQ(range({1, 2, 2}), T(77));
  EXPECT_EQ(turned({3, 1, 2}), T(77));
}

TYPED_TEST(TensorTest, ASliceOfOneModeKeepsItsOneEntry) {
  using T = TypeParam;
  const Tensor<T> x = test::random_tensor<T>({6}, 2);
  const auto slice = x.view().slice(0, 4);
  EXPECT_EQ(slice.shape(), (Shape{1}));
  EXPECT_EQ(slice({0}), x({4}));
}

TYPED_TEST(TensorTest, KnowsWhetherItIsPackedInAnyOrderOfModes) {
  using T = TypeParam;
  const Tensor<T> x = test::random_tensor<T>({3, 4, 5}, 3);
  EXPECT_TRUE(x.view().packed());
  EXPECT_TRUE(x.view().reordered({2, 0, 1}).packed());
  EXPECT_TRUE(x.view().range(2, 1, 2).packed());
  EXPECT_TRUE(x.view().slice(2, 4).packed());
  EXPECT_FALSE(x.view().slice(0, 1).packed());
  EXPECT_FALSE(x.view().range(1, 0, 2).packed());
  EXPECT_TRUE(x.view().range(1, 0, 2).slice(2, 0).packed());
  EXPECT_FALSE(TensorView<T>(x.data(), {3, 3}, {0, 1}).packed());
}

TYPED_TEST(TensorTest, CopiesOfEveryLayoutHaveTheSameElements) {
  using T = TypeParam;
  for (const Shape& shape : test::some_shapes())
    for (const auto& laid : test::layouts<T>(shape, 4)) {
      const Tensor<T> copy(laid.view);
      EXPECT_EQ(test::difference<T>(copy, laid.view), 0) << laid.name << ' ' << to_string(shape);
    }
}

TYPED_TEST(TensorTest, TakesOverValuesThatFitItsShape) {
  using T = TypeParam;
  const Tensor<T> x({2, 3}, Vector<T>::LinSpaced(6, 1, 6));
  EXPECT_EQ(x({1, 2}), T(6));
  expect_contains(error_of([] { Tensor<T>({2, 3}, Vector<T>(5)); }).message(), "5 values for a 2 x 3 tensor");
}

TYPED_TEST(TensorTest, RefusesWhatIsOutsideOfIt) {
  using T = TypeParam;
  const Tensor<T> x({3, 4});
  const auto view = x.view();
  expect_contains(error_of([&] { (void)view({1, 4}); }).message(), "index 4 in mode 1 of a 3 x 4");
  expect_contains(error_of([&] { (void)view({-1, 0}); }).message(), "index -1 in mode 0");
  expect_contains(error_of([&] { (void)view({1}); }).message(), "1 indices");
  expect_contains(error_of([&] { (void)view.slice(2, 0); }).message(), "no mode 2");
  expect_contains(error_of([&] { (void)view.slice(-1, 0); }).message(), "no mode -1");
  expect_contains(error_of([&] { (void)view.slice(0, 3); }).message(), "indices 3 to 3 in mode 0");
  expect_contains(error_of([&] { (void)view.range(1, 2, 3); }).message(), "indices 2 to 4 in mode 1");
  EXPECT_EQ(error_of([&] { (void)view.range(1, 2, 0); }).code(), ErrorCode::usage);
  EXPECT_EQ(error_of([&] { (void)view.reordered({0, 0}); }).code(), ErrorCode::usage);
  EXPECT_EQ(error_of([&] { (void)view.reordered({0}); }).code(), ErrorCode::usage);
  EXPECT_EQ(error_of([&] { TensorView<T>(x.data(), {3, 4}, {1}); }).code(), ErrorCode::usage);
}

}  // namespace
}  // namespace mercer
