// Values near the ends of the numbers' range: fitted, or refused with a reason.
#include <mercer/kernel_pca.hpp>

#include "expect_error.hpp"
#include "support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace mercer {
namespace {

TEST(KernelPcaRange, DistancesAndLengthsThatUnderflowAreNotTakenForZero) {
  const Matrix<double> x = 1e-300 * test::random_matrix<double>(30, 3, 72);
  for (const char* kernel :
       {"rbf(gamma=median)", "laplacian(gamma=median)", "cosine", "linear", "2*linear"}) {
    const Kernel k = Kernel::parse(kernel);
    if (std::string(kernel).starts_with("laplacian")) {  // |x − y| does not underflow
      EXPECT_EQ(KernelPca<double>::fit(x, {.kernel = k}).components(), 2);
      continue;
    }
    try {
      (void)KernelPca<double>::fit(x, {.kernel = k});
      ADD_FAILURE() << "no error: " << kernel;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::bad_data) << kernel;
      EXPECT_NE(std::string(e.what()).find("underflow"), std::string::npos) << e.what();
    }
    const auto equal =
        KernelPca<double>::fit(Matrix<double>(Matrix<double>::Constant(30, 3, 0.5)), {.kernel = k});
    EXPECT_LE(equal.components(), 1) << kernel;
  }
}

TEST(KernelPcaRange, DistancesThatOverflowAreRefusedNotTakenForZero) {
  const Matrix<double> x = 1e160 * test::random_matrix<double>(30, 3, 73);
  for (const char* kernel :
       {"rbf(gamma=1)", "matern32", "rq", "expr('-sqdist')", "0.5*rbf(gamma=1e-300) + laplacian"})
    for (const Route route : {Route::dense, Route::stored, Route::tiled, Route::lowrank}) {
      KernelPcaOptions options{.components = 1, .kernel = Kernel::parse(kernel), .route = route};
      if (route == Route::lowrank && options.kernel.definiteness() != Definiteness::psd) continue;
      options.lowrank.rank = route == Route::lowrank ? 5 : 0;
      try {
        (void)KernelPca<double>::fit(x, options);
        ADD_FAILURE() << "no error: " << kernel;
      } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::bad_data) << kernel << e.what();
        EXPECT_NE(std::string(e.what()).find("overflow"), std::string::npos) << e.what();
      }
    }
}

TEST(KernelPcaRange, KernelsWhoseSquaresOverflowAreRefusedOnEveryRoute) {
  Matrix<double> x(3, 1);
  x << 1e52, 2e52, -1e52;
  for (const Route route : {Route::dense, Route::stored, Route::tiled, Route::lowrank}) {
    KernelPcaOptions options;
    options.kernel = Kernel::polynomial(2, 1, 1);
    options.center = false;
    options.route = route;
    try {
      (void)KernelPca<double>::fit(Samples<double>(x), options);
      ADD_FAILURE() << "no error on route " << name_of(route);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::bad_data) << e.what();
    }
  }
}

TEST(KernelPcaRange, KernelsBeyondSinglePrecisionAreRefusedInIt) {
  Matrix<double> x(3, 1);
  x << 2e6, 1e6, 2;  // (xy)⁴ is 1.6e50
  const Kernel kernel = Kernel::parse("poly(degree=4)");
  for (const Route route : {Route::dense, Route::stored, Route::tiled, Route::lowrank}) {
    try {
      (void)KernelPca<float>::fit(Matrix<float>(x.cast<float>()), {.kernel = kernel, .route = route});
      ADD_FAILURE() << "no error on route " << name_of(route);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::bad_data) << e.what();
    }
    EXPECT_TRUE(KernelPca<double>::fit(x, {.kernel = kernel, .route = route}).transform(x).allFinite());
  }
}

TEST(KernelPcaRange, KernelsTooSmallForTheirPrecisionAreRefused) {
  const Matrix<double> x = test::random_matrix<double>(12, 2, 75);
  const auto fit = [&]<class T>(const char* kernel, Route route) {
    return KernelPca<T>::fit(Matrix<T>(x.cast<T>()), {.kernel = Kernel::parse(kernel), .route = route});
  };
  for (const Route route : {Route::dense, Route::stored, Route::tiled, Route::lowrank}) {
    for (const char* kernel : {"1e-33*linear()", "1e-33*rbf(gamma=1)"}) {
      test::expect_contains(
          test::error_of([&] { (void)fit.template operator()<float>(kernel, route); }).what(),
          "too little for single precision");
      EXPECT_GT((fit.template operator()<double>(kernel, route).report().gram_eigenvalues[0]), 0);
    }
    for (const char* kernel : {"1e-150*linear()", "1e-300*rbf(gamma=1)"})
      test::expect_contains(
          test::error_of([&] { (void)fit.template operator()<double>(kernel, route); }).what(),
          "squares of such numbers underflow (multiply the kernel by a large number)");
  }
}

