// Fits in a pass over many points, by kernel values instead of features: bounds, shards, updates, files.
#include <mercer/kernel_pca.hpp>

#include "decompositions.hpp"
#include "support.hpp"

#include <cstdio>

namespace mercer {
namespace {

using test::tolerance;

template <class T>
class LowRankPass : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(LowRankPass, Types);

constexpr Index rank = 128;

KernelPcaOptions options(const Kernel& kernel, bool center) {
  KernelPcaOptions out;
  out.components = 6;
  out.kernel = kernel;
  out.center = center;
  out.route = Route::lowrank;
  out.lowrank.rank = rank;
  out.delta = 1e-3;
  return out;
}

// The linear kernel: K's eigenvalues are those of a small matrix.
TYPED_TEST(LowRankPass, BoundsContainTheTruth) {
  using T = TypeParam;
  const Index n = 8300, d = 140;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Matrix<T> x = test::random_matrix<T>(n, d, seed);
    for (Index j = 0; j < d; ++j) x.col(j) *= T(std::pow(j + 1.0, -0.25 * double(seed % 4)));
    if (seed % 3 == 0) x.array() += T(2);             // far from the origin
    if (seed % 5 == 0) x.topRows(n / 2) *= T(0.003);  // the first points are unlike the others
    const bool center = seed % 2 == 0;
    const Samples<T> points = x;
    const auto rows = rows_of<T>(points, 3000);
    const auto model = KernelPca<T>::fit(*rows, options(Kernel::linear(), center), {.seed = seed});
    Matrix<double> y = x.template cast<double>();
    if (center) y.rowwise() -= y.colwise().mean().eval();
    const Block<double> scatter = y.transpose() * y;
    const Vector<double> exact =
        Eigen::SelfAdjointEigenSolver<Block<double>>(scatter).eigenvalues().reverse();
    const Report& report = model.report();
    ASSERT_EQ(report.components, 6);
    for (Index i = 0; i < report.components; ++i) {
      EXPECT_LE(report.bounds->low[i], exact[i] * (1 + 1e-12)) << seed;
      EXPECT_GE(report.bounds->high[i], exact[i] * (1 - 1e-12)) << seed;
      EXPECT_GE(report.bounds->rigorous_high[i], report.bounds->high[i]) << seed;
      EXPECT_LE(report.gram_eigenvalues[i] - report.bounds->low[i],
                tolerance<T>(1e-12, 1e-4) * double(x.squaredNorm()))
          << seed << ": rounding is allowed for, and little else";
    }
    EXPECT_GE(report.missed.probable, exact[6] * (1 - 1e-12)) << seed;
    EXPECT_GE(report.trace, exact.sum() * (1 - 1e-6)) << seed;
  }
}

TYPED_TEST(LowRankPass, ShardsUpdatesAndFilesAreTheWhole) {
  using T = TypeParam;
  const Samples<T> x = test::random_matrix<T>(18000, 8, 3);
  const auto rows = rows_of<T>(x.middle_rows(0, 9000));
  const auto a = KernelPca<T>::fit(*rows, options(Kernel::rbf(0.08), true));
  const auto b = a.refit(x.middle_rows(9000, 9000), 6), whole = a.refit(x, 6);
  const auto same = [&](const KernelPca<T>& model) {
    const double top = whole.report().gram_eigenvalues[0];
    EXPECT_EQ(model.report().n, 18000);
    EXPECT_LE((model.report().gram_eigenvalues - whole.report().gram_eigenvalues).norm(),
              tolerance<T>(1e-11, 1e-5) * top);
    EXPECT_NEAR(model.report().bounds->remaining_trace, whole.report().bounds->remaining_trace,
                tolerance<T>(1e-10, 2e-4) * 18000);
    const Matrix<T> z = model.transform(x), expected = whole.transform(x);
    EXPECT_LE(double((z - expected).norm()), tolerance<T>(1e-8, 1e-2) * double(expected.norm()));
  };
  same(KernelPca<T>::merge(a, b));
  same(a.update(x.middle_rows(9000, 9000)));
  EXPECT_EQ(whole.transform(x), whole.scores());

  const std::string path =
      testing::TempDir() + "mercer_low_rank_pass_" + std::string(name_of(precision_of<T>)) + ".mercer";
  a.save(path);
  const auto loaded = load_model<T>(path);
  const auto& again = dynamic_cast<const KernelPca<T>&>(*loaded);
  EXPECT_EQ(KernelPca<T>::merge(again, b).report().bounds->low,
            KernelPca<T>::merge(a, b).report().bounds->low);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace mercer
