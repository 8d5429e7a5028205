// Kernel PCA's identities (mission rows M3 to M5), on awkward data, in float and double, on every route.
#include <mercer/kernel_pca.hpp>
#include <mercer/pca.hpp>

#include "decompositions.hpp"
#include "support.hpp"

#include <rapidcheck/gtest.h>

#include <stop_token>
#include <thread>

namespace mercer {
namespace {

using test::tolerance;

template <class T>
class KernelPcaFit : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(KernelPcaFit, Types);

/// Every kernel that takes any data, with parameters given or left to the data.
std::vector<Kernel> kernels() {
  std::vector<Kernel> out;
  for (const char* text : {"linear", "poly(degree=2)", "rbf", "rbf(gamma=0.5)", "laplacian", "cosine",
                           "matern32(length=2)", "matern52", "rq", "rbf(gamma=0.1) + 0.1*linear"})
    out.push_back(Kernel::parse(text));
  return out;
}

template <class T>
double largest_score(const Matrix<T>& scores) {
  return scores.size() ? double(scores.cwiseAbs().maxCoeff()) : 0;
}

TYPED_TEST(KernelPcaFit, TransformingTrainingPointsGivesTheirFitScores) {
  using T = TypeParam;
  for (const auto& [name, data] : test::awkward_data<T>())
    for (const Kernel& kernel : kernels())
      for (bool center : {true, false}) {
        const auto model = KernelPca<T>::fit(data, {.components = 3, .kernel = kernel, .center = center});
        const Matrix<T> scores = model.scores(), again = model.transform(data);
        ASSERT_EQ(scores.rows(), data.rows());
        ASSERT_LE(double((scores - again).norm()),
                  tolerance<T>(1e-9, 2e-2) * (1e-6 + largest_score(scores)) * std::sqrt(double(data.rows())))
            << name << ", " << kernel.to_string();
      }
}

TYPED_TEST(KernelPcaFit, ScoresHaveMeanZeroAreUncorrelatedAndHaveVarianceLambda) {
  using T = TypeParam;
  for (const auto& [name, data] : test::awkward_data<T>())
    for (const Kernel& kernel : kernels()) {
      const auto model = KernelPca<T>::fit(data, {.components = 4, .kernel = kernel});
      const Matrix<double> z = model.scores().template cast<double>();
      const double n = double(data.rows()), top = model.components() ? model.report().variances[0] : 0;
      EXPECT_LE(z.colwise().sum().norm() / n, tolerance<T>(1e-12, 1e-5) * std::sqrt(top + 1e-30)) << name;
      const Matrix<double> covariance = z.transpose() * z / n;
      const Matrix<double> expected = model.report().variances.asDiagonal();
      EXPECT_LE((covariance - expected).norm(), tolerance<T>(1e-10, 1e-4) * (top + 1e-30))
          << name << ", " << kernel.to_string();
    }
}

TYPED_TEST(KernelPcaFit, DirectionsHaveNormOneInFeatureSpace) {
  using T = TypeParam;
  const Samples<T> data = test::random_matrix<T>(60, 4, 3);
  const auto model = KernelPca<T>::fit(data, {.components = 5, .kernel = Kernel::rbf(0.2)});
  const Index n = 60;
  const Matrix<double> h = Matrix<double>::Identity(n, n) - Matrix<double>::Constant(n, n, 1.0 / double(n));
  const Matrix<double> k = h * gram(model.kernel(), data).template cast<double>() * h;
  const Block<double> alpha = model.alpha().template cast<double>();
  EXPECT_LT((alpha.transpose() * k * alpha - Block<double>::Identity(5, 5)).norm(),
            tolerance<T>(1e-10, 1e-3));
}

TYPED_TEST(KernelPcaFit, NewPointsAreCentredAsTheFormulaSays) {  // M4, term by term
  using T = TypeParam;
  const Samples<T> x = test::random_matrix<T>(50, 3, 4), fresh = test::random_matrix<T>(9, 3, 5);
  const auto model = KernelPca<T>::fit(x, {.components = 4, .kernel = Kernel::polynomial(3, 0.3, 1)});
  const Matrix<double> k = gram(model.kernel(), x).template cast<double>();
  const Matrix<double> kx = gram(model.kernel(), fresh, x).template cast<double>();
  Matrix<double> centred = kx;
  for (Index i = 0; i < 9; ++i)
    for (Index j = 0; j < 50; ++j) centred(i, j) = kx(i, j) - kx.row(i).mean() - k.col(j).mean() + k.mean();
  const Matrix<double> expected = centred * model.alpha().template cast<double>();
  EXPECT_LT((model.transform(fresh).template cast<double>() - expected).norm(),
            tolerance<T>(1e-10, 1e-2) * expected.norm());
}

TYPED_TEST(KernelPcaFit, WithALinearKernelIsPca) {
  using T = TypeParam;
  for (const auto& [name, data] : test::awkward_data<T>()) {
    const auto kernel = KernelPca<T>::fit(data, {.components = 3, .kernel = Kernel::linear()});
    const auto linear = Pca<T>::fit(data, {.components = 3});
    ASSERT_EQ(kernel.components(), linear.components()) << name;
    if (kernel.components() == 0) continue;
    const double top = linear.report().variances[0];
    EXPECT_LE((kernel.report().variances - linear.report().variances).norm(), tolerance<T>(1e-11, 1e-5) * top)
        << name;
    EXPECT_NEAR(kernel.report().trace, linear.report().trace,
                tolerance<T>(1e-11, 1e-5) * linear.report().trace)
        << name;
    // Clustered eigenvalues: compare what does not depend on the basis, the matrix of inner products.
    const Matrix<double> a = kernel.scores().template cast<double>(),
                         b = linear.scores().template cast<double>();
    if (name == "repeated eigenvalues" || name == "duplicates") {
      EXPECT_LE((a * a.transpose() - b * b.transpose()).norm(), tolerance<T>(1e-9, 1e-3) * b.squaredNorm())
          << name;
    } else {
      EXPECT_LE((test::with_signs_of(b, a) - b).norm(), tolerance<T>(1e-8, 1e-2) * b.norm()) << name;
    }
  }
}

TYPED_TEST(KernelPcaFit, EveryRouteGivesTheSameAnswer) {
  using T = TypeParam;
  const Samples<T> data = test::random_matrix<T>(500, 6, 6);
  const auto dense =
      KernelPca<T>::fit(data, {.components = 6, .kernel = Kernel::rbf(0.05), .route = Route::dense});
  for (Route route : {Route::stored, Route::tiled}) {
    const auto other =
        KernelPca<T>::fit(data, {.components = 6, .kernel = Kernel::rbf(0.05), .route = route});
    EXPECT_EQ(other.report().plan.route, route);
    const double top = dense.report().gram_eigenvalues[0];
    EXPECT_LE((other.report().gram_eigenvalues - dense.report().gram_eigenvalues).norm(),
              tolerance<T>(1e-9, 1e-6) * top);
    EXPECT_NEAR(other.report().trace, dense.report().trace, tolerance<T>(1e-11, 1e-6) * dense.report().trace);
    EXPECT_LE(
        (test::with_signs_of(dense.scores(), other.scores()) - dense.scores().template cast<double>()).norm(),
        tolerance<T>(1e-7, 1e-2) * double(dense.scores().norm()));
    EXPECT_LE(other.report().residuals.maxCoeff(), tolerance<T>(1e-10, 2e-5) * top);
    EXPECT_GE(other.report().missed.rigorous, dense.report().missed.rigorous * 0.99);
    EXPECT_GE(other.report().missed.probable, 0);
  }
}

TYPED_TEST(KernelPcaFit, ThreadsDoNotChangeTheAnswer) {
  using T = TypeParam;
  const Samples<T> data = test::random_matrix<T>(700, 5, 7);
  std::optional<KernelPca<T>> first;
  for (int threads : {1, 2, 4}) {
    const auto model = KernelPca<T>::fit(
        data, {.components = 5, .kernel = Kernel::rbf(0.1), .route = Route::stored}, {.threads = threads});
    if (!first) first.emplace(model);
    const double top = first->report().gram_eigenvalues[0];
    EXPECT_LE((model.report().gram_eigenvalues - first->report().gram_eigenvalues).cwiseAbs().maxCoeff(),
              tolerance<T>(1e-12, 1e-7) * top)
        << threads;
    const Block<double> a =
        first->alpha().template cast<double>() * first->report().gram_eigenvalues.cwiseSqrt().asDiagonal();
    const Block<double> b =
        model.alpha().template cast<double>() * model.report().gram_eigenvalues.cwiseSqrt().asDiagonal();
    EXPECT_LE(test::subspace_distance(a, b), tolerance<T>(1e-9, 1e-3)) << threads;
  }
}

TYPED_TEST(KernelPcaFit, ExplainedVarianceSumsToOneAtFullRank) {
  using T = TypeParam;
  const Samples<T> data = test::random_matrix<T>(30, 8, 8);
  const auto model = KernelPca<T>::fit(data, {.components = 30, .kernel = Kernel::rbf(0.5)});
  EXPECT_EQ(model.components(), 29) << "centring takes one dimension";
  EXPECT_NEAR(model.report().explained_variance_ratio.sum(), 1, 1e-10);
  EXPECT_EQ(model.report().components_requested, 30);
  EXPECT_FALSE(model.report().notes.empty()) << "the missing component is said";
}

TYPED_TEST(KernelPcaFit, AShareOfVarianceTakesAsManyComponentsAsItNeedsAndNoMore) {
  using T = TypeParam;
  const Samples<T> data = test::random_matrix<T>(450, 3, 9);
  for (Route route : {Route::dense, Route::stored})
    for (double share : {0.3, 0.8, 0.95}) {
      const auto model = KernelPca<T>::fit(
          data,
          {.components = Components::variance_share(share), .kernel = Kernel::rbf(0.1), .route = route});
      const Vector<double>& ratio = model.report().explained_variance_ratio;
      EXPECT_GE(ratio.sum(), share - 1e-9);
      EXPECT_LT(ratio.head(ratio.size() - 1).sum(), share);
    }
}

TYPED_TEST(KernelPcaFit, ComponentsBeyondTheRankAreReportedNotInvented) {
  using T = TypeParam;
  const Matrix<T> flat = test::random_matrix<T>(40, 2, 10) * test::random_matrix<T>(2, 7, 11);
  const auto model = KernelPca<T>::fit(flat, {.components = 6, .kernel = Kernel::linear()});
  if (sizeof(T) == sizeof(double)) {
    EXPECT_EQ(model.components(), 2);  // (rounded to float, the data has a little variance everywhere)
    EXPECT_FALSE(model.report().notes.empty());
  }
  const auto point = KernelPca<T>::fit(test::random_matrix<T>(1, 3, 12), {.components = 2});
  EXPECT_EQ(point.components(), 0);
  EXPECT_EQ(point.transform(test::random_matrix<T>(4, 3, 13)).rows(), 4);
  const auto equal =
      KernelPca<T>::fit(Matrix<T>(Matrix<T>::Ones(10, 2)), {.components = 2, .kernel = Kernel::rbf(1)});
  EXPECT_EQ(equal.components(), 0);
  EXPECT_TRUE(equal.scores().allFinite());
}

TYPED_TEST(KernelPcaFit, SparseAndDenseInputGiveTheSameModel) {
  using T = TypeParam;
  const SparseMatrix<T> sparse = test::random_sparse<T>(60, 12, 14);
  for (const Kernel& kernel : kernels()) {
    const auto a = KernelPca<T>::fit(sparse, {.components = 3, .kernel = kernel});
    const auto b = KernelPca<T>::fit(Matrix<T>(sparse), {.components = 3, .kernel = kernel});
    EXPECT_LE((a.report().variances - b.report().variances).norm(),
              tolerance<T>(1e-11, 1e-5) * b.report().variances[0])
        << kernel.to_string();
    EXPECT_LE(
        (test::with_signs_of(a.scores(), b.transform(sparse)) - a.scores().template cast<double>()).norm(),
        tolerance<T>(1e-9, 1e-2) * double(a.scores().norm()))
        << kernel.to_string();
  }
}

TYPED_TEST(KernelPcaFit, APrecomputedMatrixGivesWhatTheKernelGives) {
  using T = TypeParam;
  const Samples<T> x = test::random_matrix<T>(45, 4, 15), fresh = test::random_matrix<T>(6, 4, 16);
  const Kernel kernel = Kernel::rbf(0.3);
  const auto direct = KernelPca<T>::fit(x, {.components = 3, .kernel = kernel});
  const auto given = KernelPca<T>::fit(
      gram(kernel, x), {.components = 3, .kernel = Kernel::precomputed(), .indefinite = Indefinite::clip});
  EXPECT_LE((direct.report().variances - given.report().variances).norm(), tolerance<T>(1e-12, 1e-6));
  EXPECT_EQ(given.features(), 45);
  const Matrix<double> a = direct.transform(fresh).template cast<double>();
  EXPECT_LE((test::with_signs_of(a, given.transform(gram(kernel, fresh, x))) - a).norm(),
            tolerance<T>(1e-10, 1e-3));
}

TYPED_TEST(KernelPcaFit, ALargePrecomputedMatrixThatIsPsdIsFoundToBe) {
  using T = TypeParam;
  const Samples<T> x = test::random_matrix<T>(800, 3, 36);
  const auto given = KernelPca<T>::fit(
      gram(Kernel::rbf(0.5), x), {.components = 3, .kernel = Kernel::precomputed(), .route = Route::stored});
  const auto direct =
      KernelPca<T>::fit(x, {.components = 3, .kernel = Kernel::rbf(0.5), .route = Route::stored});
  EXPECT_LE((direct.report().variances - given.report().variances).norm(), tolerance<T>(1e-10, 1e-6));
  EXPECT_GE(given.report().min_eigenvalue.value(),
            -tolerance<T>(1e-8, 1e-4) * given.report().gram_eigenvalues[0]);
}

TYPED_TEST(KernelPcaFit, ScalingIsRememberedForNewPoints) {
  using T = TypeParam;
  Matrix<T> x = test::random_matrix<T>(40, 3, 17);
  x.col(1) = x.col(1) * T(100) + Vector<T>::Constant(40, T(7));
  const auto model =
      KernelPca<T>::fit(x, {.components = 3, .kernel = Kernel::rbf(0.2), .scale = Scale::standardize});
  EXPECT_LE(double((model.transform(x) - model.scores()).norm()), tolerance<T>(1e-9, 1e-2));
  EXPECT_LE(double((*model.training_points() - x).norm()), tolerance<T>(1e-10, 1e-3) * double(x.norm()));
}

TYPED_TEST(KernelPcaFit, ANegativeSpectrumIsAnErrorOrIsClippedNeverNan) {
  using T = TypeParam;
  for (Index n : {30, 600}) {  // LAPACK and block Krylov
    const Samples<T> x = test::random_matrix<T>(n, 4, 18);
    KernelPcaOptions options{.components = 5, .kernel = Kernel::parse("sigmoid(gamma=2, coef0=-1)")};
    try {
      (void)KernelPca<T>::fit(x, options);
      FAIL() << "no error";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::not_psd);
      EXPECT_NE(std::string(e.what()).find("--indefinite clip"), std::string::npos);
    }
    options.indefinite = Indefinite::clip;
    const auto model = KernelPca<T>::fit(x, options);
    EXPECT_LT(model.report().min_eigenvalue.value(), 0);
    EXPECT_GT(model.report().negative_share.value(), 0);
    EXPECT_GT(model.report().gram_eigenvalues.minCoeff(), 0);
    EXPECT_TRUE(model.scores().allFinite());
    EXPECT_FALSE(model.report().notes.empty());
  }
}

TYPED_TEST(KernelPcaFit, NegativeEigenvaluesThatNobodyAskedForCanBeLeftAlone) {
  using T = TypeParam;
  for (Index n : {30, 600}) {  // LAPACK and block Krylov
    const Samples<T> x = test::random_matrix<T>(n, 4, 18);
    KernelPcaOptions options{.components = 5,
                             .kernel = Kernel::parse("sigmoid(gamma=2, coef0=-1)"),
                             .indefinite = Indefinite::asked};
    const auto model = KernelPca<T>::fit(x, options);
    EXPECT_EQ(model.components(), 5);
    EXPECT_LT(model.report().min_eigenvalue.value(), 0);
    options.components = n - 1;
    options.route = Route::dense;
    try {
      (void)KernelPca<T>::fit(x, options);
      FAIL() << "no error";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::not_psd);
    }
  }
}

