// Dense MTTKRP against its definition, for every mode, order, layout and element type.
#include "tensor/mttkrp.hpp"

#include "tensor/cp_support.hpp"

namespace mercer {
namespace {

using test::tolerance;

template <class T>
class DenseMttkrpOf : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(DenseMttkrpOf, Types);

template <class T>
void expect_definition(Mttkrp<T>& products, const Tensor<T>& x, Index rank, std::uint64_t seed) {
  std::vector<Matrix<T>> factors = test::random_rows<T>(x.shape(), rank, seed);
  Matrix<T> out;
  for (Index mode = 0; mode < x.order(); ++mode) {
    products.product(mode, factors, out, {});
    const Block<double> expected = test::mttkrp_by_definition(x, mode, factors, rank);
    ASSERT_EQ(out.rows(), x.size(mode));
    EXPECT_LE((out.leftCols(rank).template cast<double>() - expected).norm(),
              tolerance<T>(1e-13, 1e-5) * (expected.norm() + 1))
        << to_string(x.shape()) << ", mode " << mode << ", rank " << rank;
  }
}

TYPED_TEST(DenseMttkrpOf, EveryModeOfEveryOrderIsWhatTheDefinitionSays) {
  using T = TypeParam;
  for (const Shape& shape : std::vector<Shape>{
           {7}, {9, 5}, {1, 6}, {5, 31, 12}, {40, 3, 25}, {1, 1, 4}, {6, 5, 4, 7}, {3, 1, 5, 2, 6}}) {
    const Tensor<T> x = test::random_tensor<T>(shape, 1);
    for (const Index rank : {1, 3, 8, 11, 24}) expect_definition<T>(*dense_mttkrp<T>(x), x, rank, 10);
  }
}

TYPED_TEST(DenseMttkrpOf, AnyLayoutGivesTheSame) {
  using T = TypeParam;
  const Tensor<T> whole = test::random_tensor<T>({9, 14, 11, 5}, 2);
  for (const TensorView<T>& view :
       {whole.view().reordered({3, 2, 1, 0}), whole.view().reordered({1, 3, 0, 2}),
        whole.view().range(1, 3, 7), whole.view().range(3, 1, 3),
        whole.view().range(0, 2, 5).reordered({2, 0, 3, 1}), whole.view().slice(2, 4)})
    expect_definition<T>(*dense_mttkrp<T>(view), Tensor<T>(view), 5, 20);
}

TYPED_TEST(DenseMttkrpOf, WhatIsKeptIsRenewedWhenAFactorChanges) {
  using T = TypeParam;
  const Tensor<T> x = test::random_tensor<T>({8, 7, 6, 5, 4}, 3);
  const auto products = dense_mttkrp<T>(x);
  std::vector<Matrix<T>> factors = test::random_rows<T>(x.shape(), 4, 30);
  Matrix<T> out;
  std::uint64_t seed = 100;
  for (const Index last : {0, 3, 4})
    for (const Index mode : products->sweep_order(last)) {
      products->product(mode, factors, out, {});
      const Block<double> expected = test::mttkrp_by_definition(x, mode, factors, 4);
      EXPECT_LE((out.leftCols(4).template cast<double>() - expected).norm(),
                tolerance<T>(1e-13, 1e-5) * expected.norm());
      factors[static_cast<std::size_t>(mode)] =
          padded_rows<T>(Block<T>(test::random_matrix<T>(x.size(mode), 4, ++seed)));
      products->changed(mode);
    }
}

TYPED_TEST(DenseMttkrpOf, ASweepEndsWithTheModeThatIsAskedFor) {
  using T = TypeParam;
  const Tensor<T> x = test::random_tensor<T>({8, 7, 6, 5}, 3);
  for (Index last = 0; last < 4; ++last) {
    Shape order = dense_mttkrp<T>(x)->sweep_order(last);
    EXPECT_EQ(order.back(), last);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, (Shape{0, 1, 2, 3}));
  }
}

TYPED_TEST(DenseMttkrpOf, TheNumberOfThreadsChangesNoBit) {
  using T = TypeParam;
  for (const Shape& shape : std::vector<Shape>{{60, 50, 40}, {3, 900, 30}, {2000, 9, 5}}) {
    const Tensor<T> x = test::random_tensor<T>(shape, 5);
    const std::vector<Matrix<T>> factors = test::random_rows<T>(shape, 5, 50);
    for (Index mode = 0; mode < 3; ++mode) {
      Matrix<T> one, three;
      dense_mttkrp<T>(x)->product(mode, factors, one, {.threads = 1});
      dense_mttkrp<T>(x)->product(mode, factors, three, {.threads = 3});
      EXPECT_TRUE((one.leftCols(5).array() == three.leftCols(5).array()).all());
    }
  }
}

TYPED_TEST(DenseMttkrpOf, GapsAndWeightsAreThatOfTheMaskedTensor) {
  using T = TypeParam;
  const Tensor<T> x = test::with_gaps(test::random_tensor<T>({13, 9, 8}, 6), 0.3, 7);
  Tensor<T> w = test::random_tensor<T>(x.shape(), 8), masked(x.shape()), weighted = masked, mask = masked,
            of_weights = masked;
  w.values() = w.values().cwiseAbs();
  for (Index i = 0; i < x.count(); ++i) {
    const T value = x.values()[i];
    if (std::isnan(value)) continue;
    masked.values()[i] = value, mask.values()[i] = 1;
    weighted.values()[i] = w.values()[i] * value, of_weights.values()[i] = w.values()[i];
  }
  // The weights lie in memory in another order than the values.
  const Tensor<T> turned(w.view().reordered({2, 0, 1}));
  const auto entries = unfolded_entries<T>(x);
  const auto weights = unfolded_entries<T>(turned.view().reordered({1, 2, 0}), entries->unfolding());
  const auto products = [&](const EntriesPointer<T>& with, Known what) {
    return dense_mttkrp<T>(entries_with_gaps<T>(entries, with, what));
  };
  expect_definition<T>(*products(nullptr, Known::values), masked, 3, 60);
  expect_definition<T>(*products(nullptr, Known::weights), mask, 3, 60);
  expect_definition<T>(*products(weights, Known::values), weighted, 3, 60);
  expect_definition<T>(*products(weights, Known::weights), of_weights, 3, 60);
}

TEST(DenseMttkrp, KeepsLittleBesideTheTensor) {
  EXPECT_EQ(dense_mttkrp_kept_rows({400, 400, 400}, {2, 1, 0}), 160000);
  EXPECT_EQ(dense_mttkrp_kept_rows({50, 50}, {0, 1}), 0);
}

}  // namespace
}  // namespace mercer
