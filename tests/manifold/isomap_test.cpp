// Isomap (row M11): sheets unrolled, oracles, new points, landmarks, files, errors.
#include <mercer/error.hpp>
#include <mercer/isomap.hpp>

#include "data/temporary_file.hpp"
#include "expect_error.hpp"
#include "graph/naive.hpp"
#include "manifold/geodesic_map.hpp"
#include "manifold/unrolled.hpp"
#include "model/model_file.hpp"
#include "support.hpp"

#include <limits>

namespace mercer {
namespace {

using mercer::test::error_of;
using mercer::test::expect_contains;
using test::least_r_squared;
using test::samples;
using test::swiss_roll;

const Lap no_laps = [](const std::string&) {};

/// −½HD²H with D by Floyd and Warshall on the naive graph, its eigenpairs by LAPACK.
Matrix<double> naive_lengths(const Matrix<double>& points, Index neighbors) {
  const Index n = points.rows();
  const auto lists = test::naive_lists<double>(Samples<double>(points), Samples<double>(points), neighbors,
                                               test::anywhere, true);
  Matrix<double> d = Matrix<double>::Constant(n, n, std::numeric_limits<double>::infinity());
  for (Index i = 0; i < n; ++i) {
    d(i, i) = 0;
    for (std::size_t p = 0; p < lists.neighbors(i).size(); ++p)
      d(i, lists.neighbors(i)[p]) = d(lists.neighbors(i)[p], i) = lists.distances(i)[p];
  }
  for (Index k = 0; k < n; ++k)
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) d(i, j) = std::min(d(i, j), d(i, k) + d(k, j));
  return d;
}

Block<double> double_centered(const Matrix<double>& d) {
  Block<double> k = -0.5 * d.array().square();
  const Vector<double> means = k.rowwise().mean();
  k.colwise() -= means;
  k.rowwise() -= means.transpose();
  k.array() += means.mean();
  return k;
}

double naive_residual_variance(const Matrix<double>& d, const Matrix<double>& map) {
  std::vector<double> lengths, distances;
  for (Index i = 0; i < d.rows(); ++i)
    for (Index j = 0; j < i; ++j) {
      lengths.push_back(d(i, j));
      distances.push_back((map.row(i) - map.row(j)).norm());
    }
  const auto count = static_cast<Index>(lengths.size());
  Vector<double> a = Eigen::Map<Vector<double>>(lengths.data(), count);
  Vector<double> b = Eigen::Map<Vector<double>>(distances.data(), count);
  a.array() -= a.mean();
  b.array() -= b.mean();
  return 1 - a.dot(b) * a.dot(b) / (a.squaredNorm() * b.squaredNorm());
}

template <class T>
class IsomapOf : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(IsomapOf, Types);

TYPED_TEST(IsomapOf, TheSwissRollIsItsSheet) {
  const auto roll = swiss_roll(2000, 1);
  const auto model = Isomap<TypeParam>::fit(samples<TypeParam>(roll.points));
  EXPECT_GT(least_r_squared(model.scores().template cast<double>(), roll.flat), 0.99);
  EXPECT_LT(*model.report().embedding->residual_variance, 0.01);
  EXPECT_EQ(model.report().method, "isomap");
  EXPECT_EQ(model.report().plan.route, Route::stored);
}

TEST(Isomap, OfTheSCurveIsItsSheet) {
  const auto curve = test::s_curve(700, 2);
  const auto model = Isomap<double>::fit(samples<double>(curve.points));
  EXPECT_GT(least_r_squared(model.scores(), curve.flat), 0.98);
}

TEST(Isomap, OfPointsOnALineIsTheLine) {
  Random random(5);
  const Index n = 90;
  Vector<double> at(n);
  for (Index i = 0; i < n; ++i) at[i] = random.uniform();
  Matrix<double> points = at * Eigen::RowVector3d(1, 2, -2);  // three times as long
  const auto model =
      Isomap<double>::fit(Samples<double>(points), {.components = 1, .neighbors = {.count = 10}});
  Matrix<double> truth = 3 * (at.array() - at.mean()).matrix();
  EXPECT_LT((test::with_signs_of(truth, model.scores()) - truth).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT(*model.report().embedding->residual_variance, 1e-12);
  EXPECT_NEAR(model.report().explained_variance_ratio[0], 1, 1e-9);
}

TEST(Isomap, IsClassicalScalingOfTheShortestPaths) {
  const Matrix<double> points = swiss_roll(120, 3).points;
  const Matrix<double> d = naive_lengths(points, 8);
  const Block<double> k = double_centered(d);
  const auto all = dense_eigenpairs<double>(k, 120);
  const auto model =
      Isomap<double>::fit(Samples<double>(points), {.components = 3, .neighbors = {.count = 8}});
  const Report& report = model.report();
  const double scale = all.values[0];
  EXPECT_LT((report.gram_eigenvalues - all.values.head(3)).cwiseAbs().maxCoeff(), 1e-11 * scale);
  EXPECT_NEAR(report.trace, k.trace(), 1e-11 * scale);
  EXPECT_NEAR(*report.min_eigenvalue, all.values[119], 1e-11 * scale);
  EXPECT_NEAR(report.explained_variance_ratio[0], all.values[0] / all.values.cwiseMax(0.0).sum(), 1e-11);
  const Matrix<double> truth = all.vectors.leftCols(3) * all.values.head(3).cwiseSqrt().asDiagonal();
  EXPECT_LT((test::with_signs_of(truth, model.scores()) - truth).cwiseAbs().maxCoeff(),
            1e-9 * std::sqrt(scale));
  EXPECT_NEAR(*report.embedding->residual_variance, naive_residual_variance(d, truth), 1e-10);
  EXPECT_LT(report.residuals.maxCoeff(), 1e-11 * scale);
}

TEST(Isomap, ByTilesIsTheSameAsByLapack) {
  const Matrix<double> points = swiss_roll(600, 4).points;
  const auto graph = NeighborGraph::build<double>(Samples<double>(points), {.count = 10});
  const PathFinder paths(graph.symmetric());
  Report report;
  GeodesicRequest request{.components = 3, .route = Route::dense};
  const GeodesicMap dense = geodesic_map(paths, request, report, no_laps, {});
  request.route = Route::stored;
  const GeodesicMap tiled = geodesic_map(paths, request, report, no_laps, {});
  const double scale = dense.points.cwiseAbs().maxCoeff();
  EXPECT_LT((test::with_signs_of(dense.points, tiled.points) - dense.points).cwiseAbs().maxCoeff(),
            1e-8 * scale);
  EXPECT_LT((dense.row_means - tiled.row_means).cwiseAbs().maxCoeff(), 1e-12 * dense.row_means.maxCoeff());
  EXPECT_NEAR(dense.residual_variance, tiled.residual_variance, 1e-6);
  EXPECT_NEAR(dense.solved.trace, tiled.solved.trace, 1e-11 * dense.solved.trace);
  EXPECT_LT(*tiled.solved.min_eigenvalue, 0);
  EXPECT_GE(*tiled.solved.min_eigenvalue, *dense.solved.min_eigenvalue * (1 + 1e-9));
  EXPECT_TRUE(report.notes.empty());
}

TYPED_TEST(IsomapOf, TrainingPointsComeBackToTheirPlaces) {
  const auto roll = swiss_roll(800, 6);
  const auto rows = samples<TypeParam>(roll.points);
  for (const Index landmarks : {0, 100})
    for (const double radius : {0.0, 4.0}) {
      IsomapOptions options;
      options.neighbors.radius = radius;
      options.landmarks = landmarks;
      const auto model = Isomap<TypeParam>::fit(rows, options);
      const Matrix<TypeParam> map = model.scores(), again = model.transform(rows);
      const double scale = double(map.cwiseAbs().maxCoeff());
      EXPECT_LT(double((again - map).cwiseAbs().maxCoeff()), test::tolerance<TypeParam>(1e-8, 2e-4) * scale)
          << landmarks << " landmarks, radius " << radius;
    }
}

TEST(Isomap, PutsNewPointsWhereARefitWould) {
  const Index n = 600, fresh = 60;
  const auto roll = swiss_roll(n + fresh, 7);
  const IsomapOptions options{.neighbors = {.count = 7}};  // so few points: more would jump between turns
  const auto model = Isomap<double>::fit(samples<double>(roll.points.topRows(n)), options);
  const auto refit = Isomap<double>::fit(samples<double>(roll.points), options);
  const Matrix<double> placed = model.transform(samples<double>(roll.points.bottomRows(fresh)));
  const Matrix<double> truth = test::laid_upon(refit.scores(), model.scores());
  const double spacing = test::spacing(model.scores(), 12);
  EXPECT_LT((placed - truth.bottomRows(fresh)).rowwise().norm().maxCoeff(), spacing);
  EXPECT_LT((placed - truth.bottomRows(fresh)).rowwise().norm().mean(), 0.3 * spacing);
}

TEST(Isomap, PutsAPointBetweenTwoOthersBetweenThem) {
  Matrix<double> line(20, 1);
  for (Index i = 0; i < 20; ++i) line(i, 0) = double(i);
  const auto model = Isomap<double>::fit(Samples<double>(line), {.components = 1, .neighbors = {.count = 2}});
  Matrix<double> fresh(1, 1);
  fresh << 7.25;
  const Matrix<double> map = model.scores();
  const double sign = map(19, 0) > map(0, 0) ? 1 : -1;
  EXPECT_NEAR(model.transform(Samples<double>(fresh))(0, 0), map(7, 0) + sign * 0.25, 0.05);
}

TEST(IsomapLandmarks, ThatAreAllPointsGiveTheSameMap) {
  const Matrix<double> points = swiss_roll(150, 8).points;
  const auto graph = NeighborGraph::build<double>(Samples<double>(points), {.count = 8});
  const PathFinder paths(graph.symmetric());
  std::vector<Index> all;
  for (Index i = 0; i < 150; ++i) all.push_back(i);
  Report report;
  const GeodesicRequest request{.components = 2, .route = Route::dense};
  const GeodesicMap whole = geodesic_map(paths, request, report, no_laps, {});
  const GeodesicMap placed = landmark_map(paths, all, request, report, no_laps, {});
  const double scale = whole.points.cwiseAbs().maxCoeff();
  EXPECT_LT((test::with_signs_of(whole.points, placed.points) - whole.points).cwiseAbs().maxCoeff(),
            1e-10 * scale);
  EXPECT_NEAR(whole.residual_variance, placed.residual_variance, 1e-10);
}

TEST(IsomapLandmarks, UnrollTheSheetToo) {
  const auto roll = swiss_roll(900, 9);
  IsomapOptions options;
  options.landmarks = 120;
  options.neighbors.count = 7;
  const auto model = Isomap<double>::fit(samples<double>(roll.points), options);
  EXPECT_EQ(model.report().embedding->landmarks, 120);
  EXPECT_GT(least_r_squared(model.scores(), roll.flat), 0.97);
  const auto other = Isomap<double>::fit(samples<double>(roll.points), options, {.seed = 1});
  EXPECT_NE(other.scores(), model.scores());
}

TEST(IsomapLandmarks, StandInWhereAllPointsDoNotFit) {
  const auto roll = swiss_roll(1500, 10);
  const mercer::Run small{.memory = 15'000'000};
  const auto model = Isomap<double>::fit(samples<double>(roll.points), {}, small);
  EXPECT_GT(model.report().embedding->landmarks, 50);
  EXPECT_LE(model.report().plan.bytes, 15e6);
  ASSERT_FALSE(model.report().notes.empty());
  expect_contains(model.report().notes[0], "do not fit the memory budget");
  EXPECT_GT(least_r_squared(model.scores(), roll.flat), 0.97);
  EXPECT_EQ(error_of([&] {
              (void)Isomap<double>::fit(samples<double>(roll.points), {}, {.memory = 1'000'000});
            }).code(),
            ErrorCode::no_memory);
}

TEST(IsomapLandmarks, ByBlockKrylovToo) {
  const Matrix<double> points = swiss_roll(900, 11).points;
  const auto graph = NeighborGraph::build<double>(Samples<double>(points), {.count = 10});
  const PathFinder paths(graph.symmetric());
  std::vector<Index> some;
  for (Index i = 0; i < 900; i += 2) some.push_back(i);
  Report report;
  GeodesicRequest request{.components = 2, .route = Route::dense};
  const GeodesicMap dense = landmark_map(paths, some, request, report, no_laps, {});
  request.route = Route::stored;
  const GeodesicMap few = landmark_map(paths, some, request, report, no_laps, {});
  EXPECT_LT((test::with_signs_of(dense.points, few.points) - dense.points).cwiseAbs().maxCoeff(),
            1e-7 * dense.points.cwiseAbs().maxCoeff());
}

TYPED_TEST(IsomapOf, AFileIsTheModel) {
  const auto roll = swiss_roll(300, 12);
  for (const Index landmarks : {0, 60}) {
    IsomapOptions options;
    options.landmarks = landmarks;
    options.scale = Scale::standardize;
    const auto model = Isomap<TypeParam>::fit(samples<TypeParam>(roll.points), options);
    const test::TemporaryFile file(".mercer");
    model.save(file.path());
    ModelReader<TypeParam> reader(file.path());
    EXPECT_EQ(reader.method(), "isomap");
    const auto read = Isomap<TypeParam>::read(reader);
    EXPECT_EQ(read->scores(), model.scores());
    const auto fresh = samples<TypeParam>(swiss_roll(20, 13).points);
    EXPECT_EQ(read->transform(fresh), model.transform(fresh));
  }
}

TEST(Isomap, DoesNotDependOnTheNumberOfThreads) {
  const auto rows = samples<double>(swiss_roll(900, 14).points);
  const auto one = Isomap<double>::fit(rows, {}, {.threads = 1}),
             three = Isomap<double>::fit(rows, {}, {.threads = 3});
  EXPECT_EQ(one.scores(), three.scores());
  EXPECT_EQ(one.transform(rows, {.threads = 1}), one.transform(rows, {.threads = 3}));
  EXPECT_EQ(*one.report().embedding->residual_variance, *three.report().embedding->residual_variance);
}

TEST(Isomap, TakesAGraphThatIsThere) {
  const auto rows = samples<double>(swiss_roll(300, 15).points);
  const auto graph = NeighborGraph::build<double>(rows, {.count = 9});
  const auto given = Isomap<double>::fit(rows, graph, {});
  const auto built = Isomap<double>::fit(rows, {.neighbors = {.count = 9}});
  EXPECT_EQ(given.scores(), built.scores());
  const auto fresh = samples<double>(swiss_roll(10, 16).points);
  EXPECT_EQ(given.transform(fresh), built.transform(fresh));
}

TEST(Isomap, RefusesAGraphOfOtherPointsOrOfAnotherScale) {
  const Samples<double> roll = test::swiss_roll(200, 1).points, curve = test::s_curve(200, 1).points;
  const auto graph = NeighborGraph::build<double>(roll, {.count = 10, .disconnected = Disconnected::bridge});
  EXPECT_NO_THROW((void)Isomap<double>::fit(roll, graph, {}));
  EXPECT_THROW((void)Isomap<double>::fit(curve, graph, {}), Error);
  EXPECT_THROW((void)Isomap<double>::fit(roll, graph, {.scale = Scale::standardize}), Error);
}

TEST(Isomap, RefusesALargestPieceOfEqualPoints) {
  Matrix<double> x = Matrix<double>::Zero(55, 3);
  x.bottomRows(25) = test::random_matrix<double>(25, 3, 3).array() + 100;
  const IsomapOptions options{.neighbors = {.count = 4, .disconnected = Disconnected::largest}};
  EXPECT_THROW((void)Isomap<double>::fit(Samples<double>(x), options), Error);
}

TEST(Isomap, KnowsWhatTheGraphOfARadiusTakes) {
  const Samples<double> x = test::random_matrix<double>(3000, 2, 5);
  const IsomapOptions options{.neighbors = {.radius = 1.0}, .landmarks = 20};
  mercer::Run run;
  run.memory = std::size_t{40'000'000};
  EXPECT_THROW((void)Isomap<double>::fit(x, options, run), Error);
}

TEST(Isomap, OfSparseRowsIsThatOfDenseOnes) {
  const SparseMatrix<double> sparse = test::random_sparse<double>(120, 12, 17);
  IsomapOptions options;
  options.neighbors.disconnected = Disconnected::bridge;
  const auto a = Isomap<double>::fit(Samples<double>(sparse), options);
  const auto b = Isomap<double>::fit(Samples<double>(Matrix<double>(sparse)), options);
  EXPECT_LT((a.scores() - b.scores()).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(Isomap, PutsEqualPointsInOnePlace) {
  Matrix<double> points = swiss_roll(200, 18).points;
  points.row(17) = points.row(3);
  points.row(90) = points.row(3);
  const auto model = Isomap<double>::fit(Samples<double>(points));
  const Matrix<double> map = model.scores();
  EXPECT_LT((map.row(17) - map.row(3)).norm() + (map.row(90) - map.row(3)).norm(), 1e-9);
  EXPECT_LT((model.transform(Samples<double>(points)) - map).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_EQ(model.report().embedding->graph->duplicates, 3);
}

TEST(Isomap, TreatsPiecesAsItIsTold) {
  const Matrix<double> points = test::two_clouds<double>(60, 25, 3, 40, 19);
  IsomapOptions options;
  options.neighbors.count = 6;
  const Error error = error_of([&] { (void)Isomap<double>::fit(Samples<double>(points), options); });
  EXPECT_EQ(error.code(), ErrorCode::bad_data);
  expect_contains(error.what(), "2 pieces");

  options.neighbors.disconnected = Disconnected::largest;
  const auto largest = Isomap<double>::fit(Samples<double>(points), options);
  EXPECT_EQ(largest.scores().rows(), 60);
  EXPECT_EQ(largest.rows().back(), 59);
  EXPECT_LT((largest.transform(Samples<double>(Matrix<double>(points.topRows(60)))) - largest.scores())
                .cwiseAbs()
                .maxCoeff(),
            1e-8);

  options.neighbors.disconnected = Disconnected::bridge;
  const auto bridged = Isomap<double>::fit(Samples<double>(points), options);
  EXPECT_EQ(bridged.scores().rows(), 85);
  EXPECT_LT((bridged.transform(Samples<double>(points)) - bridged.scores()).cwiseAbs().maxCoeff(), 1e-8);
  // The first coordinate tells the clouds apart.
  const Vector<double> first = bridged.scores().col(0);
  EXPECT_GT(std::abs(first.head(60).mean() - first.tail(25).mean()), 30);
}

TEST(Isomap, TakesAwkwardData) {
  for (const auto& [name, points] : test::awkward_data<double>()) {
    if (points.rows() < 3) continue;
    IsomapOptions options;
    options.components = 1;
    options.neighbors.count = std::min<Index>(5, points.rows() - 1);
    options.neighbors.disconnected = Disconnected::bridge;
    const auto model = Isomap<double>::fit(Samples<double>(points), options);
    EXPECT_TRUE(model.scores().allFinite()) << name;
    EXPECT_EQ(model.scores().rows(), points.rows()) << name;
    EXPECT_TRUE(model.transform(Samples<double>(points)).allFinite()) << name;
  }
}

TEST(Isomap, SaysWhatCannotBeDone) {
  const Matrix<double> points = swiss_roll(20, 20).points;
  const auto code = [&](Matrix<double> x, const IsomapOptions& options) {
    return error_of([&] { (void)Isomap<double>::fit(Samples<double>(std::move(x)), options); }).code();
  };
  EXPECT_EQ(code(points, {.neighbors = {.count = 20}}), ErrorCode::usage);
  EXPECT_EQ(code(points, {.components = 0}), ErrorCode::usage);
  EXPECT_EQ(code(points, {.components = 20}), ErrorCode::usage);
  EXPECT_EQ(code(points, {.landmarks = 2}), ErrorCode::usage);
  EXPECT_EQ(code(points, {.landmarks = -1}), ErrorCode::usage);
  EXPECT_EQ(code(points, {.residual = -1}), ErrorCode::usage);
  EXPECT_EQ(code(Matrix<double>::Ones(20, 3), {}), ErrorCode::bad_data);
  Matrix<double> gap = points;
  gap(4, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(code(gap, {}), ErrorCode::bad_data);
  EXPECT_EQ(code(Matrix<double>(0, 3), {}), ErrorCode::bad_data);
}

TEST(Isomap, NotesComponentsThatThereAreNot) {
  Matrix<double> line(30, 1);
  for (Index i = 0; i < 30; ++i) line(i, 0) = double(i * i);
  const auto model = Isomap<double>::fit(Samples<double>(line), {.components = 3, .neighbors = {.count = 3}});
  EXPECT_EQ(model.report().components, 1);
  EXPECT_EQ(model.report().components_requested, 3);
  EXPECT_EQ(model.scores().cols(), 1);
  ASSERT_FALSE(model.report().notes.empty());
}

TEST(Isomap, PlansBeforeItFits) {
  const auto rows = samples<double>(swiss_roll(2000, 21).points);
  const Plan plan = Isomap<double>::plan(rows);
  EXPECT_EQ(plan.route, Route::stored);
  EXPECT_GT(plan.bytes, 2000.0 * 2000 * 4);
  EXPECT_LT(plan.bytes, 2000.0 * 2000 * 8 * 3);
  EXPECT_GT(plan.flops, 0);
}

}  // namespace
}  // namespace mercer
