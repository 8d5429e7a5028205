// Inner products and norms, also of numbers whose squares leave the range.
#include <mercer/tensor_algebra.hpp>

#include "expect_error.hpp"
#include "random_tensor.hpp"

namespace mercer {
namespace {

template <class T>
class Norms : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Norms, Types);

TYPED_TEST(Norms, AreSumsOverAllElementsOfEveryLayout) {
  using T = TypeParam;
  for (const Shape& shape : test::some_shapes())
    for (const auto& x : test::layouts<T>(shape, 100)) {
      double squares = 0;
      test::for_each_index(shape, [&](const Shape& i) { squares += double(x.view(i)) * double(x.view(i)); });
      EXPECT_NEAR(norm(x.view), std::sqrt(squares), 1e-14 * (1 + squares));
      for (const auto& y : test::layouts<T>(shape, 101)) {
        double sum = 0;
        test::for_each_index(shape, [&](const Shape& i) { sum += double(x.view(i)) * double(y.view(i)); });
        EXPECT_NEAR(inner(x.view, y.view), sum, 1e-13 * (1 + squares)) << x.name << ", " << y.name;
      }
    }
}

TYPED_TEST(Norms, LongSumsKeepTheirDigits) {
  using T = TypeParam;
  const Tensor<T> x({300, 1000}, Vector<T>::Constant(300000, T(0.1)));
  const double each = double(T(0.1)) * double(T(0.1));
  EXPECT_NEAR(inner<T>(x, x) / (300000 * each), 1, 1e-14);
  EXPECT_NEAR(norm<T>(x) / std::sqrt(300000 * each), 1, 1e-14);
}

TYPED_TEST(Norms, AreTheSameForOneAndTwoThreadsBitByBit) {
  using T = TypeParam;
  for (const auto& x : test::layouts<T>({120, 70, 90}, 102))
    EXPECT_EQ(norm(x.view, Run{.threads = 1}), norm(x.view, Run{.threads = 2})) << x.name;
}

TEST(NormsInDouble, SquaresMayLeaveTheRange) {
  for (const double scale : {1e200, 1e-200, 1e-310}) {
    const Tensor<double> x({2, 2}, Vector<double>::Constant(4, scale));
    EXPECT_NEAR(norm<double>(x) / scale, 2, 1e-12);
  }
  EXPECT_EQ(norm<double>(Tensor<double>({3, 2})), 0);
}

TEST(NormsInDouble, OfNumbersThatAreNone) {
  Tensor<double> x({3, 2});
  x({1, 1}) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(norm<double>(x), std::numeric_limits<double>::infinity());
  x({1, 0}) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(norm<double>(x)));
}

TEST(NormsErrors, NameBothShapes) {
  const auto error = test::error_of([] {
    (void)inner<double>(Tensor<double>({3, 4}), Tensor<double>({3, 5}));
  });
  test::expect_contains(error.message(), "3 x 4 and a 3 x 5");
}

}  // namespace
}  // namespace mercer
