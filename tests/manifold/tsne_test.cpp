// The t-SNE model (row M11): maps, new points, files, errors.
#include <mercer/error.hpp>
#include <mercer/tsne.hpp>

#include "data/temporary_file.hpp"
#include "expect_error.hpp"
#include "model/model_file.hpp"
#include "support.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace mercer {
namespace {

using mercer::test::error_of;
using mercer::test::expect_contains;

/// Three Gaussians far apart, one after the other.
template <class T>
Matrix<T> three_clouds(Index each, std::uint64_t seed, Index d = 5) {
  Matrix<T> out = test::random_matrix<T>(3 * each, d, seed);
  for (Index cloud = 0; cloud < 3; ++cloud) out.middleRows(cloud * each, each).col(cloud).array() += T(12);
  return out;
}

/// Is each point's nearest neighbour in the map of its own cloud?
template <class T>
Index strangers(const Matrix<T>& map, Index each) {
  Index count = 0;
  for (Index i = 0; i < map.rows(); ++i) {
    Index nearest = -1;
    T least = std::numeric_limits<T>::max();
    for (Index j = 0; j < map.rows(); ++j) {
      const T d = (map.row(i) - map.row(j)).squaredNorm();
      if (j != i && d < least) {
        least = d;
        nearest = j;
      }
    }
    count += nearest / each != i / each;
  }
  return count;
}

/// The centres of the clouds lie further apart than the clouds are wide.
template <class T>
bool clouds_are_apart(const Matrix<T>& map, Index each) {
  Matrix<double> centers(3, map.cols());
  double width = 0;
  for (Index c = 0; c < 3; ++c) {
    const Matrix<double> cloud = map.middleRows(c * each, each).template cast<double>();
    centers.row(c) = cloud.colwise().mean();
    width = std::max(width, (cloud.rowwise() - centers.row(c)).rowwise().norm().maxCoeff());
  }
  double least = std::numeric_limits<double>::max();
  for (Index a = 0; a < 3; ++a)
    for (Index b = 0; b < a; ++b) least = std::min(least, (centers.row(a) - centers.row(b)).norm());
  return least > 1.5 * width;
}

TsneOptions quick(TsneGradient gradient = TsneGradient::exact) {
  return {.perplexity = 10, .iterations = 300, .exaggerated = 100, .gradient = gradient};
}

const std::vector<TsneGradient> gradients = {TsneGradient::exact, TsneGradient::barnes_hut,
                                             TsneGradient::interpolation};

template <class T>
class TsneFit : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TsneFit, Types);

TYPED_TEST(TsneFit, KeepsThreeCloudsApart) {
  using T = TypeParam;
  const Samples<T> samples = three_clouds<T>(40, 1);
  for (const TsneGradient gradient : gradients) {
    const auto model = Tsne<T>::fit(samples, quick(gradient));
    EXPECT_EQ(strangers(model.scores(), 40), 0) << name_of(gradient);
    EXPECT_TRUE(clouds_are_apart(model.scores(), 40)) << name_of(gradient);
  }
}

TYPED_TEST(TsneFit, MakesMapsOfOneAndThreeComponents) {
  using T = TypeParam;
  const Samples<T> samples = three_clouds<T>(40, 2);
  for (const Index components : {1, 3})
    for (const TsneGradient gradient : gradients) {
      if (components == 3 && gradient == TsneGradient::interpolation) continue;
      TsneOptions options = quick(gradient);
      options.components = components;
      const auto model = Tsne<T>::fit(samples, options);
      EXPECT_EQ(model.scores().cols(), components);
      EXPECT_EQ(strangers(model.scores(), 40), 0) << components << name_of(gradient);
    }
}

TYPED_TEST(TsneFit, LowersTheDivergence) {
  using T = TypeParam;
  const Samples<T> samples = three_clouds<T>(40, 3);
  for (const TsneGradient gradient : gradients) {
    const auto model = Tsne<T>::fit(samples, quick(gradient));
    const EmbeddingReport& report = *model.report().embedding;
    ASSERT_EQ(report.kl_history.size(), 6U);
    for (std::size_t i = 3; i < 6; ++i)
      EXPECT_LT(report.kl_history[i], report.kl_history[i - 1] + 1e-3) << name_of(gradient);
    EXPECT_LT(*report.kl_divergence, 0.5 * report.kl_history[0]);
    EXPECT_EQ(*report.kl_divergence, report.kl_history.back());
  }
}

