// Alternating least squares: errors that fall, are what they claim to be, and do not depend on threads.
#include "tensor/cp_als.hpp"

#include "tensor/cp_start.hpp"
#include "tensor/cp_support.hpp"

namespace mercer {
namespace {

using test::tolerance;

template <class T>
class Alternation : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Alternation, Types);

template <class T>
double error_of(const Tensor<T>& x, const Kruskal<T>& model) {
  const Vector<double> fitted = full_tensor(model, {}).values().template cast<double>();
  double left = 0, all = 0;
  for (Index i = 0; i < x.count(); ++i) {
    const double value = double(x.values()[i]);
    if (std::isnan(value)) continue;
    left += (value - fitted[i]) * (value - fitted[i]);
    all += value * value;
  }
  return std::sqrt(left / all);
}

TYPED_TEST(Alternation, TheErrorNeverRisesAndIsThatOfTheModel) {
  using T = TypeParam;
  const auto truth = test::planted<T>({9, 11, 8}, {5, 4, 3}, 1);
  for (const double noise : {0.3, 0.0})
    for (const double gaps : {0.0, 0.3})
      for (const bool nonnegative : {false, true})
        for (const bool line_search : {false, true}) {
          const Tensor<T> x = test::with_gaps(test::with_noise(full_tensor(truth, {}), noise, 2), gaps, 3);
          const auto data = dense_cp_data<T>(x, nullptr, gaps > 0, {});
          const CpOptions options{.rank = 3,
                                  .nonnegative = nonnegative,
                                  .iterations = 60,
                                  .line_search = line_search,
                                  .missing = gaps > 0};
          const auto fit = alternate(*data, random_start<T>(x.shape(), 3, nonnegative, 1, {}), options, {});
          for (std::size_t k = 1; k < fit.errors.size(); ++k)
            EXPECT_LE(fit.errors[k],
                      fit.errors[k - 1] * (1 + tolerance<T>(1e-9, 1e-3)) + tolerance<T>(1e-13, 1e-6))
                << "sweep " << k << ", noise " << noise << ", gaps " << gaps << ", nonnegative "
                << nonnegative;
          EXPECT_NEAR(fit.errors.back(), error_of(x, fit.model), tolerance<T>(1e-10, 1e-4));
        }
}

TYPED_TEST(Alternation, SparseAndDenseAreTheSameFit) {
  using T = TypeParam;
  const Tensor<T> x = test::random_with_zeros<T>({12, 9, 10}, 0.3, 4);
  const SparseTensor<T> sparse(x.view());
  const CpOptions options{.rank = 2, .iterations = 5};
  const auto start = random_start<T>(x.shape(), 2, false, 1, {});
  const auto a = alternate(*dense_cp_data<T>(x, nullptr, false, {}), start, options, {});
  const auto b = alternate(*sparse_cp_data(sparse, false, {}), start, options, {});
  ASSERT_EQ(a.errors.size(), b.errors.size());
  EXPECT_NEAR(a.errors.back(), b.errors.back(), tolerance<T>(1e-12, 1e-5));
  EXPECT_LE(double((a.model.factor(0) - b.model.factor(0)).norm()), tolerance<T>(1e-9, 1e-2));
}

TYPED_TEST(Alternation, TheNumberOfThreadsChangesNoBit) {
  using T = TypeParam;
  const Tensor<T> x = test::with_noise(full_tensor(test::planted<T>({40, 30, 20}, {3, 2, 1}, 5), {}), 0.1, 6);
  const auto start = random_start<T>(x.shape(), 3, false, 1, {});
  const auto errors = [&](int threads, bool missing) {
    const mercer::Run run{.threads = threads};
    const Tensor<T> y = test::with_gaps(x, missing ? 0.2 : 0, 7);
    return alternate(*dense_cp_data<T>(y, nullptr, missing, run), start,
                     {.rank = 3, .iterations = 10, .missing = missing}, run)
        .errors;
  };
  for (const bool missing : {false, true}) EXPECT_EQ(errors(1, missing), errors(3, missing));
}

TEST(AlternatingLeastSquares, LineSearchShortensLongValleys) {
  // Columns that are nearly the same: cosine 0.9.
  auto truth = test::planted<double>({20, 15, 12}, {5, 3, 2}, 8);
  for (Matrix<double>& f : truth.factors)
    for (const Index r : {1, 2})
      f.col(r) = (0.9 * f.col(0) + std::sqrt(1 - 0.81) * f.col(r)).normalized().eval();
  const Tensor<double> x = full_tensor(truth, {});
  const auto data = dense_cp_data<double>(x, nullptr, false, {});
  const auto sweeps = [&](bool line_search) {
    return alternate(*data, hosvd_start(*data, 3, false, {}), {.rank = 3, .line_search = line_search}, {})
        .errors.size();
  };
  EXPECT_LT(2 * sweeps(true), sweeps(false));
}

TEST(AlternatingLeastSquares, StopsWhenAskedTo) {
  const Tensor<double> x = test::random_tensor<double>({20, 15, 12}, 9);
  const auto data = dense_cp_data<double>(x, nullptr, false, {});
  std::stop_source source;
  Index sweeps = 0;
  const mercer::Run run{.progress =
                            [&](std::string_view, double) {
                              if (++sweeps == 3) source.request_stop();
                            },
                        .stop = source.get_token()};
  try {
    (void)alternate(*data, random_start<double>(x.shape(), 4, false, 1, {}), {.rank = 4}, run);
    ADD_FAILURE() << "not stopped";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::cancelled);
  }
  EXPECT_EQ(sweeps, 3);
}

}  // namespace
}  // namespace mercer
