// Residuals measured again from scratch: kernel values by their formula in long double, plain loops.
#include <mercer/kernel_pca.hpp>

#include "support.hpp"

namespace mercer {
namespace {

using Real = long double;
using Formula = Real (*)(const Matrix<double>&, Index, Index);

Real squared_distance(const Matrix<double>& x, Index i, Index j) {
  Real sum = 0;
  for (Index c = 0; c < x.cols(); ++c)
    sum += (Real(x(i, c)) - Real(x(j, c))) * (Real(x(i, c)) - Real(x(j, c)));
  return sum;
}

Real inner_product(const Matrix<double>& x, Index i, Index j) {
  Real sum = 0;
  for (Index c = 0; c < x.cols(); ++c) sum += Real(x(i, c)) * Real(x(j, c));
  return sum;
}

struct Case {
  const char* kernel;
  Formula formula;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"rbf(gamma=0.125)", [](const Matrix<double>& x, Index i,
                              Index j) { return std::exp(-Real(0.125) * squared_distance(x, i, j)); }},
      {"laplacian(gamma=0.25)",
       [](const Matrix<double>& x, Index i, Index j) {
         Real sum = 0;
         for (Index c = 0; c < x.cols(); ++c) sum += std::abs(Real(x(i, c)) - Real(x(j, c)));
         return std::exp(-Real(0.25) * sum);
       }},
      {"matern52(length=2)",
       [](const Matrix<double>& x, Index i, Index j) {
         const Real r = std::sqrt(Real(5) * squared_distance(x, i, j)) / 2;
         return (1 + r + r * r / 3) * std::exp(-r);
       }},
      {"poly(degree=3, gamma=0.5, coef0=1)",
       [](const Matrix<double>& x, Index i, Index j) {
         const Real p = Real(0.5) * inner_product(x, i, j) + 1;
         return p * p * p;
       }},
      {"linear", inner_product},
  };
  return all;
}

/// K̃ (or K) by the formula; row-major, n².
std::vector<Real> matrix_of(const Case& c, const Matrix<double>& x, bool center) {
  const Index n = x.rows();
  std::vector<Real> k(static_cast<std::size_t>(n * n));
  const auto at = [n](Index i, Index j) { return static_cast<std::size_t>(i * n + j); };
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) k[at(i, j)] = k[at(j, i)] = c.formula(x, i, j);
  if (!center) return k;
  std::vector<Real> mean(static_cast<std::size_t>(n), 0);
  Real all = 0;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) mean[static_cast<std::size_t>(i)] += k[at(i, j)] / Real(n);
    all += mean[static_cast<std::size_t>(i)] / Real(n);
  }
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      k[at(i, j)] += all - mean[static_cast<std::size_t>(i)] - mean[static_cast<std::size_t>(j)];
  return k;
}

/// ‖K̃ v − θ v‖ / ‖v‖ for v = the column of alpha.
Real residual_of(const std::vector<Real>& k, const Block<double>& alpha, Index column, double theta) {
  const Index n = alpha.rows();
  Real squares = 0, norm = 0;
  for (Index i = 0; i < n; ++i) {
    Real sum = 0;
    for (Index j = 0; j < n; ++j) sum += k[static_cast<std::size_t>(i * n + j)] * Real(alpha(j, column));
    const Real r = sum - Real(theta) * Real(alpha(i, column));
    squares += r * r;
    norm += Real(alpha(i, column)) * Real(alpha(i, column));
  }
  return std::sqrt(squares / norm);
}

template <class T>
void expect_residuals(const Case& c, Index n, Route route, bool rounded, bool center) {
  const Matrix<T> points = test::random_matrix<T>(n, 3, 41);
  const std::vector<Real> k = matrix_of(c, points.template cast<double>(), center);
  KernelPcaOptions options{
      .components = 5, .kernel = Kernel::parse(c.kernel), .center = center, .route = route};
  mercer::Run run;
  if (rounded) run.memory = static_cast<std::size_t>(KernelPca<T>::plan(points, options, run).bytes) - 1;
  const auto model = KernelPca<T>::fit(points, options, run);
  const Report& r = model.report();
  const std::string name = std::string(c.kernel) + ", " + std::string(name_of(route)) +
                           (rounded ? " in float" : "") + (center ? "" : ", not centred");
  EXPECT_EQ(r.plan.rounded, rounded || (sizeof(T) == 4 && route == Route::stored)) << name;
  ASSERT_GE(r.components, 3) << name;
  const Block<double> alpha = model.alpha().template cast<double>();
  for (Index i = 0; i < r.components; ++i) {
    const auto again = double(residual_of(k, alpha, i, r.gram_eigenvalues[i]));
    const double rounding =
        test::tolerance<T>(1e-13, 3e-7) * r.gram_eigenvalues[0];  // α is rounded to T once more
    EXPECT_LE(again, (1 + 1e-3) * r.residuals[i] + rounding) << name << ", component " << i;
    if (sizeof(T) == 8) {  // what is allowed for rough products with corrections is a small part of 1e-10
      const double allowed = 1e-11 * r.gram_eigenvalues[0];
      EXPECT_GE(again, (1 - 1e-3) * r.residuals[i] - allowed - rounding) << name << ", component " << i;
    }
  }
}

TEST(Certificate, ResidualsHoldInLongDouble) {
  for (const Case& c : cases())
    for (bool center : {true, false}) {
      expect_residuals<double>(c, 380, Route::dense, false, center);
      expect_residuals<double>(c, 380, Route::stored, false, center);
      expect_residuals<double>(c, 380, Route::stored, true, center);
      expect_residuals<double>(c, 380, Route::tiled, false, center);
      expect_residuals<double>(c, 150, Route::tiled, false, center);  // LAPACK inside
    }
}

TEST(Certificate, ResidualsHoldWhereAFewRowsAreHeavy) {
  const Index n = 1400;
  Matrix<double> points = test::random_matrix<double>(n, 3, 43);
  points.middleRows(300, 30) *= 30;
  const Kernel kernel = Kernel::parse("poly(degree=2, gamma=1, coef0=1)");
  for (Route route : {Route::stored, Route::tiled}) {
    const auto model = KernelPca<double>::fit(points, {.components = 4, .kernel = kernel, .route = route});
    const Report& r = model.report();
    const Matrix<double> k = gram(kernel, Samples<double>(points));
    const Vector<double> means = k.rowwise().mean();
    Matrix<double> centered = k.colwise() - means;
    centered.rowwise() -= means.transpose();
    centered.array() += means.mean();
    for (Index i = 0; i < r.components; ++i) {
      const Vector<double> v = model.alpha().col(i).normalized();
      const double again = (centered * v - r.gram_eigenvalues[i] * v).norm();
      EXPECT_LE(again, 1.01 * r.residuals[i] + 1e-13 * r.gram_eigenvalues[0]) << name_of(route) << ", " << i;
    }
  }
}

TEST(Certificate, ResidualsOfFloatModelsHoldInLongDouble) {
  for (const Case& c : cases())
    for (Route route : {Route::dense, Route::stored, Route::tiled})
      expect_residuals<float>(c, 380, route, false, true);
}

TEST(Certificate, ResidualsHoldWhereLandmarksLead) {
  expect_residuals<double>(cases()[0], 2010, Route::tiled, false, true);
}

}  // namespace
}  // namespace mercer
