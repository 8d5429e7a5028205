// Large fits of a given rank make no factor of all points: the same model from one pass.
#include <mercer/kernel_pca.hpp>

#include "support.hpp"

#include <set>

namespace mercer {
namespace {

bool has_stage(const Report& report, std::string_view name) {
  return std::any_of(report.seconds.begin(), report.seconds.end(),
                     [&](const auto& lap) { return lap.first == name; });
}

TEST(LowRankRejection, IsTheFitOnItsLandmarks) {
  const Samples<float> x = test::random_matrix<float>(70000, 10, 1);
  KernelPcaOptions options;
  options.components = 4;
  options.kernel = Kernel::rbf(0.1);
  options.route = Route::lowrank;
  options.lowrank.rank = 480;
  const auto model = KernelPca<float>::fit(x, options, {.threads = 2});
  const Report& report = model.report();
  EXPECT_TRUE(has_stage(report, "landmarks")) << "drawn by rejection";
  const std::vector<Index> landmarks = model.landmarks();
  EXPECT_EQ(std::set<Index>(landmarks.begin(), landmarks.end()).size(), 480U);
  EXPECT_EQ(model.transform(x), model.scores());

  const auto one = KernelPca<float>::fit(x, options, {.threads = 1});
  EXPECT_EQ(one.landmarks(), landmarks);
  EXPECT_EQ(one.report().gram_eigenvalues, report.gram_eigenvalues);
  EXPECT_EQ(one.report().bounds->high, report.bounds->high);

  options.lowrank = {.landmarks = Landmarks::given, .given = landmarks};
  const auto whole = KernelPca<float>::fit(x, options);
  EXPECT_TRUE(has_stage(whole.report(), "factor"));
  const double top = report.gram_eigenvalues[0];
  EXPECT_LE((whole.report().gram_eigenvalues - report.gram_eigenvalues).norm(), 1e-5 * top);
  EXPECT_NEAR(whole.report().bounds->remaining_trace, report.bounds->remaining_trace, 1e-4 * 70000);
  EXPECT_LT(report.bounds->high[0], whole.report().bounds->high[0]) << "tighter than the Frobenius norm";
  EXPECT_LE(report.bounds->rigorous_high[0], 1.001 * whole.report().bounds->rigorous_high[0]);
}

TEST(LowRankRejection, LeavesWhatDecaysQuicklyToTheFactor) {
  const Samples<float> x = test::random_matrix<float>(70000, 1, 2);
  KernelPcaOptions options;
  options.components = 2;
  options.kernel = Kernel::laplacian(0.5);
  options.route = Route::lowrank;
  options.lowrank.rank = 480;
  const auto model = KernelPca<float>::fit(x, options);
  EXPECT_TRUE(has_stage(model.report(), "factor"));
}

}  // namespace
}  // namespace mercer
