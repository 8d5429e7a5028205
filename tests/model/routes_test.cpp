// Every exact route against LAPACK on the same data: values within their certificate, the same scores, and
// bounds that hold, on thousands of cases of which many are meant to break them.
#include <mercer/kernel_pca.hpp>

#include "cases.hpp"
#include "support.hpp"

#include <chrono>
#include <stop_token>

namespace mercer {
namespace {

using test::tolerance;

struct Way {
  std::string name;
  Route route;
  bool rounded = false;  ///< tiles kept in float though the data is in double: by a budget
};

const std::vector<Way>& ways() {
  static const std::vector<Way> all{{"dense", Route::dense},
                                    {"stored", Route::stored},
                                    {"stored in float", Route::stored, true},
                                    {"tiled", Route::tiled}};
  return all;
}

/// Fits by that way; the budget is what makes the tiles float.
template <class T>
KernelPca<T> fit(const Samples<T>& x, KernelPcaOptions options, const Way& way, mercer::Run run = {}) {
  options.route = way.route;
  if (way.rounded && std::is_same_v<T, double>)
    run.memory = static_cast<std::size_t>(KernelPca<T>::plan(x, options, run).bytes) - 1;
  auto model = KernelPca<T>::fit(x, options, run);
  EXPECT_EQ(model.report().plan.route, way.route);
  if (std::is_same_v<T, double> && way.route == Route::stored) {
    EXPECT_EQ(model.report().plan.rounded, way.rounded) << way.name;
  }
  return model;
}

/// The kernel matrix of the points as the model sees them, in double; and what rounding makes of it.
struct Truth {
  Vector<double> values;
  double trace = 0, rounding = 0;
};

template <class T>
Truth truth_of(const Kernel& kernel, const Samples<T>& x, bool center, Index count) {
  Block<double> k = gram<double>(kernel, x.template cast<double>());
  Truth out;
  out.rounding = 1e-14 * k.norm();
  if (center) {
    k.rowwise() -= k.colwise().mean().eval();
    k.colwise() -= k.rowwise().mean().eval();
  }
  out.trace = k.trace();
  const Index n = k.rows(), first = std::min(count, n);
  const Spectrum<double> s = dense_eigenpairs<double>(k, n <= 150 ? n : first);
  out.values = s.values.head(first);
  out.rounding += (k * s.vectors.leftCols(first) - s.vectors.leftCols(first) * out.values.asDiagonal())
                      .colwise()
                      .norm()
                      .maxCoeff();
  return out;
}

/// Values, their order and the bounds, against the truth.
template <class T>
void expect_certified(const KernelPca<T>& model, const Truth& truth, const std::string& name) {
  const Report& r = model.report();
  const Index k = r.components;
  for (Index i = 0; i < k; ++i)
    ASSERT_NEAR(r.gram_eigenvalues[i], truth.values[i], r.residuals[i] * (1 + 1e-9) + truth.rounding)
        << name << ", value " << i;
  EXPECT_NEAR(r.trace, truth.trace, 1e-12 * std::abs(truth.trace) + 10 * truth.rounding) << name;
  if (k < truth.values.size()) {
    EXPECT_GE(r.missed.rigorous, truth.values[k] - truth.rounding) << name << ", rigorous bound";
    EXPECT_GE(r.missed.probable, truth.values[k] - truth.rounding) << name << ", probable bound";
  }
  EXPECT_LE(r.missed.probable, r.missed.rigorous * (1 + 1e-12) + truth.rounding) << name;
}

template <class T>
class Routes : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Routes, Types);

TYPED_TEST(Routes, GiveWhatTheDenseRouteGives) {
  using T = TypeParam;
  const Samples<T> x = test::random_matrix<T>(650, 4, 1), fresh = test::random_matrix<T>(30, 4, 2);
  for (const char* text : {"rbf(gamma=0.05)", "laplacian(gamma=0.1)", "matern52(length=3)", "linear",
                           "poly(degree=2, gamma=0.2, coef0=1)", "rbf(gamma=0.1) + 0.1*linear"})
    for (bool center : {true, false}) {
      const KernelPcaOptions options{.components = 4, .kernel = Kernel::parse(text), .center = center};
      const Truth truth = truth_of<T>(options.kernel, x, center, 5);
      const auto dense = fit<T>(x, options, ways()[0]);
      const Matrix<double> expected = dense.transform(fresh).template cast<double>();
      const double gap = (truth.values.head(4) - truth.values.tail(4)).minCoeff() / truth.values[0];
      for (const Way& way : ways()) {
        const std::string name = std::string(text) + ", " + way.name + (center ? "" : ", not centred");
        const auto model = fit<T>(x, options, way);
        ASSERT_EQ(model.components(), 4) << name;
        expect_certified(model, truth, name);
        EXPECT_LE(model.report().residuals.maxCoeff(),
                  tolerance<T>(1e-10, 2e-5) * truth.values[0] + truth.rounding)
            << name;
        EXPECT_LE((model.report().explained_variance_ratio * truth.trace - truth.values.head(4)).norm(),
                  tolerance<T>(1e-9, 1e-5) * truth.values[0])
            << name;
        const double close = tolerance<T>(1e-9, 1e-4) / gap;  // of vectors: residual over gap
        const Matrix<double> scores = dense.scores().template cast<double>();
        EXPECT_LE((test::with_signs_of(scores, model.scores()) - scores).norm(), close * scores.norm())
            << name;
        EXPECT_LE((test::with_signs_of(scores, model.transform(x)) - scores).norm(), close * scores.norm())
            << name;
        const Matrix<double> there = model.transform(fresh).template cast<double>();
        EXPECT_LE((test::with_signs_of(expected, there) - expected).norm(), close * expected.norm()) << name;
      }
    }
}

/// Data on which a bound or an iteration may go wrong.
struct Adversary {
  std::string name;
  Matrix<double> points;
  Kernel kernel;
  bool center = true;
  Index count = 3;
};

Adversary adversary(std::uint64_t trial, Index n) {
  Random random(trial, 77);
  const Index d = 1 + static_cast<Index>(random.below(6));
  Adversary out{.name = {}, .points = test::random_matrix<double>(n, d, trial), .kernel = Kernel::rbf(0.2)};
  out.center = random.below(3) != 0;
  out.count = 1 + static_cast<Index>(random.below(6));
  Matrix<double>& x = out.points;
  const double gammas[] = {1e-8, 1e-3, 0.1, 1.0, 30.0, 1e6};
  const double gamma = gammas[random.below(6)];
  out.kernel = Kernel::rbf(gamma);
  switch (trial % 10) {
    case 0:
      out.name = "plain";
      break;
    case 1: {
      out.name = "copies of one cluster";  // translated by powers of two: exactly equal eigenvalues
      const Index copies = 2 + static_cast<Index>(random.below(14)), size = n / copies;
      for (Index i = 0; i < n; ++i) {
        for (Index c = 0; c < d; ++c) x(i, c) = std::round(16 * x(i % size, c)) / 16;
        x(i, 0) += 4096 * double(i / size);
      }
      out.kernel = Kernel::rbf(0.1);
      break;
    }
    case 2:
      out.name = "one dominant point";
      x.row(static_cast<Index>(random.below(std::uint64_t(n)))) *= 1e5;
      out.kernel = trial % 20 < 10 ? Kernel::linear() : Kernel::polynomial(2, 0.1, 1);
      break;
    case 3:
      out.name = "duplicates";
      for (Index i = n / 3; i < n; ++i) x.row(i) = x.row(i % std::max<Index>(1, n / 3));
      break;
    case 4:
      out.name = "few distinct points";
      for (Index i = 7; i < n; ++i) x.row(i) = x.row(i % 7);
      break;
    case 5:
      out.name = "rank deficient";
      x = (test::random_matrix<double>(n, 2, trial) * test::random_matrix<double>(2, d + 2, trial + 1))
              .eval();
      out.kernel = Kernel::linear();
      break;
    case 6:
      out.name = "constant columns";
      x.col(0).setConstant(3);
      break;
    case 7:
      out.name = "far from the origin";
      x.array() += 1e8;
      break;
    case 8:
      out.name = "laplacian";
      out.kernel = Kernel::laplacian(gamma);
      break;
    default:
      out.name = "sum";
      out.kernel = Kernel::rbf(gamma) + Kernel::linear();
  }
  out.name += ", trial " + std::to_string(trial) + ", n " + std::to_string(n) + ", k " +
              std::to_string(out.count) + (out.center ? "" : ", not centred") + ", " + out.kernel.to_string();
  return out;
}

template <class T>
void expect_bounded(std::uint64_t trial, Index n, const Way& way, const mercer::Run& run) {
  const Adversary a = adversary(trial, n);
  const Samples<T> x = Matrix<T>(a.points.cast<T>());
  const std::string name = a.name + ", " + way.name + (sizeof(T) == 4 ? ", float" : "");
  try {
    const auto model = fit<T>(x, {.components = a.count, .kernel = a.kernel, .center = a.center}, way, run);
    expect_certified(model, truth_of<T>(a.kernel, x, a.center, a.count + 1), name);
  } catch (const Error& e) {
    ADD_FAILURE() << name << ": " << e.what();
  }
}

TEST(RouteBounds, HoldOnAThousandSmallCases) {
  for (std::uint64_t trial = 0; trial < 1000; trial += test::stride) {
    const Index n = 40 + static_cast<Index>(trial * 7 % 81);
    const Way& way = ways()[trial % 3 == 2 ? 0 : trial % 3 == 1 ? 1 : 3];
    if (trial % 4 == 3)
      expect_bounded<float>(trial, n, way, {.threads = 1, .seed = trial});
    else
      expect_bounded<double>(trial, n, way, {.threads = 1, .seed = trial});
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(RouteBounds, HoldWhereTheIterationIsReal) {
  for (std::uint64_t trial = 0; trial < 60; trial += test::stride) {
    const Index n = 500 + static_cast<Index>(trial * 37 % 200);
    const Way& way = ways()[1 + trial / 10 % 3];
    if (trial % 7 == 6)
      expect_bounded<float>(trial, n, way, {.seed = trial});
    else
      expect_bounded<double>(trial, n, way, {.seed = trial});
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(RouteBounds, HoldWhereLandmarksLead) {  // tiled, from 2,000 points on
  for (std::uint64_t trial = 0; trial < 10; trial += test::stride) {
    expect_bounded<double>(trial, 2010, ways()[3], {.seed = trial});
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// What is reported, in order, by a fit that is let go on.
std::vector<std::string> stages_of(const Samples<double>& x, const KernelPcaOptions& options,
                                   const Way& way) {
  std::vector<std::string> out;
  mercer::Run run{.threads = 1};
  run.progress = [&](std::string_view stage, double) { out.emplace_back(stage); };
  (void)fit<double>(x, options, way, run);
  return out;
}

TEST(RouteCancel, StopsAtTheFirstAMiddleAndALateReportOfEveryStage) {
  const Samples<double> small = test::random_matrix<double>(900, 3, 3),
                        large = test::random_matrix<double>(2600, 3, 3);
  const KernelPcaOptions options{.components = 6, .kernel = Kernel::rbf(0.3)};
  for (const Way& way : ways()) {
    const Samples<double>& x = way.route == Route::tiled ? large : small;
    const std::vector<std::string> stages = stages_of(x, options, way);
    ASSERT_GE(stages.size(), 2U) << way.name;
    std::vector<std::string> names;
    for (const std::string& s : stages)
      if (std::find(names.begin(), names.end(), s) == names.end()) names.push_back(s);
    EXPECT_GE(names.size(), 2U) << way.name << ": the matrix and its eigenvectors";
    for (const std::string& stage : names)
      for (double when : {0.0, 0.5, 0.9}) {
        const auto all =
            std::count(stages.begin(), stages.end() - 1, stage);  // nothing follows the very last
        if (all == 0) continue;
        const auto at = static_cast<std::ptrdiff_t>(when * double(all - 1));
        const std::string name =
            way.name + ", " + stage + " " + std::to_string(at) + " of " + std::to_string(all);
        std::stop_source source;
        std::ptrdiff_t seen = 0;
        int afterwards = 0;
        mercer::Run run{.threads = 1, .stop = source.get_token()};
        run.progress = [&](std::string_view now, double) {
          if (source.stop_requested()) ++afterwards;
          if (now == stage && seen++ == at) source.request_stop();
        };
        try {
          (void)fit<double>(x, options, way, run);
          ADD_FAILURE() << "went on: " << name;
        } catch (const Error& e) {
          EXPECT_EQ(e.code(), ErrorCode::cancelled) << name;
        }
        EXPECT_TRUE(source.stop_requested()) << name;
        EXPECT_LE(afterwards, 1) << "work went on: " << name;
      }
  }
}

TEST(RouteCancel, StopsWithSeveralThreads) {
  const Samples<double> x = test::random_matrix<double>(2600, 3, 3);
  for (const Way& way : ways()) {
    if (way.route == Route::dense) continue;
    for (int at : {1, 3, 8}) {
      std::stop_source source;
      int calls = 0;
      mercer::Run run{.threads = 3, .stop = source.get_token()};
      run.progress = [&](std::string_view, double) {
        if (++calls == at) source.request_stop();
      };
      const auto began = std::chrono::steady_clock::now();
      try {
        (void)fit<double>(x, {.components = 6, .kernel = Kernel::rbf(0.3)}, way, run);
        EXPECT_LE(calls, at) << way.name << " went on after report " << at;  // it may report less than that
      } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::cancelled) << way.name << ", report " << at;
      }
      EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(60)) << way.name;
    }
  }
}

TEST(Plans, CountTheCopiesThatTheDataNeeds) {
  const Matrix<double> x = test::random_matrix<double>(3000, 200, 5);
  const double entries = 3000 * 200;
  const auto bytes = [&](const auto& samples, const char* kernel, Scale scale, Route route) {
    using Fit = KernelPca<std::decay_t<decltype(samples(0, 0))>>;
    return Fit::plan(samples, {.kernel = Kernel::parse(kernel), .scale = scale, .route = route}).bytes;
  };
  const Matrix<double> shifted = x.array() + 100;
  const Matrix<float> narrow = x.cast<float>();
  const char* kernel = "rbf(gamma=0.01) - 0.1*rbf(gamma=0.02)";  // not known to be PSD: no landmarks
  const double plain = bytes(x, kernel, Scale::none, Route::tiled);
  EXPECT_GE(plain, 12 * entries) << "the data, and in float";
  EXPECT_NEAR(bytes(shifted, kernel, Scale::none, Route::tiled) - plain, 12 * entries, 1)
      << "far from the mean: shifted, in double and in float";
  EXPECT_NEAR(bytes(shifted, kernel, Scale::standardize, Route::tiled) - plain, 8 * entries, 1);
  EXPECT_NEAR(bytes(narrow, kernel, Scale::none, Route::tiled) - plain, 4 * entries, 1) << "and in double";
  EXPECT_GE(bytes(shifted, "rbf(gamma=0.01)", Scale::none, Route::tiled) -
                bytes(x, "rbf(gamma=0.01)", Scale::none, Route::tiled),
            8 * entries)
      << "for the landmarks";
  EXPECT_NEAR(bytes(shifted, "linear", Scale::none, Route::tiled),
              bytes(x, "linear", Scale::none, Route::tiled), 1);
  EXPECT_NEAR(bytes(shifted, "rbf(gamma=0.01)", Scale::none, Route::stored) -
                  bytes(x, "rbf(gamma=0.01)", Scale::none, Route::stored),
              8 * entries, 1);
}

}  // namespace
}  // namespace mercer
