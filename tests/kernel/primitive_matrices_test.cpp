// A sweep's kernel matrices are the kernel matrices, from distances computed once.
#include "kernel/primitive_matrices.hpp"

#include "support.hpp"

namespace mercer {
namespace {

TEST(PrimitiveMatrices, GiveWhatGramGives) {
  const Samples<double> x = test::random_matrix<double>(90, 4, 1).cwiseAbs().eval();
  const mercer::Run run;
  PrimitiveMatrices matrices(x, run);
  for (const char* text :
       {"linear", "rbf(gamma=0.4)", "rbf(gamma=7)", "laplacian(gamma=0.3)", "chi2", "cosine",
        "poly(degree=3) + 0.5*rbf(gamma=1)*linear", "matern52(length=2)", "expr('exp(-sqdist)')"}) {
    const Kernel kernel = Kernel::parse(text);
    EXPECT_LT((matrices.kernel(kernel) - gram(kernel, x)).norm(), 1e-11 * gram(kernel, x).norm()) << text;
  }
}

TEST(PrimitiveMatrices, ComputeEachPrimitiveOnce) {
  const mercer::Run run;
  PrimitiveMatrices matrices(Samples<double>(test::random_matrix<double>(30, 4, 1)), run);
  for (double gamma : {0.1, 1.0, 10.0}) (void)matrices.kernel(Kernel::rbf(gamma));
  EXPECT_EQ(matrices.computed(), 1);
  (void)matrices.kernel(Kernel::matern32(2) + Kernel::linear());
  EXPECT_EQ(matrices.computed(), 2);
}

}  // namespace
}  // namespace mercer