TYPED_TEST(KernelPcaFit, AnEigenvalueThatRoundingMadeNegativeIsNoErrorWhereOnlyThoseAskedForMatter) {
  using T = TypeParam;
  Matrix<T> k = Matrix<T>::Zero(4, 4);
  k.diagonal() << T(1), T(0.5), T(0.25), std::is_same_v<T, float> ? T(-1e-3) : T(-1e-6);
  const KernelPcaOptions options{
      .components = 4, .kernel = Kernel::precomputed(), .center = false, .indefinite = Indefinite::asked};
  EXPECT_EQ(KernelPca<T>::fit(k, options).components(), 3);
  k(3, 3) = T(-0.1);
  EXPECT_THROW((void)KernelPca<T>::fit(k, options), Error);
}

TYPED_TEST(KernelPcaFit, TheNegativeShareIsAShareAlsoWhenHardlyAnythingIsPositive) {
  using T = TypeParam;
  for (Index n : {1, 40, 600}) {
    const auto model = KernelPca<T>::fit(test::random_matrix<T>(n, 3, 30),
                                         {.components = 2,
                                          .kernel = Kernel::linear() + -9.0 * Kernel::rbf(0.5),
                                          .indefinite = Indefinite::clip});
    EXPECT_GE(model.report().negative_share.value(), 0);
    EXPECT_LE(model.report().negative_share.value(), 1);
  }
}

