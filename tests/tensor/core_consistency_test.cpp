// Core consistency: 100 for what CP describes, low where the rank is too large.
#include "tensor/core_consistency.hpp"

#include <mercer/cp.hpp>

#include "tensor/cp_support.hpp"

namespace mercer {
namespace {

TEST(CoreConsistency, OfThePlantedModelItIsAHundred) {
  for (const Shape& shape : std::vector<Shape>{{8, 7, 6}, {5, 6, 4, 3}}) {
    const auto truth = test::planted<double>(shape, {100, 3, 0.5}, 1);
    const Tensor<double> x = full_tensor(truth, {});
    EXPECT_NEAR(core_consistency(*dense_cp_data<double>(x, nullptr, false, {}), truth, {}).value(), 100,
                1e-6);
  }
}

TEST(CoreConsistency, IsHighForTheRightRankAndLowForTooLargeOnes) {
  const auto truth = test::planted<double>({12, 11, 10}, {3, 2, 1.5}, 2);
  const Tensor<double> x = test::with_noise(full_tensor(truth, {}), 0.02, 3);
  const auto of_rank = [&](Index rank) {
    return Cp<double>::fit(x, {.rank = rank, .iterations = 300, .allow_partial = true})
        .report()
        .decomposition->core_consistency.value();
  };
  EXPECT_GT(of_rank(3), 99);
  EXPECT_LT(of_rank(5), 50);
}

TEST(CoreConsistency, IsNotAskedForWhereItMeansNothing) {
  const auto matrix = test::planted<double>({6, 5}, {2, 1}, 4);
  const Tensor<double> x = full_tensor(matrix, {});
  EXPECT_FALSE(core_consistency(*dense_cp_data<double>(x, nullptr, false, {}), matrix, {}));
  EXPECT_TRUE(core_is_too_large(40, 5));
  EXPECT_FALSE(core_is_too_large(40, 3));
}

}  // namespace
}  // namespace mercer
