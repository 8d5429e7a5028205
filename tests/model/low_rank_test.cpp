// The low-rank route: equal to the exact one at full rank, its bounds true, its scores those of new points.
#include <mercer/kernel_pca.hpp>

#include "cases.hpp"
#include "decompositions.hpp"
#include "support.hpp"

#include <stop_token>

namespace mercer {
namespace {

using test::tolerance;

template <class T>
class LowRankRoute : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(LowRankRoute, Types);

KernelPcaOptions low_rank(const Kernel& kernel, Index components, const LowRank& how, bool center = true) {
  KernelPcaOptions out;
  out.components = components;
  out.kernel = kernel;
  out.center = center;
  out.route = Route::lowrank;
  out.lowrank = how;
  return out;
}

/// Eigenvalues of HKH (or K) in double, descending.
template <class T>
Vector<double> truth(const Kernel& kernel, const Samples<T>& x, bool center) {
  Matrix<double> k = gram<double>(kernel, x.template cast<double>());
  const Index n = k.rows();
  if (center) {
    const Matrix<double> h = Matrix<double>::Identity(n, n) - Matrix<double>::Constant(n, n, 1.0 / double(n));
    k = h * k * h;
  }
  return Eigen::SelfAdjointEigenSolver<Matrix<double>>(k, Eigen::EigenvaluesOnly).eigenvalues().reverse();
}

TYPED_TEST(LowRankRoute, AtFullRankIsTheDenseRoute) {
  using T = TypeParam;
  for (const auto& [name, data] : test::awkward_data<T>())
    for (const char* text : {"rbf(gamma=0.5)", "linear", "laplacian(gamma=0.3)", "poly(degree=2)", "cosine"})
      for (bool center : {true, false}) {
        const Kernel kernel = Kernel::parse(text);
        const auto low = KernelPca<T>::fit(data, low_rank(kernel, 3, {.rank = data.rows()}, center));
        KernelPcaOptions options = low_rank(kernel, 3, {}, center);
        options.route = Route::dense;
        const auto dense = KernelPca<T>::fit(data, options);
        ASSERT_EQ(low.components(), dense.components()) << name << ", " << text;
        if (low.components() == 0) continue;
        const double top = dense.report().gram_eigenvalues[0];
        EXPECT_LE((low.report().gram_eigenvalues - dense.report().gram_eigenvalues).norm(),
                  tolerance<T>(1e-9, 3e-4) * top)
            << name << ", " << text;
        EXPECT_NEAR(low.report().trace, dense.report().trace,
                    tolerance<T>(1e-10, 1e-4) * dense.report().trace);
        const Matrix<double> a = low.scores().template cast<double>(),
                             b = dense.scores().template cast<double>();
        // Where eigenvalues repeat, the components are any basis of their space.
        if (low.components() < 3 || name == "repeated eigenvalues" || name == "duplicates" || name == "wide")
          continue;
        EXPECT_LE((a * a.transpose() - b * b.transpose()).norm(), tolerance<T>(1e-6, 2e-1) * b.squaredNorm())
            << name << ", " << text;
      }
}

TYPED_TEST(LowRankRoute, ScoresAreThoseOfTheDenseRouteUpToSign) {
  using T = TypeParam;
  const Samples<T> x = test::random_matrix<T>(300, 3, 5);
  const auto low = KernelPca<T>::fit(x, low_rank(Kernel::rbf(0.2), 4, {.rank = 300}));
  KernelPcaOptions options = low_rank(Kernel::rbf(0.2), 4, {});
  options.route = Route::dense;
  const auto dense = KernelPca<T>::fit(x, options);
  const Matrix<double> b = dense.scores().template cast<double>();
  EXPECT_LE((test::with_signs_of(b, low.scores()) - b).norm(), tolerance<T>(1e-7, 1e-2) * b.norm());
}

TYPED_TEST(LowRankRoute, TransformingTheTrainingPointsGivesTheirFitScores) {
  using T = TypeParam;
  const Samples<T> x = test::random_matrix<T>(9000, 4, 6);
  for (const Scale scale : {Scale::none, Scale::standardize}) {
    KernelPcaOptions options = low_rank(Kernel::rbf(0.1), 5, {.rank = 150});
    options.scale = scale;
    const auto model = KernelPca<T>::fit(x, options);
    const Matrix<T> scores = model.scores();
    EXPECT_LE(double((model.transform(x) - scores).norm()),
              tolerance<T>(1e-10, 1e-3) * double(scores.norm()));
    for (const Index row : {0, 17, 8500})
      EXPECT_LE(double((model.transform(x.middle_rows(row, 1)) - scores.row(row)).norm()),
                tolerance<T>(1e-12, 1e-4) * double(scores.norm()));
    // Scores vary as the eigenvalues say.
    const Matrix<double> z = scores.template cast<double>();
    const Matrix<double> covariance = z.transpose() * z / 9000,
                         expected = model.report().variances.asDiagonal();
    EXPECT_LE((covariance - expected).norm(), tolerance<T>(1e-9, 1e-3) * expected.norm());
  }
}

struct AwkwardCase {
  std::string name;
  Matrix<double> data;
  Kernel kernel;
};

/// Small data sets of every kind that has broken a bound somewhere.
AwkwardCase random_case(std::uint64_t seed) {
  Random random(seed, 11);
  const Index n = 5 + static_cast<Index>(random.below(60)), d = 1 + static_cast<Index>(random.below(6));
  Matrix<double> x = test::random_matrix<double>(n, d, seed);
  std::string name;
  switch (seed % 7) {
    case 0:
      name = "normal";
      break;
    case 1:
      name = "clusters of equal points";
      for (Index i = 0; i < n; ++i) x.row(i) = 10.0 * x.row(i % std::min<Index>(n, 4));
      break;
    case 2:
      name = "one dominant point";
      x.row(0) *= 1e3;
      break;
    case 3:
      name = "duplicates";
      for (Index i = n / 2; i < n; ++i) x.row(i) = x.row(i - n / 2);
      break;
    case 4:
      name = "rank deficient";
      for (Index j = 1; j < d; ++j) x.col(j) = double(j) * x.col(0);
      break;
    case 5:
      name = "far from the origin";
      x.array() += 50;
      break;
    default:
      name = "orthogonal: equal eigenvalues";
      for (Index i = 0; i < n; ++i) x.row(i).setConstant(100.0 * double(i));
  }
  const std::vector<Kernel> kernels = {Kernel::rbf(1e-6),
                                       Kernel::rbf(0.1),
                                       Kernel::rbf(1),
                                       Kernel::rbf(1e4),
                                       Kernel::laplacian(0.3),
                                       Kernel::linear(),
                                       Kernel::polynomial(2, 0.5, 1),
                                       Kernel::matern52(1.5),
                                       Kernel::cosine()};
  return {name, x, kernels[random.below(kernels.size())]};
}

TYPED_TEST(LowRankRoute, BoundsContainTheTruthOnThousandsOfCases) {
  using T = TypeParam;
  int tried = 0, fitted = 0;
  for (std::uint64_t seed = 0; seed < 1500; seed += test::stride) {
    const AwkwardCase c = random_case(seed);
    const Samples<T> x = Matrix<T>(c.data.template cast<T>());
    Random random(seed, 12);
    const Index rank = 1 + static_cast<Index>(random.below(static_cast<std::uint64_t>(x.rows())));
    const bool center = seed % 3 > 0;
    const auto model =
        KernelPca<T>::fit(x, low_rank(c.kernel, 6, {.rank = rank}, center), {.threads = 1, .seed = seed});
    const Vector<double> exact = truth(model.kernel(), x, center);
    const Report& report = model.report();
    ASSERT_TRUE(report.bounds);
    const double slack =
        1e-13 * std::abs(gram<double>(model.kernel(), x.template cast<double>()).norm());  // of the truth
    for (Index i = 0; i < report.components; ++i) {
      ASSERT_LE(report.bounds->low[i], exact[i] + slack)
          << c.name << " " << c.kernel.to_string() << " seed " << seed;
      ASSERT_GE(report.bounds->high[i], exact[i] - slack)
          << c.name << " " << c.kernel.to_string() << " seed " << seed;
      ASSERT_GE(report.bounds->rigorous_high[i], report.bounds->high[i]);
      ASSERT_LE(report.bounds->low[i], report.gram_eigenvalues[i]);
    }
    const double next = report.components < exact.size() ? exact[report.components] : 0;
    ASSERT_GE(report.missed.probable, next - slack)
        << c.name << " " << c.kernel.to_string() << " seed " << seed;
    ASSERT_LE(report.bounds->low.sum(), report.trace + 10 * slack);
    ASSERT_NEAR(report.trace, exact.sum(), slack * 10 + tolerance<T>(1e-10, 1e-5) * exact.sum());
    ++tried;
    fitted += report.components > 0;
  }
  EXPECT_GT(3 * fitted, 2 * tried);
}

TEST(LowRankBounds, TheTightOneIsMuchTighterAndStillTrue) {
  const Samples<double> x = test::random_matrix<double>(1200, 8, 3);
  const auto model = KernelPca<double>::fit(x, low_rank(Kernel::rbf(0.1), 5, {.rank = 60}));
  const EigenvalueBounds& b = *model.report().bounds;
  const Vector<double> exact = truth(model.kernel(), x, true);
  const double tight = b.high[0] - b.low[0], loose = b.rigorous_high[0] - b.rigorous_low[0];
  EXPECT_LT(5 * tight, loose);
  for (Index i = 0; i < 5; ++i) {
    EXPECT_LE(b.low[i], exact[i]);
    EXPECT_GE(b.high[i], exact[i]);
    EXPECT_LE(model.report().residuals[i], tight) << "measured residuals lie within their bound";
  }
}

TEST(LowRankLandmarks, UniformKmeansAndGivenOnesAreUsed) {
  const Samples<double> x = test::random_matrix<double>(400, 3, 8);
  for (const Landmarks landmarks : {Landmarks::pivoted, Landmarks::uniform, Landmarks::kmeans}) {
    const auto model =
        KernelPca<double>::fit(x, low_rank(Kernel::rbf(0.2), 3, {.rank = 40, .landmarks = landmarks}));
    EXPECT_LE(model.landmarks().size(), 40U);
    EXPECT_GE(model.landmarks().size(), 35U);
    EXPECT_EQ(model.points().rows(), Index(model.landmarks().size()));
    const Vector<double> exact = truth(model.kernel(), x, true);
    EXPECT_LE(model.report().bounds->low[0], exact[0]);
    EXPECT_GE(model.report().bounds->high[0], exact[0]);
    EXPECT_GT(model.report().gram_eigenvalues[0], 0.9 * exact[0]);
  }
  const auto given = KernelPca<double>::fit(
      x, low_rank(Kernel::rbf(0.2), 3, {.landmarks = Landmarks::given, .given = {5, 300, 77, 12}}));
  EXPECT_EQ(given.landmarks(), (std::vector<Index>{5, 300, 77, 12}));
  EXPECT_EQ(given.points().to_dense().row(1), x.dense().row(300));
}

/// A curve with far more landmarks on it than its kernel matrix has independent columns.
Matrix<double> noisy_moons(Index n, std::uint64_t seed) {
  Random random(seed, 21);
  Matrix<double> x(n, 2);
  for (Index i = 0; i < n; ++i) {
    const double angle = 3.14159265358979 * random.uniform();
    x(i, 0) = (i % 2 == 0 ? std::cos(angle) : 1 - std::cos(angle)) + 0.1 * random.normal();
    x(i, 1) = (i % 2 == 0 ? std::sin(angle) : 0.5 - std::sin(angle)) + 0.1 * random.normal();
  }
  return x;
}

/// What every low-rank report says must hold beside LAPACK on K.
template <class T>
void expect_true(const KernelPca<T>& model, const Samples<T>& x, bool center, double slack,
                 const std::string& what) {
  const Vector<double> exact = truth(model.kernel(), x, center);
  const Report& r = model.report();
  for (Index i = 0; i < r.components; ++i) {
    EXPECT_LE(r.bounds->rigorous_low[i], exact[i] + slack) << what << ", component " << i;
    EXPECT_GE(r.bounds->rigorous_high[i], exact[i] - slack) << what << ", component " << i;
    EXPECT_LE((exact.array() - r.gram_eigenvalues[i]).abs().minCoeff(), r.residuals[i] + slack) << what;
    EXPECT_LE(r.residuals[i], r.bounds->rigorous_high[i] - r.gram_eigenvalues[i] + slack) << what;
  }
  if (r.components < exact.size()) {
    EXPECT_GE(r.missed.rigorous, exact[r.components] - slack) << what;
  }
  EXPECT_LE(r.explained_variance_ratio.sum(), 1 + 1e-9) << what;
}

TYPED_TEST(LowRankRoute, LandmarksThatDependOnEachOtherDoNoHarm) {
  using T = TypeParam;
  const Samples<T> x = Matrix<T>(noisy_moons(300, 2).template cast<T>());
  std::vector<Index> some;
  for (Index i = 0; i < 60; ++i) some.push_back(5 * i);
  for (const char* kernel :
       {"rbf(gamma=median)", "rbf(gamma=0.01)", "poly(degree=3)", "matern52(length=3)", "linear"})
    for (const Landmarks landmarks :
         {Landmarks::uniform, Landmarks::kmeans, Landmarks::given, Landmarks::pivoted})
      for (const bool center : {true, false}) {
        LowRank how{.rank = 60, .landmarks = landmarks};
        if (landmarks == Landmarks::given) how = {.landmarks = landmarks, .given = some};
        const auto options = low_rank(Kernel::parse(kernel), 5, how, center);
        const auto model = KernelPca<T>::fit(x, options);
        const double slack =
            1e-13 * model.report().n *
            std::abs(gram<double>(model.kernel(), x.template cast<double>()).diagonal().maxCoeff());
        const std::string what = std::string(kernel) + (center ? ", centred" : "");
        expect_true(model, x, center, slack, what + ", in memory");
        const auto rows = rows_of<T>(x, 77);
        expect_true(KernelPca<T>::fit(*rows, options), x, center, slack, what + ", in passes");
        const Samples<T> more = Matrix<T>(noisy_moons(100, 3).template cast<T>());
        expect_true(model.refit(more, 5), more, center, slack, what + ", on the basis of another fit");
      }
}

TEST(LowRankBasis, ThatGrowsByDependentPointsKeepsItsBoundsTrue) {
  const Matrix<double> all = noisy_moons(300, 4);
  for (const char* kernel : {"rbf(gamma=0.3)", "rbf(gamma=0.01)", "poly(degree=3)"}) {
    const Samples<double> first = Matrix<double>(all.topRows(150)),
                          more = Matrix<double>(all.bottomRows(150));
    const auto begin = KernelPca<double>::fit(
        first, low_rank(Kernel::parse(kernel), 4, {.rank = 30, .landmarks = Landmarks::uniform}));
    for (const Index rank : {0, 80})
      expect_true(begin.update(more, {.max_rank = rank}), Samples<double>(all), true, 1e-8, kernel);
  }
}

TEST(LowRankTolerance, IsAShareOfTheCentredTrace) {
  // A wide kernel: nearly all of tr K is the mean, which centring takes away.
  const Samples<double> x = Matrix<double>(noisy_moons(300, 5));
  for (const double gamma : {1e-3, 1e-2, 1.0})
    for (const bool center : {true, false}) {
      const auto model =
          KernelPca<double>::fit(x, low_rank(Kernel::rbf(gamma), 3, {.tolerance = 1e-4}, center));
      EXPECT_LE(model.report().bounds->remaining_trace, 1e-4 * truth(Kernel::rbf(gamma), x, center).sum())
          << gamma;
    }
}

TEST(LowRankTolerance, IsReachedAndDecidesTheRank) {
  const Samples<double> x = test::random_matrix<double>(800, 3, 9);
  Index before = 0;
  for (const double wanted : {1e-1, 1e-3, 1e-5}) {
    const auto model = KernelPca<double>::fit(x, low_rank(Kernel::rbf(0.2), 3, {.tolerance = wanted}));
    EXPECT_LE(model.report().bounds->remaining_trace, wanted * 800);
    EXPECT_GT(model.report().bounds->rank, before);
    before = model.report().bounds->rank;
  }
  const auto usual = KernelPca<double>::fit(x, low_rank(Kernel::rbf(0.2), 3, {}));
  EXPECT_LE(usual.report().bounds->remaining_trace, 0.8);
  KernelPcaOptions share = low_rank(Kernel::rbf(0.2), 3, {});
  share.components = Components::variance_share(0.8);
  const auto most = KernelPca<double>::fit(x, share);
  EXPECT_GE(most.report().explained_variance_ratio.sum(), 0.8);
}

TEST(LowRankThreads, DoNotChangeTheAnswer) {
  const Samples<double> x = test::random_matrix<double>(5000, 4, 10);
  const auto options = low_rank(Kernel::rbf(0.2), 4, {.rank = 120});
  const auto one = KernelPca<double>::fit(x, options, {.threads = 1}),
             three = KernelPca<double>::fit(x, options, {.threads = 3});
  EXPECT_EQ(one.report().gram_eigenvalues, three.report().gram_eigenvalues);
  EXPECT_EQ(one.scores(), three.scores());
  EXPECT_EQ(one.report().bounds->high, three.report().bounds->high);
}

TYPED_TEST(LowRankRoute, StreamedIsInMemory) {
  using T = TypeParam;
  const Samples<T> x = test::random_matrix<T>(5000, 4, 11);
  for (const Scale scale : {Scale::none, Scale::standardize})
    for (const bool center : {true, false}) {
      KernelPcaOptions options = low_rank(Kernel::rbf(0.15), 4, {.rank = 80}, center);
      options.scale = scale;
      const auto whole = KernelPca<T>::fit(x, options);
      options.lowrank = {.landmarks = Landmarks::given, .given = whole.landmarks()};
      const auto rows = rows_of<T>(x, 777);
      const auto streamed = KernelPca<T>::fit(*rows, options);
      const double top = whole.report().gram_eigenvalues[0];
      EXPECT_LE((whole.report().gram_eigenvalues - streamed.report().gram_eigenvalues).norm(),
                tolerance<T>(1e-12, 1e-5) * top);
      EXPECT_LE(double((whole.transform(x) - streamed.transform(x)).norm()),
                tolerance<T>(1e-10, 1e-3) * double(whole.scores().norm()));
      EXPECT_NEAR(whole.report().bounds->remaining_trace, streamed.report().bounds->remaining_trace,
                  tolerance<T>(1e-12, 1e-5) * 5000);
      EXPECT_THROW((void)streamed.scores(), Error);
      EXPECT_GE(streamed.report().trace, whole.report().trace * (1 - 1e-6)) << "the upper end of an interval";
      // Pivots chosen from all rows, since they fit: the same as in memory.
      options.lowrank = {.rank = 80};
      if (scale == Scale::none) {
        EXPECT_EQ(KernelPca<T>::fit(*rows, options).landmarks(), whole.landmarks());
      }
    }
}

TEST(LowRankMemory, AFactorThatDoesNotFitIsStreamedAndSaysSo) {
  const Samples<double> x = test::random_matrix<double>(30000, 4, 12);
  const auto options = low_rank(Kernel::rbf(0.15), 4, {.rank = 100});
  const auto whole = KernelPca<double>::fit(x, options),
             tight = KernelPca<double>::fit(x, options, {.memory = 16000000});
  EXPECT_NE(tight.report().plan.reason.find("the factor is not kept"), std::string::npos)
      << tight.report().plan.reason;
  EXPECT_LE(tight.report().plan.bytes, 16e6);
  ASSERT_FALSE(tight.report().notes.empty());
  EXPECT_NE(tight.report().notes[0].find("drawn at random"), std::string::npos) << tight.report().notes[0];
  EXPECT_EQ(tight.transform(x), tight.scores());
  const double apart = std::abs(tight.report().gram_eigenvalues[0] - whole.report().gram_eigenvalues[0]);
  EXPECT_LE(apart, whole.report().bounds->high[0] - whole.report().bounds->low[0]);
  try {
    (void)KernelPca<double>::fit(x, options, {.memory = 1000000});
    FAIL() << "fitted in 1 MB";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::no_memory);
  }
}

TEST(LowRankSparse, FitsCsrDataAsItFitsTheSameDense) {
  const Samples<double> sparse = test::random_sparse<double>(300, 6, 13), dense = sparse.to_dense();
  const auto options = low_rank(Kernel::rbf(0.2), 3, {.rank = 50});
  const auto a = KernelPca<double>::fit(sparse, options), b = KernelPca<double>::fit(dense, options);
  EXPECT_LE((a.report().gram_eigenvalues - b.report().gram_eigenvalues).norm(),
            1e-9 * b.report().gram_eigenvalues[0]);
  const auto rows = rows_of<double>(sparse, 100);
  const auto c = KernelPca<double>::fit(*rows, options);
  EXPECT_LE((a.report().gram_eigenvalues - c.report().gram_eigenvalues).norm(),
            1e-9 * b.report().gram_eigenvalues[0]);
}

void expect_error(ErrorCode code, const KernelPcaOptions& options, const Samples<double>& x) {
  try {
    (void)KernelPca<double>::fit(x, options);
    FAIL() << "fitted";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    EXPECT_FALSE(e.hint().empty());
  }
}

TEST(LowRankErrors, AreFoundBeforeTheWorkStarts) {
  const Samples<double> x = Matrix<double>(test::random_matrix<double>(30, 3, 14).cwiseAbs());
  for (const char* kernel : {"sigmoid", "additive_chi2", "expr('exp(-sqdist)')"})
    expect_error(ErrorCode::not_psd, low_rank(Kernel::parse(kernel), 2, {.rank = 5}), x);
  expect_error(ErrorCode::usage, low_rank(Kernel::rbf(1), 2, {.rank = 5, .tolerance = 0.1}), x);
  expect_error(ErrorCode::usage, low_rank(Kernel::rbf(1), 2, {.rank = -1}), x);
  expect_error(ErrorCode::usage, low_rank(Kernel::rbf(1), 2, {.tolerance = 2}), x);
  expect_error(ErrorCode::usage, low_rank(Kernel::rbf(1), 2, {.landmarks = Landmarks::uniform}), x);
  expect_error(ErrorCode::usage, low_rank(Kernel::rbf(1), 2, {.landmarks = Landmarks::given, .given = {30}}),
               x);
  expect_error(ErrorCode::usage,
               low_rank(Kernel::rbf(1), 2, {.landmarks = Landmarks::given, .given = {3, 3}}), x);
}

TEST(LowRankCancel, StopsInsideTheFactorTheScatterAndThePasses) {
  const Samples<double> x = test::random_matrix<double>(6000, 3, 15);
  for (const char* stage : {"factor", "scatter", "features", "bound", "transform"})
    for (const bool streamed : {false, true}) {
      std::stop_source source;
      bool seen = false;
      mercer::Run run{.stop = source.get_token()};
      run.progress = [&](std::string_view name, double fraction) {
        EXPECT_TRUE(fraction >= 0 && fraction <= 1) << name << " " << fraction;
        if (name == stage) seen = true, source.request_stop();
      };
      const auto rows = rows_of<double>(x, 1000);
      const auto options = low_rank(Kernel::rbf(1), 3, {.rank = 64});
      try {
        if (streamed)
          (void)KernelPca<double>::fit(*rows, options, run);
        else
          (void)KernelPca<double>::fit(x, options, run);
        EXPECT_FALSE(seen && std::string_view(stage) != "transform" && std::string_view(stage) != "bound")
            << stage;
      } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::cancelled) << e.what();
        EXPECT_TRUE(seen);
      }
    }
}

}  // namespace
}  // namespace mercer