TYPED_TEST(TsneFit, GradientsLeadToMapsOfTheSameDivergence) {
  using T = TypeParam;
  const Samples<T> samples = three_clouds<T>(40, 4);
  const auto divergence = [&](TsneGradient g) {
    return *Tsne<T>::fit(samples, quick(g)).report().embedding->kl_divergence;
  };
  const double tree = divergence(TsneGradient::barnes_hut), grid = divergence(TsneGradient::interpolation);
  EXPECT_NEAR(tree, grid, 0.15 * grid);  // which of many minima is found is up to the last bit
}

TYPED_TEST(TsneFit, IsTheSameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  const Samples<T> samples = three_clouds<T>(60, 5);
  for (const TsneGradient gradient : gradients) {
    const auto one = Tsne<T>::fit(samples, quick(gradient), {.threads = 1});
    const auto two = Tsne<T>::fit(samples, quick(gradient), {.threads = 2});
    EXPECT_EQ(one.scores(), two.scores()) << name_of(gradient);
    EXPECT_EQ(one.report().embedding->kl_history, two.report().embedding->kl_history);
    const Samples<T> fresh = three_clouds<T>(5, 6);
    EXPECT_EQ(one.transform(fresh, {.threads = 1}), two.transform(fresh, {.threads = 2}));
  }
}

TYPED_TEST(TsneFit, TheSeedDecidesTheRandomStart) {
  using T = TypeParam;
  const Samples<T> samples = three_clouds<T>(40, 7);
  TsneOptions options = quick();
  options.start = TsneStart::random;
  const auto a = Tsne<T>::fit(samples, options, {.seed = 1}), b = Tsne<T>::fit(samples, options, {.seed = 1});
  const auto c = Tsne<T>::fit(samples, options, {.seed = 2});
  EXPECT_EQ(a.scores(), b.scores());
  EXPECT_NE(a.scores(), c.scores());
  EXPECT_EQ(strangers(c.scores(), 40), 0);
}

TYPED_TEST(TsneFit, StartsFromTheLaplacian) {
  using T = TypeParam;
  const Samples<T> samples = three_clouds<T>(40, 7);
  for (const TsneGradient gradient : gradients) {
    TsneOptions options = quick(gradient);
    options.start = TsneStart::laplacian;
    const auto model = Tsne<T>::fit(samples, options);
    EXPECT_EQ(strangers(model.scores(), 40), 0) << name_of(gradient);
    EXPECT_TRUE(model.report().embedding->graph.has_value());
  }
}

TYPED_TEST(TsneFit, KeepsTheMapAroundTheOrigin) {
  using T = TypeParam;
  const auto map = Tsne<T>::fit(three_clouds<T>(40, 8), quick()).scores();
  EXPECT_LT(map.colwise().mean().norm(), 1e-4);
}

TYPED_TEST(TsneFit, TakesSparseRowsAsDenseOnes) {
  using T = TypeParam;
  Matrix<T> rows = three_clouds<T>(40, 9);
  rows = (rows.array().abs() < T(0.5)).select(T(0), rows);
  const SparseMatrix<T> sparse = rows.sparseView();
  const auto a = Tsne<T>::fit(Samples<T>(sparse), quick()), b = Tsne<T>::fit(Samples<T>(rows), quick());
  EXPECT_NEAR(*a.report().embedding->kl_divergence, *b.report().embedding->kl_divergence, 0.02);
  EXPECT_EQ(strangers(a.scores(), 40), 0);
}

/// Where the data has one direction only, the second axis of the map begins as noise and is used all the
/// same.
TYPED_TEST(TsneFit, UsesAxesThatTheDataDoesNotHave) {
  using T = TypeParam;
  const auto map = Tsne<T>::fit(Samples<T>(test::random_matrix<T>(120, 1, 10)), quick()).scores();
  EXPECT_GT(map.col(1).cwiseAbs().maxCoeff(), 1);
}

TYPED_TEST(TsneFit, TakesDuplicates) {
  using T = TypeParam;
  Matrix<T> rows = three_clouds<T>(40, 11);
  rows.middleRows(20, 20) = rows.topRows(1).replicate(20, 1);
  for (const TsneGradient gradient : gradients) {
    const auto model = Tsne<T>::fit(Samples<T>(rows), quick(gradient));
    EXPECT_TRUE(model.scores().allFinite());
    EXPECT_EQ(strangers(model.scores(), 40), 0);
    if (gradient == TsneGradient::exact) continue;
    EXPECT_EQ(model.report().embedding->graph->duplicates, 21);
  }
}

