// Kernels whose wanted eigenvalues lie at or below the noise of products in float.
#include <mercer/kernel_pca.hpp>

#include "support.hpp"

namespace mercer {
namespace {

TEST(RoughNoise, ComponentsBeyondTheRankDoNotKeepTheFitFromConverging) {
  const Samples<double> x = test::random_matrix<double>(1500, 3, 3);
  for (const Route route : {Route::stored, Route::tiled})
    for (const Index k : {3, 4, 10}) {
      const auto model =
          KernelPca<double>::fit(x, {.components = k, .kernel = Kernel::linear(), .route = route});
      EXPECT_EQ(model.components(), 3);
      EXPECT_LT(model.report().residuals.maxCoeff(), 1e-10 * model.report().gram_eigenvalues[0]);
    }
}

TEST(RoughNoise, FastDecayingSpectraAreFoundToTheEnd) {
  const Samples<double> x = test::random_matrix<double>(800, 2, 3);
  const auto dense =
      KernelPca<double>::fit(x, {.components = 40, .kernel = Kernel::rbf(0.05), .route = Route::dense});
  const auto stored =
      KernelPca<double>::fit(x, {.components = 40, .kernel = Kernel::rbf(0.05), .route = Route::stored});
  const Index common = std::min(dense.components(), stored.components());
  ASSERT_GE(common, 20);
  const double largest = dense.report().gram_eigenvalues[0];
  EXPECT_LT((dense.report().gram_eigenvalues.head(common) - stored.report().gram_eigenvalues.head(common))
                .cwiseAbs()
                .maxCoeff(),
            1e-10 * largest);
}

TEST(RoughNoise, DoesNotMakeAPositiveKernelLookIndefinite) {
  const Samples<double> x = test::random_matrix<double>(1500, 3, 3);
  for (const char* formula : {"dot", "exp(-0.05*sqdist)"})
    EXPECT_NO_THROW((void)KernelPca<double>::fit(
        x, {.components = 3, .kernel = Kernel::expression(formula), .route = Route::stored}))
        << formula;
}

TEST(RoughNoise, ValuesOutsideFloatsRangeAreFineOnEveryRoute) {
  const Samples<double> x = test::random_matrix<double>(700, 3, 3);
  for (const char* kernel : {"poly(degree=3, gamma=1e14)", "1e-42*rbf(gamma=1)"})
    for (const Route route : {Route::stored, Route::tiled})
      EXPECT_NO_THROW(
          (void)KernelPca<double>::fit(x, {.components = 3, .kernel = Kernel::parse(kernel), .route = route}))
          << kernel;
}

}  // namespace
}  // namespace mercer