TYPED_TEST(KernelPcaFit, SharesOfAClippedSpectrumAreOfItsPositivePart) {
  using T = TypeParam;
  for (const Index n : {40, 600}) {  // all eigenvalues are known, and some of them
    const Samples<T> x = test::random_matrix<T>(n, 3, 31);
    KernelPcaOptions options{
        .components = 4, .kernel = Kernel::sigmoid(2, -1), .indefinite = Indefinite::clip};
    Matrix<double> k = gram(options.kernel, x.template cast<double>());
    k = (k.rowwise() - k.colwise().mean()).eval();
    k = (k.colwise() - k.rowwise().mean()).eval();
    const Vector<double> all = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(k).eigenvalues();
    const double positive = all.cwiseMax(0.0).sum();
    ASSERT_LT(all.sum(), 0.9 * positive);
    const auto model = KernelPca<T>::fit(x, options);
    const Vector<double> shares = model.report().explained_variance_ratio;
    for (Index i = 0; i < 4; ++i) EXPECT_GE(shares[i], all[n - 1 - i] / positive * (1 - 1e-6));
    EXPECT_LE(shares.sum(), 1 + 1e-12);
    if (n == 40) {
      EXPECT_LE((shares - all.tail(4).reverse() / positive).norm(), 1e-6);
    }
    EXPECT_NE(model.report().notes.at(0).find("shares are of its eigenvalues' sum"), std::string::npos);
    options.route = Route::dense;
    options.components = Components::variance_share(0.9);
    const auto most = KernelPca<T>::fit(x, options);
    EXPECT_GE(all.tail(most.components()).sum(), 0.9 * positive * (1 - 1e-6));
    EXPECT_LT(all.tail(most.components() - 1).sum(), 0.9 * positive);
    EXPECT_LE(most.report().explained_variance_ratio.sum(), 1 + 1e-12);
    options.route = Route::stored;
    if (n == 600) {
      EXPECT_THROW((void)KernelPca<T>::fit(x, options), Error) << "a share of what?";
    }
  }
}

