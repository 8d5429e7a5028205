// A low-rank model that takes in more points, is merged with another, saved and loaded.
#include <mercer/kernel_pca.hpp>

#include "decompositions.hpp"
#include "support.hpp"

#include <cstdio>

namespace mercer {
namespace {

using test::tolerance;

template <class T>
class LowRankModel : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(LowRankModel, Types);

KernelPcaOptions low_rank(const Kernel& kernel, const LowRank& how, bool center = true,
                          Scale scale = Scale::none) {
  KernelPcaOptions out;
  out.components = 4;
  out.kernel = kernel;
  out.center = center;
  out.scale = scale;
  out.route = Route::lowrank;
  out.lowrank = how;
  return out;
}

Vector<double> truth(const Kernel& kernel, const Samples<double>& x, bool center) {
  Matrix<double> k = gram<double>(kernel, x);
  const Index n = k.rows();
  if (center) {
    const Matrix<double> h = Matrix<double>::Identity(n, n) - Matrix<double>::Constant(n, n, 1.0 / double(n));
    k = h * k * h;
  }
  return Eigen::SelfAdjointEigenSolver<Matrix<double>>(k, Eigen::EigenvaluesOnly).eigenvalues().reverse();
}

/// Both models say the same of eigenvalues, bounds and new points.
template <class T>
void expect_same(const KernelPca<T>& a, const KernelPca<T>& b, const Samples<T>& x) {
  ASSERT_EQ(a.components(), b.components());
  EXPECT_EQ(a.report().n, b.report().n);
  const double top = b.report().gram_eigenvalues[0];
  EXPECT_LE((a.report().gram_eigenvalues - b.report().gram_eigenvalues).norm(),
            tolerance<T>(1e-11, 1e-5) * top);
  EXPECT_NEAR(a.report().bounds->remaining_trace, b.report().bounds->remaining_trace,
              tolerance<T>(1e-10, 1e-5) * double(a.report().n));
  const Matrix<T> za = a.transform(x), zb = b.transform(x);
  EXPECT_LE(double((za - zb).norm()), tolerance<T>(1e-9, 1e-2) * double(zb.norm()));
}

TYPED_TEST(LowRankModel, ThatTakesInPointsOnItsBasisIsTheModelOfAll) {
  using T = TypeParam;
  const Samples<T> x = test::random_matrix<T>(900, 3, 1);
  for (const bool center : {true, false}) {
    const auto whole_options = low_rank(
        Kernel::rbf(0.2), {.landmarks = Landmarks::given, .given = {1, 50, 99, 7, 300, 200, 150}}, center);
    const auto whole = KernelPca<T>::fit(x, whole_options);
    const auto first = KernelPca<T>::fit(x.middle_rows(0, 400), whole_options);
    const auto grown = first.update(x.middle_rows(400, 300)).update(x.middle_rows(700, 200));
    expect_same<T>(grown, whole, x);
    EXPECT_EQ(first.report().n, 400) << "models do not change";
    EXPECT_THROW((void)grown.scores(), Error);
  }
}

TYPED_TEST(LowRankModel, MergedShardsAreTheWhole) {
  using T = TypeParam;
  const Samples<T> x = test::random_matrix<T>(1000, 4, 2);
  for (const Scale scale : {Scale::none, Scale::standardize})
    for (const bool center : {true, false}) {
      const auto a =
          KernelPca<T>::fit(x.middle_rows(0, 600), low_rank(Kernel::rbf(0.1), {.rank = 40}, center, scale));
      const auto b = a.refit(x.middle_rows(600, 400), 4);
      const auto merged = KernelPca<T>::merge(a, b), whole = a.refit(x, 4);
      expect_same<T>(merged, whole, x);
      EXPECT_EQ(b.transform(x.middle_rows(600, 400)), b.scores());
    }
}

TEST(LowRankMerge, RefusesWhatDoesNotFitTogether) {
  const Samples<double> x = test::random_matrix<double>(300, 3, 3);
  const auto model = [&](const Kernel& kernel, bool center, std::uint64_t seed) {
    return KernelPca<double>::fit(x, low_rank(kernel, {.rank = 20}, center), {.seed = seed});
  };
  const auto a = model(Kernel::rbf(0.2), true, 0);
  const auto refuses = [&](const KernelPca<double>& b, const char* word) {
    try {
      (void)KernelPca<double>::merge(a, b);
      ADD_FAILURE() << "merged";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::usage);
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
    }
  };
  refuses(model(Kernel::rbf(0.3), true, 0), "kernels");
  refuses(model(Kernel::rbf(0.2), false, 0), "centrings");
  refuses(model(Kernel::rbf(0.2), true, 1), "landmarks");
  refuses(KernelPca<double>::fit(x, {.components = 2, .kernel = Kernel::rbf(0.2)}), "--route lowrank");
  EXPECT_THROW((void)KernelPca<double>::fit(x, {}).update(x), Error) << "exact models keep their points";
}

TEST(LowRankGrowth, TakesNewLandmarksAndItsTwoSidedBoundsHold) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed, 3);
    const Index before = 40 + static_cast<Index>(random.below(60)),
                added = 20 + static_cast<Index>(random.below(60));
    Matrix<double> all = test::random_matrix<double>(before + added, 3, seed);
    all.bottomRows(added).array() += seed % 3 == 0 ? 0 : 3;  // somewhere else
    const Samples<double> x = all;
    const bool center = seed % 2 == 0;
    const Kernel kernel = Kernel::rbf(seed % 5 == 0 ? 2 : 0.1);
    const auto first = KernelPca<double>::fit(x.middle_rows(0, before), low_rank(kernel, {.rank = 8}, center),
                                              {.seed = seed});
    auto grown = first.update(x.middle_rows(before, added / 2), {.max_rank = 14}, {.seed = seed});
    grown =
        grown.update(x.middle_rows(before + added / 2, added - added / 2), {.max_rank = 20}, {.seed = seed});
    ASSERT_LE(grown.report().bounds->rank, 20);
    ASSERT_EQ(grown.report().n, before + added);
    const Vector<double> exact = truth(kernel, x, center);
    const EigenvalueBounds& b = *grown.report().bounds;
    for (Index i = 0; i < grown.components(); ++i) {
      ASSERT_LE(b.low[i], exact[i] + 1e-10) << seed;
      ASSERT_GE(b.high[i], exact[i] - 1e-10) << seed;
    }
    ASSERT_GE(grown.report().trace, exact.sum() - 1e-9) << seed;
    if (seed % 3 != 0 && seed % 5 != 0) {
      const auto fixed = first.update(x.middle_rows(before, added));
      EXPECT_LT(b.remaining_trace, fixed.report().bounds->remaining_trace)
          << "further landmarks represent more";
      EXPECT_GT(b.rank, 8);
    }
  }
}