TYPED_TEST(TsneFit, TrainingPointsTransformedKeepTheirPlaces) {
  using T = TypeParam;
  const Matrix<T> rows = three_clouds<T>(40, 12);
  for (const Index components : {1, 2, 3}) {
    TsneOptions options = quick();
    options.components = components;
    options.scale = Scale::standardize;
    const auto model = Tsne<T>::fit(Samples<T>(rows), options);
    EXPECT_EQ(model.transform(Samples<T>(rows)), model.scores());
  }
}

/// The same points a hair away are new to the model. Each is pulled by its own neighbours alone, not by those
/// whose neighbour it is: it lands within a few percent of the map's width of its place.
TYPED_TEST(TsneFit, PointsBesideTrainingPointsLandNearTheirPlaces) {
  using T = TypeParam;
  const Matrix<T> rows = three_clouds<T>(60, 12), aside = rows.array() + T(1e-4);
  for (const Index components : {1, 2, 3}) {
    TsneOptions options = quick();
    options.components = components;
    options.iterations = 500;
    const auto model = Tsne<T>::fit(Samples<T>(rows), options);
    const Matrix<T> map = model.scores(), again = model.transform(Samples<T>(aside));
    const double width = double((map.colwise().maxCoeff() - map.colwise().minCoeff()).maxCoeff());
    std::vector<double> off;
    for (Index i = 0; i < map.rows(); ++i) off.push_back(double((map.row(i) - again.row(i)).norm()) / width);
    std::sort(off.begin(), off.end());
    EXPECT_LT(off[off.size() / 2], 0.03) << components;
    EXPECT_LT(off.back(), 0.15) << components;
  }
}

TYPED_TEST(TsneFit, NewPointsJoinTheirCloudsWhateverElseIsTransformed) {
  using T = TypeParam;
  const auto model = Tsne<T>::fit(three_clouds<T>(40, 13), quick());
  const Matrix<T> fresh = three_clouds<T>(7, 14), map = model.scores();
  const Matrix<T> together = model.transform(Samples<T>(fresh));
  for (Index i = 0; i < fresh.rows(); ++i) {
    const Matrix<T> alone = model.transform(Samples<T>(Matrix<T>(fresh.row(i))));
    EXPECT_LT((alone - together.row(i)).norm(), 1e-3);
    Index nearest = 0;
    (map.rowwise() - together.row(i)).rowwise().squaredNorm().minCoeff(&nearest);
    EXPECT_EQ(nearest / 40, i / 7);
  }
}

TYPED_TEST(TsneFit, ScalesNewPointsAsItScaledTheOthers) {
  using T = TypeParam;
  Matrix<T> rows = three_clouds<T>(40, 15);
  rows.col(0) *= T(1000);
  TsneOptions options = quick();
  options.scale = Scale::standardize;
  const auto model = Tsne<T>::fit(Samples<T>(rows), options);
  EXPECT_EQ(strangers(model.scores(), 40), 0);
  const Matrix<T> again = model.transform(Samples<T>(rows));
  Index near = 0;
  for (Index i = 0; i < rows.rows(); ++i) {
    Index nearest = 0;
    (model.scores().rowwise() - again.row(i)).rowwise().squaredNorm().minCoeff(&nearest);
    near += nearest / 40 == i / 40;
  }
  EXPECT_EQ(near, rows.rows());
}

TYPED_TEST(TsneFit, IsSavedAndRead) {
  using T = TypeParam;
  Matrix<T> rows = three_clouds<T>(40, 16);
  TsneOptions options = quick();
  options.scale = Scale::center;
  const auto model = Tsne<T>::fit(Samples<T>(rows), options);
  const test::TemporaryFile file(".mercer");
  model.save(file.path());
  ModelReader<T> reader(file.path());
  EXPECT_EQ(reader.method(), "tsne");
  const auto read = Tsne<T>::read(reader);
  EXPECT_EQ(read->scores(), model.scores());
  EXPECT_EQ(read->features(), 5);
  EXPECT_EQ(dynamic_cast<const Tsne<T>&>(*read).rows(), model.rows());
  const Samples<T> fresh = three_clouds<T>(4, 17);
  EXPECT_EQ(read->transform(fresh), model.transform(fresh));
}