TYPED_TEST(KernelPcaFit, EqualPointsHaveNoComponentsOnAnyRoute) {
  using T = TypeParam;
  for (Route route : {Route::dense, Route::stored, Route::tiled}) {
    const auto model = KernelPca<T>::fit(Matrix<T>(Matrix<T>::Constant(700, 3, T(0.1))),
                                         {.components = 3, .kernel = Kernel::rbf(1), .route = route});
    EXPECT_EQ(model.components(), 0) << name_of(route);
  }
}

TYPED_TEST(KernelPcaFit, ResidualsAreThoseOfTheVectorsTheModelKeeps) {
  using T = TypeParam;
  const Index n = 450;
  const Samples<T> x = test::random_matrix<T>(n, 3, 33);
  for (Route route : {Route::dense, Route::stored}) {
    const auto model = KernelPca<T>::fit(x, {.components = 3, .kernel = Kernel::rbf(0.1), .route = route});
    const Matrix<double> h = Matrix<double>::Identity(n, n) - Matrix<double>::Constant(n, n, 1.0 / double(n));
    const Matrix<double> k = h * gram(model.kernel(), x.template cast<double>()) * h;
    for (Index i = 0; i < 3; ++i) {
      const Vector<double> v = model.alpha().col(i).template cast<double>().normalized();
      const double residual = (k * v - model.report().gram_eigenvalues[i] * v).norm();
      EXPECT_LE(residual, 3 * model.report().residuals[i] + 1e-12 * model.report().gram_eigenvalues[0])
          << name_of(route);
    }
  }
}