TEST(LowRankGrowth, BoundsHoldWhereEarlierPointsAreRepresentedButForRounding) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    Random random(seed, 5);
    const Index centres = 3 + static_cast<Index>(random.below(9)),
                first = 6 + static_cast<Index>(random.below(12));
    const Matrix<double> around = test::random_matrix<double>(centres, 3, seed),
                         jitter = test::random_matrix<double>(24, 3, seed + 1000);
    Matrix<double> x(24, 3);
    for (Index i = 0; i < 24; ++i)
      x.row(i) = around.row(static_cast<Index>(random.below(std::uint64_t(centres)))) +
                 std::pow(10.0, -12 + double(seed % 8)) * jitter.row(i);
    const Samples<double> samples = x;
    const Kernel kernel = Kernel::rbf(0.2);
    const auto grown = KernelPca<double>::fit(samples.middle_rows(0, first), low_rank(kernel, {.rank = 5}))
                           .update(samples.middle_rows(first, 24 - first), {.max_rank = 20});
    const Vector<double> exact = truth(kernel, samples, true);
    const EigenvalueBounds& b = *grown.report().bounds;
    for (Index i = 0; i < grown.components(); ++i) {
      ASSERT_LE(b.rigorous_low[i], exact[i] + 1e-13) << seed;
      ASSERT_GE(b.rigorous_high[i], exact[i] - 1e-13) << seed;
    }
  }
}

TYPED_TEST(LowRankModel, ComesBackFromItsFileAndGoesOn) {
  using T = TypeParam;
  const Samples<T> x = test::random_matrix<T>(300, 3, 5), more = test::random_matrix<T>(100, 3, 6);
  const std::string path =
      testing::TempDir() + "mercer_low_rank_" + std::string(name_of(precision_of<T>)) + ".mercer";
  auto model = KernelPca<T>::fit(x, low_rank(Kernel::rbf(0.2), {.rank = 30}, true, Scale::standardize));
  for (int round = 0; round < 2; ++round) {
    model.save(path);
    const auto loaded = load_model<T>(path);
    const auto& again = dynamic_cast<const KernelPca<T>&>(*loaded);
    EXPECT_EQ(again.transform(more), model.transform(more));
    EXPECT_EQ(again.landmarks(), model.landmarks());
    EXPECT_EQ(again.report().bounds->high, model.report().bounds->high);
    EXPECT_EQ(again.report().to_json(), model.report().to_json());
    if (round == 0) {
      EXPECT_EQ(again.scores(), model.scores());
    }
    const auto updated = model.update(more, {.max_rank = 40}),
               updated_again = again.update(more, {.max_rank = 40});
    EXPECT_EQ(updated.transform(x), updated_again.transform(x));
    EXPECT_EQ(updated.report().bounds->rigorous_high, updated_again.report().bounds->rigorous_high);
    model = updated;  // and once more with a basis that grew
  }
  std::remove(path.c_str());
}

TYPED_TEST(LowRankModel, WithoutLandmarksComesBackFromItsFileToo) {
  using T = TypeParam;
  const std::string path =
      testing::TempDir() + "mercer_no_landmarks_" + std::string(name_of(precision_of<T>)) + ".mercer";
  const auto model =
      KernelPca<T>::fit(Matrix<T>(Matrix<T>::Zero(30, 4)), low_rank(Kernel::linear(), {.rank = 3}));
  ASSERT_EQ(model.components(), 0);
  model.save(path);
  const auto loaded = load_model<T>(path);
  const auto& again = dynamic_cast<const KernelPca<T>&>(*loaded);
  EXPECT_EQ(again.transform(Matrix<T>(Matrix<T>::Ones(2, 4))).cols(), 0);
  EXPECT_EQ(again.report().to_json(), model.report().to_json());
  std::remove(path.c_str());
}

TEST(LowRankUpdate, RefusesPointsOfAnotherWidth) {
  const Samples<double> x = test::random_matrix<double>(60, 3, 7);
  const auto model = KernelPca<double>::fit(x, low_rank(Kernel::rbf(0.2), {.rank = 10}));
  EXPECT_THROW((void)model.update(test::random_matrix<double>(5, 4, 1)), Error);
  EXPECT_THROW((void)model.update(Matrix<double>(0, 3)), Error);
  EXPECT_THROW((void)model.refit(test::random_matrix<double>(5, 4, 1), 2), Error);
}

}  // namespace
}  // namespace mercer
