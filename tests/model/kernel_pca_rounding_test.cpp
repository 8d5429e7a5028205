// Rounding within K is part of what kernel PCA says of its answer, on every route.
#include <mercer/kernel_pca.hpp>

#include "base/random.hpp"
#include "support.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

namespace mercer {
namespace {

/// Eigenvalues of HKH with K summed in long double, descending.
Vector<double> careful_eigenvalues(const Matrix<double>& x, int degree) {
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  Wide rows = x.cast<long double>();
  if (degree == 1) rows.rowwise() -= rows.colwise().mean().eval();
  Wide k = rows * rows.transpose();
  if (degree > 1) k = (k.array() + 1.0L).pow(degree).matrix();
  const Eigen::Matrix<long double, Eigen::Dynamic, 1> means = k.rowwise().mean();
  k.colwise() -= means;
  k.rowwise() -= means.transpose();
  k.array() += means.mean();
  return Eigen::SelfAdjointEigenSolver<Wide>(k, Eigen::EigenvaluesOnly)
      .eigenvalues()
      .reverse()
      .cast<double>();
}

TEST(KernelPcaRounding, IsPartOfEveryRoutesResidualsFarFromTheOrigin) {
  Matrix<double> x = test::random_matrix<double>(60, 3, 31);
  x.array() += 1e5;
  const Vector<double> exact = careful_eigenvalues(x, 2);
  for (const Route route : {Route::dense, Route::stored, Route::tiled, Route::lowrank}) {
    KernelPcaOptions options;
    options.components = 2;
    options.kernel = Kernel::parse("poly(degree=2)");
    options.route = route;
    const auto model = KernelPca<double>::fit(Samples<double>(x), options);
    const Report& r = model.report();
    for (Index i = 0; i < r.components; ++i)
      EXPECT_LE((exact.array() - r.gram_eigenvalues[i]).abs().minCoeff(), r.residuals[i]) << int(route);
    EXPECT_GE(r.missed.rigorous, exact[r.components]) << int(route);
  }
}

TEST(KernelPcaRounding, PointsInFloatMoveToTheOriginWithoutLosingADigit) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Matrix<float> x = (10 * test::random_matrix<float>(7, 3, seed)).array().round().matrix();
    x.array() += 1000;
    if (seed % 2 == 1) x.col(1) = 20 * test::random_matrix<float>(7, 1, seed + 100);  // as wide as it is far
    const Vector<double> exact = careful_eigenvalues(x.cast<double>(), 1);
    for (const Route route : {Route::dense, Route::stored, Route::tiled}) {
      const auto model = KernelPca<float>::fit(Samples<float>(x),
                                               {.components = 3, .kernel = Kernel::linear(), .route = route});
      const Report& r = model.report();
      const double slack = 1e-14 * exact[0];
      for (Index i = 0; i < r.components; ++i)
        EXPECT_LE(std::abs(exact[i] - r.gram_eigenvalues[i]), r.residuals[i] + slack) << seed;
      EXPECT_LE(std::abs(r.trace - exact.sum()), 1e-11 * exact.sum()) << seed;
    }
  }
}

TEST(KernelPcaRounding, OfAFarPointOutsideTheLandmarksIsInTheBounds) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed, 9);
    const Index n = 6 + static_cast<Index>(random.below(30)), d = 2 + static_cast<Index>(seed % 3);
    Matrix<double> x = test::random_matrix<double>(n, d, seed);
    x.row(0) *= std::pow(10.0, 3 + double(seed % 6));
    KernelPcaOptions options{.components = n, .kernel = Kernel::linear(), .route = Route::lowrank};
    if (seed % 2 == 1) options.kernel = Kernel::parse("cosine() + linear()");
    options.lowrank.landmarks = Landmarks::given;
    for (Index i = 1; i < n; i += 1 + static_cast<Index>(random.below(2))) options.lowrank.given.push_back(i);
    EXPECT_NO_THROW((void)KernelPca<double>::fit(Samples<double>(x), options)) << seed;
  }
}

TEST(KernelPcaRounding, OfTheLinearKernelIsAvoidedByCentringTheInputs) {
  Matrix<double> x = test::random_matrix<double>(60, 3, 32);
  x.col(0).array() += 1e7;
  const Vector<double> exact = careful_eigenvalues(x, 1);
  for (const char* kernel : {"linear", "2*linear() + 1e-9*rbf(gamma=1)"})
    for (const Route route : {Route::dense, Route::stored, Route::tiled, Route::lowrank}) {
      KernelPcaOptions options;
      options.components = 3;
      options.kernel = Kernel::parse(kernel);
      options.route = route;
      const auto model = KernelPca<double>::fit(Samples<double>(x), options);
      const double factor = kernel[0] == '2' ? 2 : 1;
      ASSERT_EQ(model.components(), 3) << kernel << int(route);
      EXPECT_LE((model.report().gram_eigenvalues - factor * exact.head(3)).norm(), 1e-6 * exact[0]) << kernel;
      EXPECT_LE(model.report().residuals.maxCoeff(), 1e-7 * exact[0]) << kernel << int(route);
      EXPECT_NEAR(model.report().trace, factor * exact.sum(), 1e-6 * exact[0]) << kernel;
      EXPECT_LE((model.transform(Samples<double>(x)) - model.scores()).norm(), 1e-6 * model.scores().norm());
    }
}

TEST(KernelPcaRounding, AKernelThatIsAlmostConstantIsStillFittedAndBoundedFromAbove) {
  // γ → 0: K → 11ᵀ, the eigenvalues of K̃ scale with powers of γ, down to where rounding of K hides them.
  const Samples<double> x = test::random_matrix<double>(1000, 2, 32);
  const double base = 1e-3;
  const auto reference =
      KernelPca<double>::fit(x, {.components = 8, .kernel = Kernel::rbf(base), .route = Route::dense});
  for (double gamma : {1e-5, 1e-6, 1e-7})
    for (Route route : {Route::stored, Route::tiled}) {
      const auto model =
          KernelPca<double>::fit(x, {.components = 5, .kernel = Kernel::rbf(gamma), .route = route});
      EXPECT_GE(model.components(), 2) << gamma;
      const double ratio = gamma / base;
      const double truth = reference.report().gram_eigenvalues[5] * std::pow(ratio, 3);  // a cubic monomial's
      EXPECT_GE(model.report().missed.rigorous, 0.9 * truth) << gamma;
      EXPECT_GE(model.report().missed.probable, 0.9 * truth) << gamma;
    }
}

}  // namespace
}  // namespace mercer