TEST(KernelPcaErrors, ScalingThatMakesNoSenseIsRefused) {
  const Matrix<double> x = test::random_matrix<double>(20, 3, 34).cwiseAbs();
  EXPECT_THROW((void)KernelPca<double>::fit(x, {.kernel = Kernel::chi2(1), .scale = Scale::standardize}),
               Error)
      << "χ² of negative numbers";
  EXPECT_THROW((void)KernelPca<double>::fit(gram(Kernel::rbf(1), Samples<double>(x)),
                                            {.kernel = Kernel::precomputed(), .scale = Scale::center}),
               Error);
}

TEST(KernelPcaErrors, ALopsidedUserFunctionIsFoundOutOnEveryRoute) {
  const Kernel lopsided = Kernel::from_pairs(
      "lopsided", [](std::span<const double> a, std::span<const double> b) { return a[0] - b[1]; });
  for (Route route : {Route::dense, Route::stored})
    EXPECT_THROW((void)KernelPca<double>::fit(test::random_matrix<double>(500, 2, 35),
                                              {.kernel = lopsided, .route = route}),
                 Error);
  EXPECT_THROW((void)Kernel::from_pairs("a,b", nullptr), Error) << "a name that would not be read back";
}

TYPED_TEST(KernelPcaFit, AConditionallyPositiveKernelIsSoundOnceCentred) {
  using T = TypeParam;
  const Matrix<T> x = test::random_matrix<T>(40, 5, 19).cwiseAbs();
  const auto model = KernelPca<T>::fit(x, {.components = 3, .kernel = Kernel::additive_chi2()});
  EXPECT_EQ(model.components(), 3);
  EXPECT_THROW(
      (void)KernelPca<T>::fit(x, {.components = 3, .kernel = Kernel::additive_chi2(), .center = false}),
      Error);
}

