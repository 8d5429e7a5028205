// The lecture notes' own examples (mission rows M1, M5, M6, M8, M17), checked against explicit algebra.
#include <mercer/generate.hpp>
#include <mercer/kernel_pca.hpp>
#include <mercer/pca.hpp>

#include "operator/dense_operator.hpp"
#include "support.hpp"

namespace mercer {
namespace {

using test::tolerance;

/// Seed 004: φ(a, b) = (a², b², 1, √2ab, √2a, √2b), so that φ(x)·φ(y) = (x·y + 1)².
Matrix<double> seed_feature_map(const Matrix<double>& x) {
  const double root = std::sqrt(2.0);
  Matrix<double> phi(x.rows(), 6);
  for (Index i = 0; i < x.rows(); ++i) {
    const double a = x(i, 0), b = x(i, 1);
    phi.row(i) << a * a, b * b, 1, root * a * b, root * a, root * b;
  }
  return phi;
}

/// All monomials up to degree p with the weights √(p!/(i₀!…i_d!)) of (x·y + 1)^p, by repeated products.
Matrix<double> all_ordered_products(const Matrix<double>& x, int degree) {
  Matrix<double> phi = Matrix<double>::Ones(x.rows(), 1);
  for (int step = 0; step < degree; ++step) {  // (x·y + 1)^p = p-fold tensor power of (x, 1)
    Matrix<double> next(x.rows(), phi.cols() * (x.cols() + 1));
    for (Index i = 0; i < x.rows(); ++i)
      for (Index c = 0; c < phi.cols(); ++c) {
        for (Index j = 0; j < x.cols(); ++j) next(i, c * (x.cols() + 1) + j) = phi(i, c) * x(i, j);
        next(i, c * (x.cols() + 1) + x.cols()) = phi(i, c);
      }
    phi = next;
  }
  return phi;
}

/// Points on a circle with centre (1, 2) and radius 1.5.
template <class T>
Matrix<T> circle_points(Index n) {
  return generate("circle", n, 3).samples.to_dense().cast<T>();
}

template <class T>
class Seeds : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Seeds, Types);

TYPED_TEST(Seeds, ThePolynomialKernelIsPcaOnTheExplicitFeatureMap) {
  using T = TypeParam;
  const Matrix<double> x = test::random_matrix<double>(50, 2, 1);
  const auto kernel =
      KernelPca<T>::fit(Matrix<T>(x.cast<T>()), {.components = 5, .kernel = Kernel::polynomial(2)});
  const auto explicit_map =
      Pca<double>::fit(seed_feature_map(x.cast<T>().template cast<double>()), {.components = 5});
  EXPECT_LE((kernel.report().variances - explicit_map.report().variances).norm(),
            tolerance<T>(1e-10, 1e-5) * explicit_map.report().variances[0]);
  EXPECT_LE((test::with_signs_of(explicit_map.scores(), kernel.scores()) - explicit_map.scores()).norm(),
            tolerance<T>(1e-8, 1e-3) * explicit_map.scores().norm());
}

TYPED_TEST(Seeds, TheExerciseOfDegreesThreeAndFourHoldsToo) {
  using T = TypeParam;
  for (int degree : {3, 4}) {
    const Matrix<double> x = 0.5 * test::random_matrix<double>(40, 3, 2);
    const auto kernel =
        KernelPca<T>::fit(Matrix<T>(x.cast<T>()), {.components = 6, .kernel = Kernel::polynomial(degree)});
    const auto explicit_map = Pca<double>::fit(
        all_ordered_products(x.cast<T>().template cast<double>(), degree), {.components = 6});
    EXPECT_LE((kernel.report().variances - explicit_map.report().variances).norm(),
              tolerance<T>(1e-10, 1e-5) * explicit_map.report().variances[0]);
  }
}

TYPED_TEST(Seeds, CirclePointsHaveFourNonzeroEigenvaluesWhereGenericPointsHaveFive) {
  using T = TypeParam;
  const auto circle =
      KernelPca<double>::fit(circle_points<double>(60), {.components = 10, .kernel = Kernel::polynomial(2)});
  EXPECT_EQ(circle.components(), 4);
  const auto generic = KernelPca<T>::fit(test::random_matrix<T>(60, 2, 4),
                                         {.components = 10, .kernel = Kernel::polynomial(2)});
  EXPECT_EQ(generic.components(), 5);
  // Rounded to float the points lie on the circle to 1e-7 only, and the fifth eigenvalue is that small.
  const auto rounded =
      KernelPca<T>::fit(circle_points<T>(60), {.components = 10, .kernel = Kernel::polynomial(2)});
  if (rounded.components() > 4) {
    EXPECT_LT(rounded.report().variances[4], 1e-12 * rounded.report().variances[0]);
  }
}

TYPED_TEST(Seeds, LinearPcaSeesTwoDirectionsOfEqualWeightInACircle) {
  using T = TypeParam;
  Matrix<T> x(36, 2);
  for (Index i = 0; i < 36; ++i)
    x(i, 0) = T(std::cos(double(i) * M_PI / 18)), x(i, 1) = T(std::sin(double(i) * M_PI / 18));
  const auto pca = Pca<T>::fit(x, {.components = 2});
  EXPECT_NEAR(pca.report().explained_variance_ratio[0], 0.5, tolerance<T>(1e-12, 1e-6));
  EXPECT_NEAR(pca.report().explained_variance_ratio[1], 0.5, tolerance<T>(1e-12, 1e-6));
}

TEST(SeedsCircle, TheSmallestEigenvectorOfTheUncentredProblemIsTheCirclesEquation) {
  const Matrix<double> phi = seed_feature_map(circle_points<double>(80));
  const Block<double> problem = phi.transpose() * phi;
  const Spectrum<double> s =
      eigenpairs<double>(DenseOperator<double>(problem), {.count = 1, .end = End::smallest});
  EXPECT_LT(s.values[0], 1e-10 * problem.trace());
  Vector<double> u = s.vectors.col(0);
  for (Index i : {3, 4, 5}) u[i] *= std::sqrt(2.0);  // undo the weights: coefficients of a², b², 1, ab, a, b
  u /= u[0];
  const double a = 1, b = 2, r = 1.5;  // (f₁ − a)² + (f₂ − b)² = r²
  Vector<double> expected(6);
  expected << 1, 1, a * a + b * b - r * r, 0, -2 * a, -2 * b;
  EXPECT_LT((u - expected).norm(), 1e-6) << u.transpose();
}

TYPED_TEST(Seeds, ThreeUnitDirectionsHaveEqualLinearEigenvaluesAndUnequalKernelOnes) {
  using T = TypeParam;
  const Matrix<T> x = generate("unit-directions").samples.to_dense().cast<T>();
  const auto pca = Pca<T>::fit(x, {.components = 3});
  for (Index i = 0; i < 3; ++i) EXPECT_NEAR(pca.report().explained_variance_ratio[i], 1.0 / 3, 1e-12);
  const auto kernel = KernelPca<T>::fit(x, {.components = 5, .kernel = Kernel::rbf(1)});
  EXPECT_GT(kernel.report().variances[0], 1.05 * kernel.report().variances[4])
      << "the kernel tells directions apart";
}

TYPED_TEST(Seeds, OneKernelComponentSeparatesConcentricCirclesWherePcaCannot) {
  using T = TypeParam;
  const Dataset<double> data = generate("circles", 400, 1);
  const Matrix<T> x = data.samples.to_dense().cast<T>();
  // The best threshold on any one component, as a share of points on the right side.
  const auto best_split = [&](const Matrix<double>& scores) {
    double best = 0;
    for (Index c = 0; c < scores.cols(); ++c)
      for (Index at = 0; at < scores.rows(); ++at) {
        Index right = 0;
        for (Index i = 0; i < scores.rows(); ++i)
          right += (scores(i, c) > scores(at, c)) == (data.label->codes[static_cast<std::size_t>(i)] == 1);
        best = std::max(
            {best, double(right) / double(scores.rows()), 1 - double(right) / double(scores.rows())});
      }
    return best;
  };
  EXPECT_LT(best_split(Pca<T>::fit(x, {.components = 2}).scores().template cast<double>()), 0.75);
  EXPECT_EQ(
      best_split(
          KernelPca<T>::fit(x, {.components = 3, .kernel = Kernel::rbf(4)}).scores().template cast<double>()),
      1.0);
}

}  // namespace
}  // namespace mercer
