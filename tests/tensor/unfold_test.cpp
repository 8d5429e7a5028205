// Matricization, folding and vec against their definition.
#include <mercer/tensor_algebra.hpp>

#include "expect_error.hpp"
#include "random_tensor.hpp"

namespace mercer {
namespace {

using test::error_of;
using test::expect_contains;

/// Kolda and Bader: x_(i₁...i_N) is entry (iₙ, j) of X₍ₙ₎, j = Σ_(k≠n) i_k J_k, J_k = Π_(m<k, m≠n) I_m.
Index column_of(const Shape& index, const Shape& shape, Index mode) {
  Index column = 0, step = 1;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (static_cast<Index>(k) == mode) continue;
    column += index[k] * step;
    step *= shape[k];
  }
  return column;
}

template <class T>
class Unfold : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Unfold, Types);

TYPED_TEST(Unfold, GivesTheLectureNotesExample) {
  using T = TypeParam;
  const Tensor<T> x = test::seed_tensor<T>();
  Block<T> first(2, 4), second(2, 4), third(2, 4);
  first << 1, 3, 5, 7, 2, 4, 6, 8;
  second << 1, 2, 5, 6, 3, 4, 7, 8;
  third << 1, 2, 3, 4, 5, 6, 7, 8;
  EXPECT_EQ(unfold<T>(x, 0), first);
  EXPECT_EQ(unfold<T>(x, 1), second);
  EXPECT_EQ(unfold<T>(x, 2), third);
  EXPECT_EQ(vec<T>(x), (Vector<T>::LinSpaced(8, 1, 8)));
}

TYPED_TEST(Unfold, FollowsItsDefinitionAndFoldingInvertsIt) {
  using T = TypeParam;
  for (const Shape& shape : test::some_shapes())
    for (const auto& laid : test::layouts<T>(shape, 20))
      for (Index mode = 0; mode < laid.view.order(); ++mode) {
        const Block<T> matrix = unfold(laid.view, mode);
        test::for_each_index(shape, [&](const Shape& i) {
          EXPECT_EQ(matrix(i[static_cast<std::size_t>(mode)], column_of(i, shape, mode)), laid.view(i));
        });
        EXPECT_EQ(test::difference<T>(fold<T>(matrix, mode, shape), laid.view), 0)
            << laid.name << ' ' << mode;
      }
}

TYPED_TEST(Unfold, FoldsMatricesThatArePartsOfOthers) {
  using T = TypeParam;
  const Block<T> large = test::random_matrix<T>(9, 30, 21);
  const auto part = large.block(2, 3, 3, 20);
  const Tensor<T> x = fold<T>(part, 1, {4, 3, 5});
  EXPECT_EQ(unfold<T>(x, 1), part);
}

TYPED_TEST(Unfold, LooksAtItWhereItLiesIfTheOtherModesRunOn) {
  using T = TypeParam;
  for (const Shape& shape : test::some_shapes())
    for (const auto& laid : test::layouts<T>(shape, 22))
      for (Index mode = 0; mode < laid.view.order(); ++mode) {
        const auto view = unfolding_view(laid.view, mode);
        if (view) {
          EXPECT_EQ(Block<T>(*view), unfold(laid.view, mode)) << laid.name << ' ' << mode;
          EXPECT_EQ(view->data(), laid.view.data());
        }
      }
  const Tensor<T> x = test::random_tensor<T>({3, 4, 5}, 23);
  EXPECT_TRUE(unfolding_view<T>(x, 0));
  EXPECT_FALSE(unfolding_view<T>(x, 1));
  EXPECT_TRUE(unfolding_view<T>(x, 2));
  EXPECT_TRUE(unfolding_view<T>(x.view().slice(2, 1), 1));
}

TYPED_TEST(Unfold, VecStacksTheFirstModesFibres) {
  using T = TypeParam;
  for (const Shape& shape : test::some_shapes())
    for (const auto& laid : test::layouts<T>(shape, 24)) {
      const Vector<T> v = vec(laid.view);
      Index e = 0;
      test::for_each_index(shape, [&](const Shape& i) { EXPECT_EQ(v[e++], laid.view(i)); });
    }
}

TYPED_TEST(Unfold, RefusesModesAndSizesThatDoNotFit) {
  using T = TypeParam;
  const Tensor<T> x({3, 4, 5});
  expect_contains(error_of([&] { (void)unfold<T>(x, 3); }).message(), "no mode 3");
  EXPECT_EQ(error_of([&] { (void)unfolding_view<T>(x, -1); }).code(), ErrorCode::usage);
  EXPECT_EQ(error_of([&] { (void)fold<T>(Block<T>(3, 20), 3, {3, 4, 5}); }).code(), ErrorCode::usage);
  const auto error = error_of([&] { (void)fold<T>(Block<T>(4, 20), 0, {3, 4, 5}); });
  expect_contains(error.message(), "4 x 20 matrix");
  expect_contains(error.message(), "3 x 4 x 5 tensor");
}

}  // namespace
}  // namespace mercer