TEST(KernelPcaErrors, AreFoundBeforeTheWorkStarts) {
  const Matrix<double> x = test::random_matrix<double>(20, 3, 20);
  EXPECT_THROW((void)KernelPca<double>::fit(x, {.components = 0}), Error);
  EXPECT_THROW((void)KernelPca<double>::fit(Matrix<double>(0, 3), {}), Error);
  EXPECT_THROW((void)KernelPca<double>::fit(Matrix<double>(3, 0), {}), Error);
  Matrix<double> bad = x;
  bad(4, 1) = std::numeric_limits<double>::quiet_NaN();
  try {
    (void)KernelPca<double>::fit(bad, {});
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("row 4, column 1"), std::string::npos) << e.what();
  }
  const auto model = KernelPca<double>::fit(x, {});
  EXPECT_THROW((void)model.transform(test::random_matrix<double>(5, 4, 1)), Error)
      << "wrong number of columns";
  EXPECT_THROW((void)model.inverse(Matrix<double>::Zero(2, 3)), Error) << "wrong number of scores";
}

TEST(KernelPcaErrors, ABudgetThatIsTooSmallSaysWhatWouldDo) {
  const Matrix<double> x = test::random_matrix<double>(2000, 3, 21);
  try {
    (void)KernelPca<double>::fit(x, {}, {.memory = 1000000});
    FAIL() << "fitted in 1 MB";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::no_memory);
    EXPECT_NE(e.hint().find("raise --memory to at least"), std::string::npos);
  }
}

