// Outer, Kronecker, Khatri-Rao and Hadamard products: definitions and identities.
#include <mercer/tensor_algebra.hpp>

#include "expect_error.hpp"
#include "random_tensor.hpp"

namespace mercer {
namespace {

using test::error_of;
using test::expect_contains;

template <class T>
double apart(const Block<T>& a, const Block<T>& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return std::numeric_limits<double>::infinity();
  return double((a - b).cwiseAbs().maxCoeff());
}

template <class T>
class Products : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Products, Types);

TYPED_TEST(Products, OuterHasTheModesOfBoth) {
  using T = TypeParam;
  for (const auto& x : test::layouts<T>({3, 4}, 70))
    for (const auto& y : test::layouts<T>({2, 1, 5}, 71)) {
      const Tensor<T> z = outer(x.view, y.view);
      ASSERT_EQ(z.shape(), (Shape{3, 4, 2, 1, 5}));
      test::for_each_index(z.shape(), [&](const Shape& i) {
        EXPECT_EQ(z(i), T(x.view({i[0], i[1]}) * y.view({i[2], i[3], i[4]})));
      });
    }
}

TYPED_TEST(Products, KroneckerTurnsMatrixEquationsIntoVectors) {
  using T = TypeParam;
  for (Index trial = 0; trial < 10; ++trial) {  // vec(AXB) = (Bᵀ ⊗ A) vec X
    const auto seed = static_cast<std::uint64_t>(72 + trial);
    const Index p = 1 + trial % 4, q = 1 + trial % 3, r = 2 + trial % 5, s = 1 + trial % 2;
    const Block<T> a = test::random_block<T>(p, q, seed), x = test::random_block<T>(q, r, seed + 100),
                   b = test::random_block<T>(r, s, seed + 200);
    const Block<T> axb = a * x * b, bt = b.transpose();
    const Block<T> right = kronecker<T>(bt, a) * Eigen::Map<const Vector<T>>(x.data(), x.size());
    EXPECT_LT(apart<T>(Eigen::Map<const Block<T>>(axb.data(), axb.size(), 1), right), test::rounding<T>);
  }
}

TYPED_TEST(Products, KhatriRaoHasKroneckerProductsAsColumns) {
  using T = TypeParam;
  const Block<T> a = test::random_block<T>(4, 3, 80), b = test::random_block<T>(5, 3, 81);
  const Block<T> product = khatri_rao<T>(a, b);
  for (Index r = 0; r < 3; ++r) EXPECT_EQ(apart<T>(product.col(r), kronecker<T>(a.col(r), b.col(r))), 0);
}

TYPED_TEST(Products, GramOfKhatriRaoIsTheHadamardProductOfGrams) {
  using T = TypeParam;
  for (std::uint64_t seed = 82; seed < 90; ++seed) {  // (A ⊙ B)ᵀ(A ⊙ B) = AᵀA ∗ BᵀB
    const Block<T> a = test::random_block<T>(static_cast<Index>(seed % 6 + 1), 4, seed),
                   b = test::random_block<T>(5, 4, seed + 100);
    const Block<T> product = khatri_rao<T>(a, b);
    const Block<T> left = product.transpose() * product;
    const Block<T> right = (a.transpose() * a).cwiseProduct(b.transpose() * b);
    EXPECT_LT(apart<T>(left, right), 10 * test::rounding<T>);
  }
}

TYPED_TEST(Products, HadamardMultipliesElementByElement) {
  using T = TypeParam;
  for (const Shape& shape : test::some_shapes())
    for (const auto& x : test::layouts<T>(shape, 91))
      for (const auto& y : test::layouts<T>(shape, 92)) {
        const Tensor<T> z = hadamard(x.view, y.view);
        test::for_each_index(shape, [&](const Shape& i) { EXPECT_EQ(z(i), T(x.view(i) * y.view(i))); });
      }
}

TEST(ProductsErrors, NameBothSizes) {
  const Tensor<double> x({3, 4}), y({4, 3});
  expect_contains(error_of([&] { (void)hadamard<double>(x, y); }).message(), "3 x 4 and a 4 x 3");
  expect_contains(
      error_of([] { (void)khatri_rao<double>(Block<double>(3, 4), Block<double>(5, 2)); }).message(),
      "3 x 4 and a 5 x 2");
}

TEST(ProductsErrors, SizesBeyondCounting) {
  const double one = 1;
  const Index large = Index(1) << 32;
  const TensorView<double> wide(&one, {large}, {0});
  EXPECT_EQ(error_of([&] { (void)outer<double>(wide, TensorView<double>(&one, {large}, {0})); }).code(),
            ErrorCode::usage);
}

}  // namespace
}  // namespace mercer
