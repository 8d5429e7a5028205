// Choosing: the sweep finds what was built into the data, and its parts are what they say.
#include <mercer/generate.hpp>
#include <mercer/kernel_pca.hpp>
#include <mercer/tune.hpp>

#include "decompositions.hpp"
#include "model/component_rules.hpp"
#include "model/held_out.hpp"
#include "model/shares.hpp"
#include "support.hpp"

#include <algorithm>

namespace mercer {
namespace {

using test::random_matrix;

/// Three strong directions in ten dimensions.
Dataset<double> three_directions(Index n = 120) {
  Dataset<double> data;
  const Block<double> q =
      Eigen::HouseholderQR<Block<double>>(random_matrix<double>(10, 3, 2)).householderQ() *
      Block<double>::Identity(10, 3);
  data.samples = Matrix<double>(2 * random_matrix<double>(n, 3, 1) * q.transpose() +
                                0.05 * random_matrix<double>(n, 10, 3));
  return data;
}

TEST(Tune, FindsThatLinearDataNeedsNoKernelAndThreeComponents) {
  const Tuning t = tune(three_directions(),
                        {.kernels = {Kernel::rbf(Gamma::median()), Kernel::linear()}, .components = 3});
  EXPECT_EQ(t.by, TuneBy::error);
  EXPECT_EQ(t.components, 3);
  const Tuning linear = tune(three_directions(), {.kernels = {Kernel::linear()}});
  EXPECT_EQ(linear.advice.by_parallel, 3);
  ASSERT_TRUE(linear.advice.by_share);
  EXPECT_LE(*linear.advice.by_share, 3);
  EXPECT_EQ(linear.components, 3);
  EXPECT_LT(linear.trials.front().error, 0.1);
}

TEST(Tune, RanksBestFirstAndSweepsAroundTheMedian) {
  const Tuning t = tune(three_directions(), {.components = 3, .permutations = 3});
  EXPECT_GT(t.trials.size(), 20);
  for (std::size_t i = 1; i < t.trials.size(); ++i) EXPECT_LE(t.trials[i - 1].error, t.trials[i].error);
  const Samples<double> x = three_directions().samples;
  const Kernel median = Kernel::rbf(Gamma::median()).resolved(x);
  EXPECT_TRUE(std::any_of(t.trials.begin(), t.trials.end(),
                          [&](const Trial& trial) { return trial.kernel == median; }));
  EXPECT_EQ(t.trials.front().kernel.is_resolved(), true);
}

TEST(Tune, WithClassesFindsAKernelThatTellsRingsApart) {
  const auto data = generate("circles", 200, 1);
  const Tuning t =
      tune(data,
           {.kernels = {Kernel::rbf(Gamma::median()), Kernel::linear()}, .components = 1, .permutations = 3});
  EXPECT_EQ(t.by, TuneBy::accuracy);
  EXPECT_EQ(t.trials.front().kernel.to_string().substr(0, 3), "rbf");
  EXPECT_GT(*t.trials.front().accuracy, 0.95);
  const auto linear =
      std::find_if(t.trials.begin(), t.trials.end(), [](const Trial& x) { return x.family == 1; });
  EXPECT_LT(*linear->accuracy, 0.9);
  const Tuning aligned = tune(data, {.components = 1, .by = TuneBy::alignment, .permutations = 3});
  for (std::size_t i = 1; i < aligned.trials.size(); ++i)
    EXPECT_GE(*aligned.trials[i - 1].alignment, *aligned.trials[i].alignment);
}

TEST(Tune, IsTheSameForASeedAndAnyNumberOfThreads) {
  const TuneOptions options{.kernels = {Kernel::rbf(Gamma::median())}, .rows = 100, .permutations = 3};
  const Tuning a = tune(three_directions(150), options, {.threads = 1, .seed = 5}),
               b = tune(three_directions(150), options, {.threads = 4, .seed = 5});
  ASSERT_EQ(a.trials.size(), b.trials.size());
  for (std::size_t i = 0; i < a.trials.size(); ++i) {
    EXPECT_EQ(a.trials[i].kernel, b.trials[i].kernel);
    EXPECT_EQ(a.trials[i].error, b.trials[i].error);
  }
  EXPECT_EQ(a.components, b.components);
  EXPECT_EQ(a.rows, 100);
  ASSERT_FALSE(a.notes.empty());
  EXPECT_NE(a.notes.front().find("100 of 150 rows"), std::string::npos);
}

TEST(Tune, KernelsWithNumbersAreTriedAsTheyAre) {
  const Tuning t =
      tune(three_directions(), {.kernels = {Kernel::rbf(0.25)}, .components = 2, .permutations = 2});
  ASSERT_EQ(t.trials.size(), 1);
  EXPECT_EQ(t.trials.front().kernel, Kernel::rbf(0.25));
}

TEST(HeldOutErrors, UseTheScoresThatTheModelWouldGive) {
  // One fold left out: its accuracy by hand from a model of the rest.
  const auto data = generate("moons", 60, 2);
  const Samples<double> x = data.samples;
  std::vector<Index> fold(60);
  for (std::size_t i = 0; i < 60; ++i) fold[i] = static_cast<Index>(i % 3);
  const Kernel kernel = Kernel::rbf(2);
  const HeldOut held = held_out_errors(gram(kernel, x), x.to_dense(), data.label->codes, fold, 3, 4, {});
  Index right = 0;
  for (Index f = 0; f < 3; ++f) {
    std::vector<Index> train, test;
    for (Index i = 0; i < 60; ++i) (fold[static_cast<std::size_t>(i)] == f ? test : train).push_back(i);
    const auto model = KernelPca<double>::fit(x.select_rows(train), {.components = 4, .kernel = kernel});
    const Matrix<double> z = model.scores(), t = model.transform(x.select_rows(test));
    for (Index i = 0; i < t.rows(); ++i) {
      std::vector<std::pair<double, Index>> near;
      for (Index j = 0; j < z.rows(); ++j) near.emplace_back((t.row(i) - z.row(j)).squaredNorm(), j);
      std::sort(near.begin(), near.end());
      int ones = 0;
      for (std::size_t j = 0; j < 5; ++j)
        ones += data.label->codes[static_cast<std::size_t>(train[static_cast<std::size_t>(near[j].second)])];
      right += (ones >= 3) ==
               (data.label->codes[static_cast<std::size_t>(test[static_cast<std::size_t>(i)])] == 1);
    }
  }
  EXPECT_NEAR(held.accuracy, double(right) / 60, 1e-12);
  EXPECT_GT(held.error, 0);
  EXPECT_LT(held.error, 1);
}

TEST(ComponentRules, TheKneeIsWhereTheCurveTurns) {
  Vector<double> v(8);
  v << 10, 8, 6, 0.5, 0.4, 0.3, 0.2, 0.1;
  EXPECT_EQ(knee_of(v), 4);
  EXPECT_EQ(knee_of(Vector<double>::Ones(5)), 1);
}

TEST(ComponentRules, NoiseHasNoComponents) {
  Dataset<double> noise;
  noise.samples = random_matrix<double>(150, 8, 9);
  const Tuning t = tune(noise, {.kernels = {Kernel::linear()}, .permutations = 40});
  EXPECT_LE(t.advice.by_parallel, 1);
  EXPECT_GE(t.components, 1);
}

TEST(ComponentRules, AShareThatIsNotReachedIsNotReported) {
  Vector<double> v(3);
  v << 5, 3, 1;
  EXPECT_EQ(count_for_share(v, 0.8, 10), 2);
  EXPECT_EQ(count_for_share(v, 0.95, 10), std::nullopt);
  EXPECT_EQ(count_for_share(v, 1, 9 * (1 + 5e-15)), 3);  // the rest is rounding
  Dataset<double> noise;
  noise.samples = random_matrix<double>(150, 40, 9);
  const Tuning t = tune(noise, {.kernels = {Kernel::rbf(10)}, .components = 2, .permutations = 1});
  EXPECT_EQ(t.advice.eigenvalues.size(), 100);
  EXPECT_EQ(t.advice.by_share, std::nullopt);
}

TEST(Tune, AdvisesNoMoreComponentsThanThereAre) {
  const auto components = [](const Kernel& kernel, Index rows) {
    return tune(three_directions(40),
                {.kernels = {kernel}, .components = 500, .rows = rows, .permutations = 1})
        .components;
  };
  EXPECT_EQ(components(Kernel::rbf(1), 600), 39);
  EXPECT_EQ(components(Kernel::linear(), 600), 10);
  EXPECT_EQ(components(Kernel::linear(), 30), 39);  // rows that were not looked at may hold more
}

TEST(TuneErrors, TooLittleMemoryIsSaidBeforeTheWork) {
  const auto data = three_directions(200);
  try {
    (void)tune(data, {.permutations = 1}, {.memory = 500'000});
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::no_memory);
    EXPECT_NE(e.hint().find("--rows"), std::string::npos);
  }
  EXPECT_NO_THROW((void)tune(data, {.kernels = {Kernel::rbf(1)}, .rows = 50, .permutations = 1},
                             {.threads = 1, .memory = 500'000}));
}

TEST(TuneErrors, AreClear) {
  const auto code = [](const Dataset<double>& data, const TuneOptions& options) {
    try {
      (void)tune(data, options);
    } catch (const Error& e) {
      return e.code();
    }
    return ErrorCode::internal;
  };
  EXPECT_EQ(code(three_directions(), {.by = TuneBy::accuracy}), ErrorCode::usage);
  EXPECT_EQ(code(three_directions(), {.folds = 1}), ErrorCode::usage);
  EXPECT_EQ(code(three_directions(), {.rows = 3}), ErrorCode::usage);
  EXPECT_EQ(code(three_directions(4), {}), ErrorCode::bad_data);
  EXPECT_EQ(code(three_directions(), {.kernels = {Kernel::precomputed()}}), ErrorCode::usage);
  EXPECT_EQ(code(three_directions(), {.kernels = {Kernel::chi2(1)}}), ErrorCode::bad_data);
  EXPECT_THROW((void)parse_tune_by("luck"), Error);
}

}  // namespace
}  // namespace mercer
