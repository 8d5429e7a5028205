// Moments of features: by kernel values they are those by features, or the pass says how far off they may be.
#include "operator/feature_pass.hpp"
#include "decompositions.hpp"

#include "support.hpp"

namespace mercer {
namespace {

template <class T>
class FeatureMomentsBy : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(FeatureMomentsBy, Types);

using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

Block<double> whole(const Block<double>& lower) { return lower.selfadjointView<Eigen::Lower>(); }

double norm(const Block<double>& symmetric) {
  return Eigen::SelfAdjointEigenSolver<Block<double>>(symmetric, Eigen::EigenvaluesOnly)
      .eigenvalues()
      .cwiseAbs()
      .maxCoeff();
}

template <class T>
LandmarkBasis<T> basis_on(const Kernel& kernel, const Samples<T>& landmarks) {
  auto independent = independent_landmarks(kernel, landmarks, {}, {});
  return {kernel, landmarks.select_rows(independent.kept), std::move(independent.factor)};
}

template <class T>
FeatureMoments moments(const LandmarkBasis<T>& basis, const Samples<T>& x, bool center, PassBy by,
                       const Run& run = {}) {
  FeaturePass<T> pass(basis, center, by);
  pass.add(x.middle_rows(0, 1000), run);
  pass.add(x.middle_rows(1000, x.rows() - 1000), run);
  return pass.moments(run);
}

TYPED_TEST(FeatureMomentsBy, KernelValuesAreThoseByFeatures) {
  using T = TypeParam;
  const Samples<T> x = test::random_matrix<T>(9000, 8, 1);
  const LandmarkBasis<T> basis = basis_on<T>(Kernel::rbf(0.1), x.middle_rows(0, 150));
  for (const bool center : {true, false}) {
    const FeatureMoments a = moments(basis, x, center, PassBy::features),
                         b = moments(basis, x, center, PassBy::kernel_values);
    EXPECT_EQ(a.count, b.count);
    EXPECT_EQ(a.rounding, 0);
    EXPECT_GT(b.rounding, 0);
    EXPECT_TRUE(!center || is_harmless<T>(b.rounding, 9000));
    const double apart = norm(whole(b.scatter) - whole(a.scatter)), size = norm(whole(a.scatter));
    EXPECT_LE(apart, b.rounding + (sizeof(T) == 4 ? 1e-6 : 1e-14) * size);
    EXPECT_LE((a.mean - b.mean).norm(), (sizeof(T) == 4 ? 3e-6 : 1e-13) * a.mean.norm());
    FeaturePass<T> pass(basis, center);
    pass.add(x, {});
    // An upper bound on what remains, and not far above it.
    EXPECT_NEAR(remaining_trace(b, 9000), pass.remaining().sum(),
                2 * b.trace_rounding + (sizeof(T) == 4 ? 1e-4 : 1e-11) * 9000);
    EXPECT_LE(b.trace_rounding, (sizeof(T) == 4 ? 1e-3 : 1e-11) * 9000);
    EXPECT_EQ(moments(basis, x, center, PassBy::kernel_values, {.threads = 3}).scatter, b.scatter);
  }
}

// Integers: kernel values and their true sums are exact, so that nothing but the rounding of the sums is
// seen.
TYPED_TEST(FeatureMomentsBy, KernelValuesAllowForWhatIllConditionedLandmarksEnlarge) {
  using T = TypeParam;
  const Index n = 20000, d = 40, r = 20;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Matrix<T> x = (test::random_matrix<T>(n, d, seed) * T(sizeof(T) == 4 ? 30 : 3e5)).array().round();
    for (Index j = 1; j < r; j += 2)  // pairs of landmarks that differ by a unit or a few in one place
      for (Index c = 0; c < d; ++c) x(j, c) = x(j - 1, c) + (c == j ? T(seed) : T(0));
    const Samples<T> points = x;
    const LandmarkBasis<T> basis = basis_on<T>(Kernel::linear(), points.middle_rows(0, r));
    ASSERT_EQ(basis.rank(), r);
    const FeatureMoments by = moments(basis, points, false, PassBy::kernel_values);
    const Long values = x.template cast<long double>(), k = values * values.topRows(r).transpose();
    const Long l = basis.factor().template cast<long double>();
    Long c = k.transpose() * k;
    c = l.template triangularView<Eigen::Lower>().solve(c).transpose().eval();
    c = l.template triangularView<Eigen::Lower>().solve(c).eval();
    const double off = norm(whole(by.scatter) - Block<double>(c.cast<double>()));
    EXPECT_LE(off, by.rounding) << seed;
    EXPECT_LE(std::abs(by.scatter.trace() - double(c.trace())), by.trace_rounding) << seed;
    EXPECT_FALSE(is_harmless<T>(by.rounding, double(values.squaredNorm()))) << seed;
  }
}

TYPED_TEST(FeatureMomentsBy, TheCheaperWayWhereItIsHarmless) {
  using T = TypeParam;
  const Samples<T> x = test::random_matrix<T>(9000, 8, 2);
  const auto way = [&](const Kernel& kernel, Index rank) {
    return cheaper_pass(basis_on<T>(kernel, x.middle_rows(0, rank)), x, true, x.rows(), {});
  };
  EXPECT_EQ(way(Kernel::rbf(0.1), 150), PassBy::kernel_values);
  EXPECT_EQ(way(Kernel::laplacian(0.3), 150), PassBy::kernel_values);
  EXPECT_EQ(way(Kernel::rbf(0.1), 30), PassBy::features) << "few landmarks";
  EXPECT_EQ(way(Kernel::rbf(1e-3), 150), PassBy::features) << "landmarks that hardly differ";
}

TEST(FeatureMomentsOverflow, IsAnErrorEitherWay) {
  const Samples<double> x = test::random_matrix<double>(5000, 3, 3);
  Matrix<double> huge = x.to_dense();
  huge.row(4500) *= 1e200;
  const Kernel kernel = Kernel::polynomial(3);
  const LandmarkBasis<double> basis = basis_on<double>(kernel, x.middle_rows(0, 10));
  for (const PassBy by : {PassBy::features, PassBy::kernel_values}) {
    FeaturePass<double> pass(basis, true, by);
    EXPECT_THROW(pass.add(huge, {}), Error);
    EXPECT_THROW(pass.add(Matrix<double>(huge * 1e-130), {}), Error) << "k(x, x) alone";
  }
}

}  // namespace
}  // namespace mercer