/// From the end of a descent, one without exaggeration has nowhere to go.
TYPED_TEST(TsneFit, GoesOnFromAMapThatIsThere) {
  using T = TypeParam;
  const Samples<T> points = three_clouds<T>(40, 16);
  TsneOptions options = quick();
  options.iterations = 1000;
  const auto model = Tsne<T>::fit(points, options);
  options.initial = model.scores().template cast<double>();
  options.exaggeration = 1;
  options.iterations = 100;
  const auto again = Tsne<T>::fit(points, options);
  EXPECT_LE(*again.report().embedding->kl_divergence, *model.report().embedding->kl_divergence + 1e-3);
  EXPECT_LT((again.scores() - model.scores()).norm(), 0.2 * model.scores().norm());
  options.initial = Matrix<double>::Zero(7, 2);
  expect_contains(error_of([&] { (void)Tsne<T>::fit(points, options); }).what(),
                  "the map to begin with is 7x2");
  options.initial = Matrix<double>::Constant(120, 2, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(error_of([&] { (void)Tsne<T>::fit(points, options); }).code(), ErrorCode::bad_data);
}

TEST(TsneReport, SaysWhatWasDone) {
  const auto model = Tsne<double>::fit(three_clouds<double>(40, 18), quick(TsneGradient::barnes_hut));
  const Report& report = model.report();
  EXPECT_EQ(report.method, "tsne");
  EXPECT_EQ(report.n, 120);
  EXPECT_EQ(report.d, 5);
  EXPECT_EQ(report.components, 2);
  EXPECT_EQ(report.embedding->graph->search, NeighborSearch::brute);
  EXPECT_EQ(report.embedding->graph->components, 3);
  EXPECT_GT(report.embedding->graph->links, 120 * 30 / 2);
  EXPECT_GT(report.plan.bytes, 0);
  EXPECT_GT(report.plan.flops, 0);
  expect_contains(report.plan.problem, "30 neighbours");
  expect_contains(report.plan.reason, "barnes-hut was asked for");
  EXPECT_EQ(report.embedding->quality->neighbors, 12);
  EXPECT_GT(report.embedding->quality->trustworthiness, 0.9);
  std::set<std::string> stages;
  for (const auto& lap : report.seconds) stages.insert(lap.first);
  EXPECT_EQ(stages,
            (std::set<std::string>{"neighbors", "affinities", "start", "descent", "quality", "total"}));
}

TEST(TsneReport, KeepsLabelsAndColumns) {
  Dataset<double> data;
  data.samples = three_clouds<double>(20, 19, 3);
  data.columns = {"a", "b", "c"};
  data.label = make_label("cloud", std::vector<std::string>(60, "x"));
  const auto model = Tsne<double>::fit(data, {.perplexity = 5, .iterations = 10});
  EXPECT_EQ(model.columns(), data.columns);
  EXPECT_EQ(model.label()->column, "cloud");
}

TEST(TsneProgress, IsReportedWithTheDivergenceAndCanBeStopped) {
  std::stop_source source;
  double furthest = 0;
  std::string last;
  const mercer::Run run{.progress =
                            [&](std::string_view stage, double fraction) {
                              if (stage.substr(0, 3) != "map") return;
                              last = stage;
                              furthest = fraction;
                              if (fraction > 0.4) source.request_stop();
                            },
                        .stop = source.get_token()};
  const Error error = error_of([&] { Tsne<double>::fit(three_clouds<double>(40, 20), quick(), run); });
  EXPECT_EQ(error.code(), ErrorCode::cancelled);
  EXPECT_LT(furthest, 0.5);
  expect_contains(last, "KL ");
}

TEST(TsnePlan, ChoosesTheGradientByTheNumberOfPoints) {
  const auto problem = [](Index n, Index components) {
    return Tsne<float>::plan(Samples<float>(Matrix<float>(n, 2)), {.components = components}).problem;
  };
  expect_contains(problem(500, 2), "all pairs");
  expect_contains(problem(3000, 2), "barnes-hut");
  expect_contains(problem(200000, 2), "interpolation");
  expect_contains(problem(200000, 1), "interpolation");
  expect_contains(problem(200000, 3), "barnes-hut");
}

TEST(TsnePlan, KeepsToTheBudget) {
  const Samples<float> many(Matrix<float>(100000, 2));
  const Error error = error_of([&] { (void)Tsne<float>::plan(many, {}, {.memory = 50'000'000}); });
  EXPECT_EQ(error.code(), ErrorCode::no_memory);
  expect_contains(error.message(), "50 MB");
  EXPECT_EQ(error_of([&] {
              (void)Tsne<float>::plan(many, {.gradient = TsneGradient::exact}, {.memory = 8'000'000'000});
            }).code(),
            ErrorCode::no_memory);
  EXPECT_LT(Tsne<float>::plan(many, {}, {.memory = 800'000'000}).bytes, 8e8);
}

TEST(TsneErrors, OptionsThatMakeNoSense) {
  const Samples<double> samples = three_clouds<double>(20, 21);
  const auto message = [&](const TsneOptions& options) {
    const Error error = error_of([&] { (void)Tsne<double>::fit(samples, options); });
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return std::string(error.what());
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_contains(message({.components = 4}), "1, 2 or 3");
  expect_contains(message({.components = 0}), "1, 2 or 3");
  expect_contains(message({.perplexity = 60}), "at most 58");
  expect_contains(message({.perplexity = 1}), "perplexity of 1 ");
  expect_contains(message({.perplexity = nan}), "perplexity of nan");
  expect_contains(message({.perplexity = 5, .iterations = 0}), "iterations");
  expect_contains(message({.perplexity = 5, .exaggeration = 0.5}), "exaggeration of 0.5");
  expect_contains(message({.perplexity = 5, .learning_rate = -1}), "learning rate of -1");
  expect_contains(message({.perplexity = 5, .angle = 1.5}), "angle of 1.5");
  expect_contains(message({.components = 3, .perplexity = 5, .gradient = TsneGradient::interpolation}),
                  "barnes-hut");
}

TEST(TsneErrors, DataThatCannotBeMapped) {
  const TsneOptions options{.perplexity = 2};
  const auto code = [&](Matrix<double> rows) {
    return error_of([&] { (void)Tsne<double>::fit(Samples<double>(std::move(rows)), options); }).code();
  };
  EXPECT_EQ(code(Matrix<double>(0, 3)), ErrorCode::bad_data);
  EXPECT_EQ(code(test::random_matrix<double>(1, 3, 1)), ErrorCode::bad_data);
  EXPECT_EQ(code(Matrix<double>::Ones(30, 3)), ErrorCode::bad_data);
  Matrix<double> hole = test::random_matrix<double>(30, 3, 2);
  hole(4, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(code(hole), ErrorCode::bad_data);
}

/// Steps are bounded, so that the map stays in the numbers.
TEST(TsneReport, SaysThatALearningRateIsTooHigh) {
  TsneOptions options = quick();
  options.learning_rate = 1e300;
  const auto model = Tsne<double>::fit(three_clouds<double>(40, 22), options);
  EXPECT_TRUE(model.scores().allFinite());
  ASSERT_EQ(model.report().notes.size(), 1U);
  expect_contains(model.report().notes[0], "learning rate");
  EXPECT_TRUE(Tsne<double>::fit(three_clouds<double>(40, 22), quick()).report().notes.empty());
}

TEST(TsneErrors, PointsOfAnotherWidth) {
  const auto model = Tsne<double>::fit(three_clouds<double>(20, 23), {.perplexity = 5, .iterations = 10});
  EXPECT_EQ(error_of([&] { (void)model.transform(Samples<double>(Matrix<double>(2, 4))); }).code(),
            ErrorCode::bad_data);
  EXPECT_EQ(model.transform(Samples<double>(Matrix<double>(0, 5))).rows(), 0);
}

TEST(TsneNames, ParseAsTheyPrint) {
  for (const auto g :
       {TsneGradient::automatic, TsneGradient::exact, TsneGradient::barnes_hut, TsneGradient::interpolation})
    EXPECT_EQ(parse_tsne_gradient(name_of(g)), g);
  for (const auto s : {TsneStart::pca, TsneStart::laplacian, TsneStart::random})
    EXPECT_EQ(parse_tsne_start(name_of(s)), s);
  EXPECT_EQ(error_of([] { (void)parse_tsne_gradient("newton"); }).code(), ErrorCode::usage);
  EXPECT_EQ(error_of([] { (void)parse_tsne_start("noise"); }).code(), ErrorCode::usage);
}

}  // namespace
}  // namespace mercer
