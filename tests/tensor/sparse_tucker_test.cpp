// Tucker of sparse arrays: what their dense copies give, without making them.
#include "tensor/sparse_tucker.hpp"

#include <mercer/tucker.hpp>

#include "tensor/planted.hpp"

namespace mercer {
namespace {

using test::error_of;
using test::tolerance;

template <class T>
class SparseTucker : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(SparseTucker, Types);

/// Mostly zeros.
template <class T>
Tensor<T> sparse_random(const Shape& shape, double share, std::uint64_t seed) {
  Tensor<T> x = test::random_tensor<T>(shape, seed);
  Random random(seed, 9);
  for (T& value : x.values())
    if (random.uniform() > share) value = 0;
  return x;
}

TYPED_TEST(SparseTucker, GivesWhatTheDenseCopyGives) {
  using T = TypeParam;
  for (const Shape& shape : {Shape{9, 12, 7}, Shape{5, 4, 6, 5}, Shape{12, 9}, Shape{7}})
    for (Index s = 0; s < std::min<Index>(2, static_cast<Index>(shape.size())); ++s) {
      const Tensor<T> x = sparse_random<T>(shape, 0.3, 3);
      const TuckerOptions options{
          .ranks = Shape(shape.size(), 2), .hooi = 100, .tolerance = 1e-14, .sample_mode = s};
      const auto dense = Tucker<T>::fit(x, options),
                 sparse = Tucker<T>::fit(SparseTensor<T>(x.view()), options);
      const auto& d = *dense.report().decomposition;
      const auto& f = *sparse.report().decomposition;
      EXPECT_NEAR(f.relative_error, d.relative_error, tolerance<T>(1e-6, 1e-4)) << to_string(shape);
      EXPECT_NEAR(f.relative_error, test::relative_distance<T>(x, sparse.reconstruction()),
                  tolerance<T>(1e-12, 1e-6));
      EXPECT_EQ(f.ranks, d.ranks);
      EXPECT_EQ(f.known, x.count());  // what is not stored is zero
      const double length = double(sparse.scores().norm());
      EXPECT_LE(double((sparse.transform_tensor(x.view()) - sparse.scores()).norm()),
                tolerance<T>(1e-12, 1e-5) * length);
      EXPECT_LE(double((sparse.transform_tensor(SparseTensor<T>(x.view())) - sparse.scores()).norm()),
                tolerance<T>(1e-12, 1e-5) * length);
    }
}

TYPED_TEST(SparseTucker, WithoutSweepsItIsTheDenseCopysHosvd) {
  using T = TypeParam;
  const Tensor<T> x = sparse_random<T>({9, 12, 7}, 0.3, 4);
  const auto dense = Tucker<T>::fit(x, {.ranks = {3, 4, 2}, .method = TuckerMethod::hosvd}),
             sparse = Tucker<T>::fit(SparseTensor<T>(x.view()), {.ranks = {3, 4, 2}});
  EXPECT_TRUE(sparse.report().converged);
  EXPECT_TRUE(sparse.report().decomposition->errors.empty());
  for (std::size_t m = 0; m < 3; ++m)
    EXPECT_LE(double((sparse.factors()[m] - dense.factors()[m]).norm()), tolerance<T>(1e-10, 1e-3));
  EXPECT_NEAR(sparse.report().decomposition->relative_error, dense.report().decomposition->relative_error,
              tolerance<T>(1e-12, 1e-5));
}

TYPED_TEST(SparseTucker, ErrorsNeverRise) {
  using T = TypeParam;
  const SparseTensor<T> x(sparse_random<T>({15, 20, 10}, 0.1, 5).view());
  const auto model = Tucker<T>::fit(x, {.ranks = {3, 3, 3}, .hooi = 30, .tolerance = 0});
  const auto& errors = model.report().decomposition->errors;
  ASSERT_GT(errors.size(), 2u);
  EXPECT_TRUE(std::is_sorted(errors.rbegin(), errors.rend()));
  EXPECT_EQ(errors.back(), model.report().decomposition->relative_error);
}

TEST(SparseTucker2, SmallErrorsAreThoseOfTheDenseCopy) {
  for (const double noise : {1e-6, 1e-8, 1e-10}) {
    Tensor<double> dense({4, 3, 5});
    const Matrix<double> draw = test::random_matrix<double>(60, 1, 3);
    dense.values() = (1 + noise * draw.array()).matrix();
    const double exact = Tucker<double>::fit(dense.view(), {.ranks = {1, 1, 1}, .hooi = 3})
                             .report()
                             .decomposition->relative_error;
    for (const Index sweeps : {0, 3}) {
      const auto model =
          Tucker<double>::fit(SparseTensor<double>(dense.view()), {.ranks = {1, 1, 1}, .hooi = sweeps});
      EXPECT_NEAR(model.report().decomposition->relative_error, exact, 1e-3 * exact) << noise;
    }
  }
}

TEST(SparseTucker2, LargeModesBeginFromRandomBasesAndEndWhereTheSmallOnesDo) {
  // Three blocks of ones far apart: rank 3 in each mode, exactly.
  Coordinates<double> entries{{4000, 20, 30}, std::vector<std::vector<std::uint32_t>>(3), {}};
  for (std::uint32_t b = 0; b < 3; ++b)
    for (std::uint32_t i = 0; i < 40; ++i)
      for (std::uint32_t j = 0; j < 4; ++j)
        for (std::uint32_t k = 0; k < 5; ++k) {
          entries.index[0].push_back(1000 * b + i);
          entries.index[1].push_back(5 * b + j);
          entries.index[2].push_back(7 * b + k);
          entries.values.push_back(1.0 + b);
        }
  const auto model = Tucker<double>::fit(SparseTensor<double>(entries), {.ranks = {3, 3, 3}});
  EXPECT_LE(model.report().decomposition->relative_error, 1e-12);
  Matrix<double> squares = model.scores().rowwise().squaredNorm();
  EXPECT_NEAR(squares(1000, 0), 4 * 20, 1e-9);
  EXPECT_NEAR(squares(3999, 0), 0, 1e-9);
}

TEST(SparseTucker2, ThreadsDoNotChangeTheResult) {
  const SparseTensor<double> x(sparse_random<double>({30, 40, 20}, 0.1, 7).view());
  const TuckerOptions options{.ranks = {3, 4, 2}, .hooi = 4};
  const auto one = Tucker<double>::fit(x, options, mercer::Run{.threads = 1}),
             two = Tucker<double>::fit(x, options, mercer::Run{.threads = 2});
  EXPECT_EQ(one.scores(), two.scores());
  EXPECT_EQ(test::difference<double>(one.core(), two.core()), 0);
}

TEST(SparseTucker2, AnArrayWithoutEntriesIsZero) {
  const SparseTensor<double> x(
      Coordinates<double>{{3, 4, 5}, std::vector<std::vector<std::uint32_t>>(3), {}});
  const auto model = Tucker<double>::fit(x, {.ranks = {2, 2, 2}});
  EXPECT_EQ(model.report().decomposition->relative_error, 0);
  EXPECT_EQ(model.scores().norm(), 0);
}

TEST(SparseTucker2, BadInputIsRefused) {
  const SparseTensor<double> x(sparse_random<double>({5, 6, 7}, 0.3, 9).view());
  const auto code = [&](const TuckerOptions& o) {
    return error_of([&] { (void)Tucker<double>::fit(x, o); }).code();
  };
  EXPECT_EQ(code({.error = 0.1}), ErrorCode::usage);
  EXPECT_EQ(code({.ranks = {2, 7, 2}}), ErrorCode::usage);
  std::vector<double> values(static_cast<std::size_t>(x.stored()), 1.0);
  values[3] = std::numeric_limits<double>::infinity();
  const auto bad = x.with_values(values);
  EXPECT_EQ(error_of([&] {
              (void)Tucker<double>::fit(bad, {.ranks = {2, 2, 2}});
            }).code(),
            ErrorCode::bad_data);
  EXPECT_EQ(error_of([&] {
              (void)Tucker<double>::plan({1000, 1000, 1000}, 1000, {.ranks = {100, 100, 100}},
                                         mercer::Run{.memory = 1000000});
            }).code(),
            ErrorCode::no_memory);
}

}  // namespace
}  // namespace mercer
