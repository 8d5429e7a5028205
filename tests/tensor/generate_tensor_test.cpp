// Generated arrays: deterministic, of the size asked for, and made of what they say.
#include <mercer/error.hpp>
#include <mercer/tensor_generate.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace mercer {
namespace {

TEST(GenerateTensor, EveryNameGivesItsDefaultSizeAndTheSameArrayAgain) {
  for (const auto& g : tensor_generators()) {
    const auto a = generate_tensor(g.name), b = generate_tensor(g.name), c = generate_tensor(g.name, 7, 3);
    EXPECT_EQ(a.values.size(0), g.default_n) << g.name;
    EXPECT_EQ(a.values.values(), b.values.values()) << g.name;
    EXPECT_EQ(c.values.size(0), 7) << g.name;
    EXPECT_NE(c.values.values(), generate_tensor(g.name, 7, 4).values.values()) << g.name;
    EXPECT_TRUE(a.values.values().allFinite()) << g.name;
    EXPECT_GE(a.values.values().minCoeff(), 0) << g.name;
    EXPECT_EQ(static_cast<Index>(a.modes.size()), a.values.order()) << g.name;
    EXPECT_TRUE(is_tensor_generator(g.name));
  }
  EXPECT_FALSE(is_tensor_generator("circles"));
}

TEST(GenerateTensor, FluorescenceIsTheSumOfItsFactorsUpToALittleNoise) {
  const auto mix = generate_tensor("fluorescence", 9, 2);
  ASSERT_EQ(mix.factors.size(), 3U);
  double wrong = 0, all = 0;
  for (Index i = 0; i < mix.values.size(0); ++i)
    for (Index j = 0; j < mix.values.size(1); ++j)
      for (Index k = 0; k < mix.values.size(2); ++k) {
        double sum = 0;
        for (Index r = 0; r < 3; ++r)
          sum += mix.factors[0](i, r) * mix.factors[1](j, r) * mix.factors[2](k, r);
        wrong += std::pow(mix.values({i, j, k}) - sum, 2);
        all += sum * sum;
      }
  EXPECT_LT(std::sqrt(wrong / all), 0.03);
  EXPECT_GT(std::sqrt(wrong / all), 1e-4);
}

TEST(GenerateTensor, WhatCannotBeMadeIsSaid) {
  EXPECT_THROW((void)generate_tensor("circles"), Error);
  EXPECT_THROW((void)generate_tensor("spots", -1), Error);
}

}  // namespace
}  // namespace mercer
