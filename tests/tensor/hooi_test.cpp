// HOOI: errors that never rise, a sweep that sees the array projected on all other modes.
#include "tensor/hooi.hpp"

#include <mercer/tucker.hpp>

#include "tensor/planted.hpp"

namespace mercer {
namespace {

using test::tolerance;

template <class T>
class Hooi : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Hooi, Types);

TYPED_TEST(Hooi, NeverRaisesTheError) {
  using T = TypeParam;
  for (std::uint64_t seed = 0; seed < 5; ++seed)
    for (const Shape& shape : {Shape{8, 7, 9}, Shape{5, 4, 6, 3}, Shape{20, 3, 4}, Shape{9, 8}}) {
      const Tensor<T> x = test::random_tensor<T>(shape, seed);
      const TuckerOptions without{.ranks = Shape(shape.size(), 2)};
      auto with = without;
      with.hooi = 20;
      with.tolerance = 0;
      double last = Tucker<T>::fit(x, without).report().decomposition->relative_error;
      const auto model = Tucker<T>::fit(x, with);
      for (const double error : model.report().decomposition->errors) {
        EXPECT_LE(error, last);
        last = error;
      }
      EXPECT_EQ(model.report().decomposition->relative_error, last);
      EXPECT_NEAR(last, test::relative_distance<T>(x, model.reconstruction()), tolerance<T>(1e-12, 1e-6));
    }
}

TYPED_TEST(Hooi, StopsWhenTheErrorStopsFalling) {
  using T = TypeParam;
  const Tensor<T> x = test::random_tensor<T>({8, 7, 9}, 3);
  const auto model = Tucker<T>::fit(x, {.ranks = {2, 2, 2}, .hooi = 1000, .tolerance = 1e-4});
  EXPECT_LT(model.report().decomposition->errors.size(), 100u);
  EXPECT_TRUE(model.report().converged);
  const auto stopped = Tucker<T>::fit(x, {.ranks = {2, 2, 2}, .hooi = 1, .tolerance = 1e-4});
  EXPECT_FALSE(stopped.report().converged);
  EXPECT_NE(stopped.report().notes.back().find("after 1 sweep"), std::string::npos);
}

TEST(HooiSweeps, FindsABetterSubspaceThanTruncation) {
  const Tensor<double> x = test::random_tensor<double>({10, 10, 10}, 5);
  const auto error = [&](Index sweeps) {
    return Tucker<double>::fit(x, {.ranks = {2, 2, 2}, .hooi = sweeps})
        .report()
        .decomposition->relative_error;
  };
  EXPECT_LT(error(20), error(0) - 1e-4);
}

TEST(HooiSweeps, ASweepProjectsOnAllOtherModesAndVisitsTheSamplesLast) {
  const Tensor<double> x = test::random_tensor<double>({3, 4, 5, 2}, 7);
  std::vector<Block<double>> factors;
  for (Index m = 0; m < 4; ++m) factors.push_back(test::orthonormal<double>(x.size(m), 2, 11 + m));
  Shape visited;
  dense_sweep<double>(x, factors, 1, {})([&](Index mode, const TensorView<double>& y) {
    visited.push_back(mode);
    const Tensor<double> expected = mode_products<double>(x, factors_without(factors, mode), true);
    EXPECT_LE(test::difference<double>(y, expected), 1e-13);
    factors[static_cast<std::size_t>(mode)] = test::orthonormal<double>(x.size(mode), 2, 31 + mode);
  });
  ASSERT_EQ(visited.size(), 4u);
  EXPECT_EQ(visited.back(), 1);
}

}  // namespace
}  // namespace mercer