TEST(KernelPcaCancel, StopsInsideEveryRouteAndReportsProgressFromTheCallersThread) {
  const Matrix<double> x = test::random_matrix<double>(900, 3, 22);
  for (Route route : {Route::dense, Route::stored, Route::tiled}) {
    std::stop_source source;
    int calls = 0;
    const auto caller = std::this_thread::get_id();
    mercer::Run run{.stop = source.get_token()};
    run.progress = [&](std::string_view, double fraction) {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      EXPECT_TRUE(fraction >= 0 && fraction <= 1) << fraction;
      if (++calls == 1) source.request_stop();
    };
    try {
      (void)KernelPca<double>::fit(x, {.components = 20, .kernel = Kernel::rbf(1), .route = route}, run);
      FAIL() << "went on: " << name_of(route);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::cancelled);
    }
    EXPECT_GT(calls, 0);
  }
}

RC_GTEST_PROP(KernelPcaProperty, LargerDataAndNewPointsKeepTheIdentities, ()) {
  const Index n = *rc::gen::inRange(2, 60), d = *rc::gen::inRange(1, 12), k = *rc::gen::inRange(1, 8);
  const auto seed = static_cast<std::uint64_t>(*rc::gen::inRange(0, 100000));
  const double gamma = *rc::gen::element(1e-3, 0.1, 1.0, 30.0);
  const Samples<double> x = test::random_matrix<double>(n, d, seed);
  const auto model = KernelPca<double>::fit(x, {.components = k, .kernel = Kernel::rbf(gamma)});
  RC_ASSERT(model.components() <= std::min(n - 1, k));
  RC_ASSERT((model.transform(x) - model.scores()).norm() < 1e-7 * (1 + model.scores().norm()));
  RC_ASSERT(model.report().explained_variance_ratio.sum() <= 1 + 1e-10);
  for (Index i = 1; i < model.components(); ++i)
    RC_ASSERT(model.report().variances[i] <= model.report().variances[i - 1] * (1 + 1e-12));
}

}  // namespace
}  // namespace mercer
