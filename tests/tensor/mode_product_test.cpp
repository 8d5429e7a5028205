// Mode-n products and chains of them: identities on random tensors of every layout.
#include "tensor/mode_product.hpp"

#include "expect_error.hpp"
#include "random_tensor.hpp"

#include <algorithm>
#include <numeric>

namespace mercer {
namespace {

using test::error_of;
using test::expect_contains;

/// Y₍ₙ₎ = A X₍ₙ₎, written down.
template <class T>
Tensor<T> by_unfolding(const TensorView<T>& x, Index mode, const Block<T>& a) {
  Shape shape = x.shape();
  shape[static_cast<std::size_t>(mode)] = a.rows();
  return fold<T>(Block<T>(a * unfold(x, mode)), mode, shape);
}

template <class T>
class ModeProduct : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ModeProduct, Types);

TYPED_TEST(ModeProduct, MultipliesEveryUnfoldingOfEveryLayout) {
  using T = TypeParam;
  for (const Shape& shape : test::some_shapes())
    for (const auto& laid : test::layouts<T>(shape, 30))
      for (Index mode = 0; mode < laid.view.order(); ++mode)
        for (const Index rows : {1, 3, 7}) {
          const Block<T> a = test::random_block<T>(rows, laid.view.size(mode), 31);
          const Tensor<T> truth = by_unfolding(laid.view, mode, a);
          EXPECT_LT(test::difference<T>(mode_product<T>(laid.view, mode, a), truth), test::rounding<T>)
              << laid.name << ' ' << to_string(shape) << " mode " << mode;
          const Block<T> turned = a.transpose();
          EXPECT_LT(test::difference<T>(mode_product<T>(laid.view, mode, turned, true), truth),
                    test::rounding<T>);
        }
}

TYPED_TEST(ModeProduct, IsRightWhereTheWorkIsCutIntoPieces) {
  using T = TypeParam;
  // One matrix; rows of one block; many blocks; short blocks; one block cut into rows.
  for (const Shape& shape : {Shape{30, 2000}, {500, 20, 3}, {40, 30, 70}, {3, 40, 900}, {3000, 30}})
    for (const Index mode : {Index(0), Index(1)}) {
      const Tensor<T> x = test::random_tensor<T>(shape, 32);
      const Block<T> a = test::random_block<T>(60, x.size(mode), 33);
      const Tensor<T> truth = by_unfolding<T>(x, mode, a);
      EXPECT_LT(test::difference<T>(mode_product<T>(x, mode, a), truth), 10 * test::rounding<T>);
    }
}

TYPED_TEST(ModeProduct, TakesMatricesThatArePartsOfOthers) {
  using T = TypeParam;
  const Tensor<T> x = test::random_tensor<T>({4, 5, 6}, 34);
  const Block<T> large = test::random_block<T>(9, 12, 35);
  for (Index mode = 0; mode < 3; ++mode)
    for (const Index rows : {1, 3}) {
      const auto part = large.block(2, 1, rows, x.size(mode));
      EXPECT_LT(test::difference<T>(mode_product<T>(x, mode, part), by_unfolding<T>(x, mode, part)),
                test::rounding<T>);
    }
}

TYPED_TEST(ModeProduct, TwoInOneModeAreOneWithTheProduct) {
  using T = TypeParam;
  for (const Shape& shape : test::some_shapes())
    for (const auto& laid : test::layouts<T>(shape, 36))
      for (Index mode = 0; mode < laid.view.order(); ++mode) {
        const Block<T> a = test::random_block<T>(4, laid.view.size(mode), 37),
                       b = test::random_block<T>(3, 4, 38), ba = b * a;
        const Tensor<T> one_by_one = mode_product<T>(mode_product<T>(laid.view, mode, a), mode, b);
        EXPECT_LT(test::difference<T>(one_by_one, mode_product<T>(laid.view, mode, ba)),
                  2 * test::rounding<T>);
      }
}

TYPED_TEST(ModeProduct, ProductsInDifferentModesCommute) {
  using T = TypeParam;
  for (const Shape& shape : test::some_shapes())
    for (const auto& laid : test::layouts<T>(shape, 39))
      for (Index m = 0; m < laid.view.order(); ++m)
        for (Index n = m + 1; n < laid.view.order(); ++n) {
          const Block<T> a = test::random_block<T>(2, laid.view.size(m), 40),
                         b = test::random_block<T>(3, laid.view.size(n), 41);
          const Tensor<T> ab = mode_product<T>(mode_product<T>(laid.view, m, a), n, b);
          const Tensor<T> ba = mode_product<T>(mode_product<T>(laid.view, n, b), m, a);
          EXPECT_LT(test::difference<T>(ab, ba), 2 * test::rounding<T>);
        }
}

TYPED_TEST(ModeProduct, AnUnfoldedTuckerTensorIsAMatrixProduct) {
  using T = TypeParam;
  for (const Shape& shape : test::some_shapes())
    for (const auto& laid : test::layouts<T>(shape, 42)) {  // G; X = G ×₁ U₁ ×₂ U₂ ...
      const TensorView<T>& g = laid.view;
      std::vector<ModeFactor<T>> factors;
      for (Index m = 0; m < g.order(); ++m)
        factors.push_back(
            {m, test::random_block<T>(2 + (m + 1) % 3, g.size(m), 43 + static_cast<std::uint64_t>(m))});
      const Tensor<T> x = mode_products<T>(g, factors);
      for (Index n = 0; n < g.order(); ++n) {
        Block<T> others = Block<T>::Ones(1, 1);  // U_N ⊗ ... ⊗ U₁ without n
        for (Index m = g.order() - 1; m >= 0; --m)
          if (m != n) others = kronecker<T>(others, factors[static_cast<std::size_t>(m)].matrix);
        const Block<T> truth =
            factors[static_cast<std::size_t>(n)].matrix * unfold(g, n) * others.transpose();
        const double scale = 1 + double(truth.cwiseAbs().maxCoeff());
        EXPECT_LT(double((unfold<T>(x, n) - truth).cwiseAbs().maxCoeff()), scale * test::rounding<T>)
            << laid.name << ' ' << to_string(shape);
      }
    }
}

TYPED_TEST(ModeProduct, ChainsOfTransposesAndNoFactorsAtAll) {
  using T = TypeParam;
  const auto x = test::layouts<T>({4, 5, 6}, 50)[1].view;
  const Block<T> u = test::random_block<T>(4, 2, 51), w = test::random_block<T>(6, 3, 52);
  const Tensor<T> both = mode_products<T>(x, {{2, w}, {0, u}}, true);
  const Tensor<T> truth = mode_product<T>(mode_product<T>(x, 0, u.transpose()), 2, w.transpose());
  EXPECT_EQ(both.shape(), (Shape{2, 5, 3}));
  EXPECT_LT(test::difference<T>(both, truth), test::rounding<T>);
  EXPECT_EQ(test::difference<T>(mode_products<T>(x, {}), x), 0);
}

TYPED_TEST(ModeProduct, VectorsTakeAModeAway) {
  using T = TypeParam;
  for (const Shape& shape : test::some_shapes())
    for (const auto& laid : test::layouts<T>(shape, 53))
      for (Index mode = 0; mode < laid.view.order(); ++mode) {
        const Vector<T> v = test::random_block<T>(laid.view.size(mode), 1, 54);
        const Tensor<T> y = mode_vector_product(laid.view, mode, v);
        const Tensor<T> truth = mode_product<T>(laid.view, mode, v.transpose());
        Shape expected = truth.shape();
        if (expected.size() > 1) expected.erase(expected.begin() + mode);
        EXPECT_EQ(y.shape(), expected);
        EXPECT_LT(double((y.values() - truth.values()).cwiseAbs().maxCoeff()), test::rounding<T>);
      }
}

TYPED_TEST(ModeProduct, IsTheSameForOneAndTwoThreadsBitByBit) {
  using T = TypeParam;
  for (const auto& laid : test::layouts<T>({50, 60, 40}, 55))
    for (Index mode = 0; mode < 3; ++mode) {
      const Block<T> a = test::random_block<T>(30, laid.view.size(mode), 56);
      const auto one = mode_product<T>(laid.view, mode, a, false, Run{.threads = 1});
      const auto two = mode_product<T>(laid.view, mode, a, false, Run{.threads = 2});
      EXPECT_TRUE(one.values() == two.values()) << laid.name << ' ' << mode;
    }
}

TYPED_TEST(ModeProduct, KeepsTheOrderOfModesInMemory) {
  using T = TypeParam;
  const auto x = test::layouts<T>({3, 4, 5}, 57)[1].view;
  const auto y = packed_mode_product<T>(x, 1, test::random_block<T>(2, 4, 58), false);
  EXPECT_EQ(y.modes(), (Shape{2, 1, 0}));
  EXPECT_EQ(y.view().strides(), (Shape{10, 5, 1}));
}

TEST(CheapestOrder, TakesTheFewestOperationsOfAllOrders) {
  Random random(59);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<SizeChange> factors(1 + random.below(5));
    double elements = 1;
    for (auto& factor : factors) {
      factor = {static_cast<Index>(1 + random.below(20)), static_cast<Index>(1 + random.below(20))};
      elements *= double(factor.before);
    }
    const auto cost = [&](const std::vector<std::size_t>& order) {
      double size = elements, work = 0;
      for (const std::size_t f : order) {
        work += size * double(factors[f].after);
        size *= double(factors[f].after) / double(factors[f].before);
      }
      return work;
    };
    std::vector<std::size_t> order(factors.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    double best = cost(order);
    while (std::next_permutation(order.begin(), order.end())) best = std::min(best, cost(order));
    EXPECT_LE(cost(cheapest_order(factors)), best * (1 + 1e-12));
  }
}

TEST(ModeProductErrors, NameTheModeAndBothSizes) {
  const Tensor<double> x({3, 4, 5});
  const Block<double> a(2, 3);
  expect_contains(error_of([&] { (void)mode_product<double>(x, 3, a); }).message(), "no mode 3");
  const auto error = error_of([&] { (void)mode_product<double>(x, 1, a); });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  expect_contains(error.message(), "a 2 x 3 matrix does not fit mode 1 of a 3 x 4 x 5 tensor");
  expect_contains(error.hint(), "4 columns");
  expect_contains(error_of([&] { (void)mode_product<double>(x, 0, a, true); }).hint(), "3 rows");
  EXPECT_EQ(error_of([&] { (void)mode_product<double>(x, 0, Block<double>(0, 3)); }).code(),
            ErrorCode::usage);
  expect_contains(error_of([&] { (void)mode_vector_product<double>(x, 2, Vector<double>(4)); }).message(),
                  "a vector of 4 does not fit mode 2");
  expect_contains(error_of([&] {
                    (void)mode_products<double>(x, {{0, a}, {0, a}});
                  }).message(),
                  "two factors for mode 0");
  expect_contains(error_of([&] { (void)mode_products<double>(x, {{0, a}, {1, a}}); }).message(), "mode 1");
}

TEST(ModeProductErrors, ACancelledRunStops) {
  std::stop_source source;
  source.request_stop();
  const Tensor<double> x({3, 4});
  const mercer::Run run{.stop = source.get_token()};
  EXPECT_EQ(error_of([&] { (void)mode_product<double>(x, 0, Block<double>(2, 3), false, run); }).code(),
            ErrorCode::cancelled);
}

}  // namespace
}  // namespace mercer
