// The memory of packed tensors as seen from one mode.
#include "tensor/fibers.hpp"

#include "random_tensor.hpp"

#include <algorithm>

namespace mercer {
namespace {

TEST(ModeSplitTest, CountsTheFasterAndTheSlowerModes) {
  const Tensor<double> x({3, 4, 5, 6});
  const auto middle = split(x.view(), 2);
  EXPECT_EQ(middle.fast, 12);
  EXPECT_EQ(middle.size, 5);
  EXPECT_EQ(middle.slow, 6);
  const auto turned = split(x.view().reordered({3, 2, 1, 0}), 3);  // the fastest is now called 3
  EXPECT_EQ(turned.fast, 1);
  EXPECT_EQ(turned.slow, 120);
}

TEST(ModeSplitTest, FibresLieWhereItSays) {
  for (const Shape& shape : test::some_shapes())
    for (const auto& laid : test::layouts<double>(shape, 110)) {
      if (!laid.view.packed()) continue;
      for (Index mode = 0; mode < laid.view.order(); ++mode) {
        const ModeSplit s = split(laid.view, mode);
        EXPECT_EQ(s.fast * s.size * s.slow, laid.view.count());
        if (s.size > 1) {
          EXPECT_EQ(s.fast, laid.view.stride(mode));
        }
      }
    }
}

template <class T>
class Fibers : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Fibers, Types);

TYPED_TEST(Fibers, OnlyViewsWithGapsAreCopied) {
  using T = TypeParam;
  for (const Shape& shape : test::some_shapes())
    for (const auto& laid : test::layouts<T>(shape, 111)) {
      const auto packed = packed_copy_if_needed(laid.view);
      EXPECT_TRUE(packed.packed());
      EXPECT_EQ(packed.data() == laid.view.data(), laid.view.packed());
      EXPECT_EQ(test::difference<T>(packed, laid.view), 0);
      if (std::find(shape.begin(), shape.end(), 1) == shape.end()) {  // such modes may stand anywhere
        EXPECT_EQ(modes_by_stride(packed), modes_by_stride(laid.view));
      }
    }
}

TYPED_TEST(Fibers, GatheredOnesAreTheColumnsAndScatteredOnesAreBackInPlace) {
  using T = TypeParam;
  const Tensor<T> x = test::random_tensor<T>({5, 40, 7}, 112);
  const ModeSplit s = split(x.view(), 1);
  const Span some{3, 33}, entries{2, 39};
  Block<double> columns(entries.count(), some.count());
  gather_fibers(x.data(), s, some, entries, columns.data());
  for (Index c = some.first; c < some.last; ++c)
    for (Index i = entries.first; i < entries.last; ++i)
      EXPECT_EQ(columns(i - entries.first, c - some.first), double(x({c % 5, i, c / 5})));
  Block<T> whole(40, 35);
  gather_fibers(x.data(), s, Span{0, 35}, Span{0, 40}, whole.data());
  Tensor<T> back({5, 40, 7});
  scatter_fibers(whole.data(), s, Span{0, 35}, back.data());
  EXPECT_EQ(test::difference<T>(back, x), 0);
}

TYPED_TEST(Fibers, PackedTensorsBecomeTensors) {
  using T = TypeParam;
  for (const Shape& modes : {Shape{0, 1, 2}, {2, 1, 0}, {1, 0, 2}}) {
    PackedTensor<T> packed({3, 1, 4}, modes);
    for (Index e = 0; e < packed.count(); ++e) packed.data()[e] = T(e);
    const Tensor<T> truth(packed.view());
    const T* data = packed.data();
    const Tensor<T> x = std::move(packed).to_tensor();
    EXPECT_EQ(test::difference<T>(x, truth), 0);
    EXPECT_EQ(x.data() == data, modes != (Shape{2, 1, 0}));  // the mode of size 1 may stand anywhere
  }
}

}  // namespace
}  // namespace mercer