TEST(KernelPcaRange, DistancesLinearInTheDataReachTheEndsOfTheRange) {
  const Matrix<double> x = test::random_matrix<double>(12, 2, 76).cwiseAbs();
  for (const Route route : {Route::dense, Route::stored, Route::tiled})
    for (const double size : {1e-299, 1e299})
      for (const char* name : {"chi2", "laplacian"}) {
        const KernelPcaOptions near{.kernel = Kernel::parse(fmt::format("{}(gamma=1)", name)),
                                    .route = route};
        const auto here = KernelPca<double>::fit(x, near);
        for (const bool sparse : {false, true}) {
          KernelPcaOptions far = near;
          far.kernel = Kernel::parse(fmt::format("{}(gamma={})", name, 1 / size));
          const Matrix<double> moved = size * x;
          const auto there = KernelPca<double>::fit(
              sparse ? Samples<double>(SparseMatrix<double>(moved.sparseView())) : moved, far);
          ASSERT_EQ(there.components(), here.components()) << name << " " << name_of(route) << " " << size;
          EXPECT_LT((there.report().gram_eigenvalues - here.report().gram_eigenvalues).norm(), 1e-12);
        }
      }
}

TEST(KernelPcaRange, KernelsThatAreZeroOnTheDiagonalAreAsLargeAsTheirLargestValue) {
  Matrix<double> x(40, 1);  // only the first and the last are near each other
  for (Index i = 0; i < 40; ++i) x(i, 0) = double(i);
  x(39, 0) = 1e-3;
  const Kernel kernel = Kernel::parse("additive_chi2()*matern32(length=0.004)");
  KernelPcaOptions options{.components = 2, .kernel = kernel, .indefinite = Indefinite::clip};
  options.route = Route::dense;
  const auto exact = KernelPca<double>::fit(x, options);
  ASSERT_GT(exact.components(), 0);
  for (const Route route : {Route::stored, Route::tiled}) {
    options.route = route;
    const auto model = KernelPca<double>::fit(x, options);
    EXPECT_NEAR(model.report().gram_eigenvalues[0] / exact.report().gram_eigenvalues[0], 1, 1e-9);
    EXPECT_NO_THROW((void)KernelPca<float>::fit(Matrix<float>(x.cast<float>()), options));
  }
}

TEST(KernelPcaRange, DistancesTooLargeToSquareAreRefusedThoughTheDiagonalIsZero) {
  const Matrix<double> x = 1e299 * test::random_matrix<double>(12, 2, 77).cwiseAbs();
  for (const Route route : {Route::dense, Route::stored, Route::tiled})
    EXPECT_EQ(test::error_of([&] {
                (void)KernelPca<double>::fit(x, {.kernel = Kernel::additive_chi2(), .route = route});
              }).code(),
              ErrorCode::bad_data)
        << name_of(route);
}

TEST(KernelPcaRange, KernelsThatUnderflowToZeroAreNotCalledConstant) {
  const Matrix<double> x = 1e-150 * test::random_matrix<double>(12, 2, 78);
  const Kernel cube = Kernel::parse("poly(degree=3, gamma=1, coef0=0)");
  for (const Route route : {Route::dense, Route::stored, Route::tiled, Route::lowrank})
    test::expect_contains(
        test::error_of([&] { (void)KernelPca<double>::fit(x, {.kernel = cube, .route = route}); }).what(),
        "underflow");
  const Matrix<float> y = test::random_matrix<float>(12, 2, 79);
  const auto in_passes = rows_of<float>(y, 5);
  const Kernel small = Kernel::parse("1e-150*rbf(gamma=1)");
  test::expect_contains(test::error_of([&] {
                          (void)KernelPca<float>::fit(y, {.kernel = small, .route = Route::lowrank});
                        }).what(),
                        "underflow");
  test::expect_contains(test::error_of([&] {
                          (void)KernelPca<float>::fit(*in_passes, {.kernel = small, .lowrank = {.rank = 3}});
                        }).what(),
                        "underflow");
  EXPECT_EQ(KernelPca<double>::fit(Matrix<double>(Matrix<double>::Zero(5, 2)), {.kernel = cube}).components(),
            0);
}

TEST(KernelPcaRange, NewPointsWhoseScoresOverflowAreRefusedByRow) {
  const auto model = KernelPca<float>::fit(test::random_matrix<float>(20, 2, 74),
                                           {.kernel = Kernel::parse("poly(degree=4)")});
  Matrix<float> far = Matrix<float>::Ones(3, 2);
  far(1, 0) = 1e12F;
  try {
    (void)model.transform(far);
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::bad_data);
    EXPECT_NE(std::string(e.what()).find("row 1"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace mercer
