// Copies in another order of modes, beyond the size of one tile and of one thread's share.
#include "tensor/reorder.hpp"

#include "random_tensor.hpp"

#include <algorithm>

namespace mercer {
namespace {

template <class T>
class Reorder : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Reorder, Types);

/// out is x, packed, with these modes, the fastest first.
template <class T>
void expect_order(const TensorView<T>& x, const Shape& modes, const std::vector<T>& out) {
  const TensorView<T> turned = x.reordered(modes);
  Index e = 0;
  Index wrong = 0;
  test::for_each_index(turned.shape(), [&](const Shape& i) {
    Index place = 0;
    for (std::size_t m = 0; m < i.size(); ++m) place += i[m] * turned.stride(static_cast<Index>(m));
    wrong += x.data()[place] != out[static_cast<std::size_t>(e++)];
  });
  EXPECT_EQ(wrong, 0);
}

TYPED_TEST(Reorder, EveryOrderOfEveryLayout) {
  using T = TypeParam;
  for (const Shape& shape : {Shape{70, 3, 45}, {2, 33, 5, 31}, {1, 40, 1, 50}, {6, 2, 3, 2, 4}})
    for (const auto& laid : test::layouts<T>(shape, 120)) {
      Shape modes(shape.size());
      std::iota(modes.begin(), modes.end(), Index(0));
      do {
        std::vector<T> out(static_cast<std::size_t>(laid.view.count()));
        copy_in_order(laid.view, modes, out.data());
        expect_order(laid.view, modes, out);
      } while (shape.size() < 5 && std::next_permutation(modes.begin(), modes.end()));
    }
}

TYPED_TEST(Reorder, LargeOnesAreSharedOutAmongThreads) {
  using T = TypeParam;
  const auto x = test::random_view<T>({300, 1000, 2}, {1, 2, 0}, 121);
  for (const Shape& modes : {Shape{0, 1, 2}, {1, 0, 2}, {1, 2, 0}}) {
    std::vector<T> out(static_cast<std::size_t>(x.count()));
    copy_in_order(x, modes, out.data(), Run{.threads = 3});
    expect_order(x, modes, out);
  }
}

}  // namespace
}  // namespace mercer
