// Kernel PCA on random features: near the exact one, streamed or not, and never claimed to be certain.
#include <mercer/kernel_pca.hpp>
#include <mercer/random_feature_pca.hpp>

#include "support.hpp"

#include <cstdio>
#include <stop_token>

namespace mercer {
namespace {

using test::tolerance;

template <class T>
class RandomFeatureFit : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(RandomFeatureFit, Types);

/// Four clusters, so that three components stand out.
template <class T>
Matrix<T> clusters(Index n, Index d, std::uint64_t seed) {
  Matrix<T> x = test::random_matrix<T>(n, d, seed) * T(0.4);
  for (Index i = 0; i < n; ++i) x(i, i % 4 % d) += i % 4 < 2 ? T(3) : T(-2);
  return x;
}

TYPED_TEST(RandomFeatureFit, EigenvaluesAndScoresApproachTheExactOnes) {
  using T = TypeParam;
  const Samples<T> x = clusters<T>(200, 4, 1);
  for (const bool center : {true, false}) {
    const auto exact = KernelPca<T>::fit(x, {.components = 3, .kernel = Kernel::rbf(0.2), .center = center});
    const double top = exact.report().gram_eigenvalues[0];
    for (const Index count : {64, 512, 2048}) {
      const auto model = RandomFeaturePca<T>::fit(
          x, {.components = 3, .kernel = Kernel::rbf(0.2), .features = count, .center = center});
      ASSERT_EQ(model.components(), 3);
      const double error =
          (model.report().gram_eigenvalues - exact.report().gram_eigenvalues).cwiseAbs().maxCoeff();
      EXPECT_LT(error, 2.5 * top / std::sqrt(double(count))) << count;
      // Not vector by vector, since clusters make eigenvalues that are close to each other.
      const Matrix<double> a = exact.scores().template cast<double>(),
                           b = model.scores().template cast<double>();
      EXPECT_LT((a * a.transpose() - b * b.transpose()).norm(),
                5 / std::sqrt(double(count)) * a.squaredNorm())
          << count;
    }
  }
}

TYPED_TEST(RandomFeatureFit, ScoresAreThoseOfLinearPcaOnTheFeatures) {
  using T = TypeParam;
  const Samples<T> x = clusters<T>(700, 3, 2);
  for (const Index count : {128, 600}) {  // LAPACK and block Krylov
    const auto model =
        RandomFeaturePca<T>::fit(x, {.components = 4, .kernel = Kernel::rbf(0.3), .features = count});
    const Report& report = model.report();
    EXPECT_EQ(report.plan.route, count == 128 ? Route::dense : Route::stored);
    const Matrix<double> z = model.scores().template cast<double>();
    EXPECT_LT(z.colwise().mean().norm(), tolerance<T>(1e-12, 1e-5));
    const Matrix<double> covariance = z.transpose() * z / 700;
    const Matrix<double> expected = report.variances.asDiagonal();
    EXPECT_LT((covariance - expected).norm(), tolerance<T>(1e-10, 1e-5)) << count;
    EXPECT_EQ(model.transform(x), model.scores());
    EXPECT_LE(report.explained_variance_ratio.sum(), 1);
    EXPECT_LE(report.residuals.maxCoeff(), tolerance<T>(2e-10, 1e-5) * report.gram_eigenvalues[0]);
  }
}

TYPED_TEST(RandomFeatureFit, TheReportSaysThatNothingIsCertainAndHowGoodTheFeaturesAre) {
  using T = TypeParam;
  const auto model = RandomFeaturePca<T>::fit(clusters<T>(300, 5, 3),
                                              {.components = 2, .kernel = Kernel::rbf(0.1), .features = 400});
  const Report& report = model.report();
  ASSERT_TRUE(report.features.has_value());
  EXPECT_EQ(report.features->count, 400);
  EXPECT_GT(report.features->kernel_rms_error, 0.002);
  EXPECT_LT(report.features->kernel_rms_error, 1.0 / std::sqrt(400.0));
  EXPECT_FALSE(report.bounds.has_value());
  EXPECT_TRUE(std::isinf(report.missed.rigorous) && std::isinf(report.missed.probable));
  EXPECT_NE(report.to_string().find("uncertified: random features approximate the kernel to about 1/√D"),
            std::string::npos);
  EXPECT_EQ(report.to_string().find("certificate:"), std::string::npos);
  const std::string json = report.to_json();
  EXPECT_NE(json.find("\"approximation\": \"random features\""), std::string::npos);
  EXPECT_NE(json.find("\"certified\": false"), std::string::npos);
  EXPECT_EQ(json.find("eigenvalue_bounds"), std::string::npos);
}

TYPED_TEST(RandomFeatureFit, StreamedRowsGiveTheModelOfTheSameRowsInMemory) {
  using T = TypeParam;
  const Samples<T> x = clusters<T>(3000, 4, 4);
  for (const Scale scale : {Scale::none, Scale::standardize}) {
    const RandomFeaturePcaOptions options{.components = 3, .features = 200, .scale = scale};
    const auto whole = RandomFeaturePca<T>::fit(x, options);
    const auto rows = rows_of<T>(x, 700);
    const auto streamed = RandomFeaturePca<T>::fit(*rows, options);
    EXPECT_EQ(streamed.report().n, 3000);
    EXPECT_LT((streamed.report().gram_eigenvalues - whole.report().gram_eigenvalues).norm(),
              tolerance<T>(1e-11, 1e-5) * whole.report().gram_eigenvalues[0]);
    EXPECT_LT(double((streamed.transform(x) - whole.scores()).norm()),
              tolerance<T>(1e-9, 1e-3) * double(whole.scores().norm()));
    EXPECT_THROW((void)streamed.scores(), Error) << "they are not kept";
  }
}

TYPED_TEST(RandomFeatureFit, SparseAndDenseRowsGiveTheSameModel) {
  using T = TypeParam;
  const SparseMatrix<T> sparse = test::random_sparse<T>(150, 12, 5);
  const RandomFeaturePcaOptions options{.components = 3, .kernel = Kernel::rbf(0.05), .features = 128};
  const auto a = RandomFeaturePca<T>::fit(sparse, options);
  const auto b = RandomFeaturePca<T>::fit(Matrix<T>(sparse), options);
  EXPECT_LT(double((a.scores() - b.scores()).norm()), tolerance<T>(1e-9, 1e-3) * double(a.scores().norm()));
}

TYPED_TEST(RandomFeatureFit, ComesBackFromItsFileBitByBit) {
  using T = TypeParam;
  Matrix<T> x = clusters<T>(120, 3, 6);
  x.array() += T(50);  // far from 0, so that an origin is kept
  const Samples<T> fresh = clusters<T>(9, 3, 7);
  const std::string path =
      testing::TempDir() + "mercer_features_" + std::string(name_of(precision_of<T>)) + ".mercer";
  for (const char* kernel : {"rbf", "laplacian", "0.5*matern32 + rq"}) {
    const auto model = RandomFeaturePca<T>::fit(
        x, {.components = 3, .kernel = Kernel::parse(kernel), .features = 64, .scale = Scale::center});
    model.save(path);
    const auto loaded = load_model<T>(path);
    EXPECT_EQ(loaded->method(), "kpca");
    EXPECT_EQ(loaded->features(), 3);
    EXPECT_EQ(loaded->scores(), model.scores());
    EXPECT_EQ(loaded->transform(fresh), model.transform(fresh)) << kernel;
    EXPECT_EQ(loaded->report().to_json(), model.report().to_json());
  }
  const auto rows = rows_of<T>(Samples<T>(x), 50);
  const auto streamed = RandomFeaturePca<T>::fit(*rows, {.components = 2, .features = 64});
  streamed.save(path);
  EXPECT_EQ(load_model<T>(path)->transform(fresh), streamed.transform(fresh));
  std::remove(path.c_str());
}

TYPED_TEST(RandomFeatureFit, ThreadsDoNotChangeTheAnswer) {
  using T = TypeParam;
  const Samples<T> x = clusters<T>(900, 4, 8);
  const RandomFeaturePcaOptions options{.components = 3, .kernel = Kernel::rbf(0.2), .features = 256};
  const auto one = RandomFeaturePca<T>::fit(x, options, {.threads = 1});
  const auto four = RandomFeaturePca<T>::fit(x, options, {.threads = 4});
  EXPECT_EQ(one.scores(), four.scores());
  EXPECT_EQ(one.report().gram_eigenvalues, four.report().gram_eigenvalues);
}

TYPED_TEST(RandomFeatureFit, AwkwardDataGivesFiniteAnswers) {
  using T = TypeParam;
  for (const auto& [name, data] : test::awkward_data<T>()) {
    const auto model = RandomFeaturePca<T>::fit(data, {.components = 2, .features = 32});
    EXPECT_TRUE(model.scores().allFinite()) << name;
    EXPECT_EQ(model.scores().rows(), data.rows());
    EXPECT_TRUE(std::isfinite(model.report().features->kernel_rms_error)) << name;
  }
  const auto equal = RandomFeaturePca<T>::fit(Matrix<T>(Matrix<T>::Constant(200, 3, T(0.1))),
                                              {.kernel = Kernel::rbf(1), .features = 64});
  EXPECT_EQ(equal.components(), 0);
}

TYPED_TEST(RandomFeatureFit, AShareOfVarianceTakesAsManyComponentsAsItNeeds) {
  using T = TypeParam;
  const auto model = RandomFeaturePca<T>::fit(
      clusters<T>(300, 4, 9),
      {.components = Components::variance_share(0.8), .kernel = Kernel::rbf(0.1), .features = 200});
  const Vector<double>& ratio = model.report().explained_variance_ratio;
  EXPECT_GE(ratio.sum(), 0.8 - 1e-9);
  EXPECT_LT(ratio.head(ratio.size() - 1).sum(), 0.8);
}

TEST(RandomFeatureFitRefusals, AreSaidBeforeTheWorkBegins) {
  const Samples<double> x = clusters<double>(50, 3, 10);
  EXPECT_THROW((void)RandomFeaturePca<double>::fit(x, {.kernel = Kernel::linear()}), Error);
  EXPECT_THROW((void)RandomFeaturePca<double>::fit(x, {.features = 33}), Error);
  EXPECT_THROW((void)RandomFeaturePca<double>::fit(Samples<double>(), {}), Error);
  try {
    (void)RandomFeaturePca<double>::fit(x, {.features = 20000}, {.memory = 100'000'000});
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::no_memory);
    EXPECT_NE(std::string(e.what()).find("--features"), std::string::npos);
  }
  const Plan plan = RandomFeaturePca<double>::plan(x, {.features = 512});
  EXPECT_EQ(plan.route, Route::stored);
  EXPECT_GT(plan.bytes, 512 * 512 * 8);
  EXPECT_GT(plan.seconds, 0);
}

TEST(RandomFeatureFitCancelled, StopsInTheMiddle) {
  std::stop_source source;
  mercer::Run run{.stop = source.get_token()};
  run.progress = [&](std::string_view stage, double) {
    if (stage == "features") source.request_stop();
  };
  try {
    (void)RandomFeaturePca<double>::fit(clusters<double>(20000, 4, 11), {.features = 64}, run);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::cancelled);
  }
}

}  // namespace
}  // namespace mercer
