// Maximum variance unfolding (row M11): known optima, links kept, both programs, new points, files, errors.
#include <mercer/mvu.hpp>

#include "data/temporary_file.hpp"
#include "decompositions.hpp"
#include "expect_error.hpp"
#include "model/model_file.hpp"
#include "support.hpp"

#include <limits>
#include <numbers>
#include <stop_token>

namespace mercer {
namespace {

using mercer::test::error_of;
using mercer::test::expect_contains;
using std::numbers::pi;

/// A sheet bent to an S (scikit-learn's S-curve), and its two intrinsic coordinates.
struct Sheet {
  Matrix<double> points, flat;
};
Sheet s_curve(Index n, std::uint64_t seed) {
  Random random(seed);
  Sheet out{Matrix<double>(n, 3), Matrix<double>(n, 2)};
  for (Index i = 0; i < n; ++i) {
    const double t = 3 * pi * (random.uniform() - 0.5), height = 2 * random.uniform();
    out.points.row(i) << std::sin(t), height, (t > 0 ? 1 : -1) * (std::cos(t) - 1);
    out.flat.row(i) << t, height;
  }
  return out;
}

/// Points of a plane that lies askew in space.
Matrix<double> plane(Index n, std::uint64_t seed, Matrix<double>* flat = nullptr) {
  Random random(seed);
  Matrix<double> places(n, 2);
  for (Index i = 0; i < n; ++i) places.row(i) << 3 * random.uniform(), random.uniform();
  if (flat) *flat = places;
  Matrix<double> axes(2, 3);
  axes << 1, 2, 2, 2, 1, -2;
  return places * axes / 3;
}

/// A graph of these links alone.
NeighborGraph graph_of(const Matrix<double>& points, const std::vector<std::pair<Index, Index>>& links) {
  NeighborLists lists;
  lists.begin.push_back(0);
  for (Index i = 0; i < points.rows(); ++i) {
    for (const auto& link : links)
      if (link.first == i || link.second == i) {
        const Index j = link.first == i ? link.second : link.first;
        lists.index.push_back(static_cast<std::int32_t>(j));
        lists.distance.push_back((points.row(i) - points.row(j)).norm());
      }
    lists.begin.push_back(static_cast<Index>(lists.index.size()));
  }
  return NeighborGraph(std::move(lists), {.count = 2}, {.links = static_cast<Index>(links.size())});
}

/// How far `b` lies from `a` after it has been turned and moved: root mean square over a's spread.
double procrustes(const Matrix<double>& a, const Matrix<double>& b) {
  const Block<double> x = a.rowwise() - a.colwise().mean(), y = b.rowwise() - b.colwise().mean();
  const Eigen::JacobiSVD<Block<double>> svd(y.transpose() * x, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return (y * svd.matrixU() * svd.matrixV().transpose() - x).norm() / x.norm();
}

/// R² of a linear fit of `target` by the map.
double fitted(const Matrix<double>& map, const Vector<double>& target) {
  Block<double> a(map.rows(), map.cols() + 1);
  a << map, Vector<double>::Ones(map.rows());
  const Vector<double> rest = a * Eigen::HouseholderQR<Block<double>>(a).solve(target) - target;
  return 1 - rest.squaredNorm() / (target.array() - target.mean()).square().sum();
}

template <class T>
Samples<T> samples_of(const Matrix<double>& points) {
  return Samples<T>(Matrix<T>(points.cast<T>()));
}

template <class T>
class MvuFit : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MvuFit, Types);

TYPED_TEST(MvuFit, StraightensAChainOfPoints) {
  using T = TypeParam;
  const Index n = 12;
  Matrix<double> arc(n, 2);
  std::vector<std::pair<Index, Index>> links;
  for (Index i = 0; i < n; ++i) {
    const double angle = 1.7 * pi * double(i) / double(n);
    arc.row(i) << std::cos(angle), std::sin(angle);
    if (i > 0) links.emplace_back(i - 1, i);
  }
  const double side = (arc.row(1) - arc.row(0)).norm();
  const auto model = Mvu<T>::fit(samples_of<T>(arc), graph_of(arc, links), {.components = 2});
  double variance = 0;
  for (Index i = 0; i < n; ++i) variance += std::pow(side * (double(i) - double(n - 1) / 2), 2);
  const Report& report = model.report();
  EXPECT_NEAR(report.trace, variance, 1e-5 * variance);
  EXPECT_NEAR(report.explained_variance_ratio[0], 1, 1e-5);
  ASSERT_EQ(report.components, 1) << "a line has one dimension";
  expect_contains(report.notes.back() + report.notes[1], "only 1 of the 2 components");
  for (Index i = 1; i < n; ++i)
    EXPECT_NEAR(std::abs(double(model.scores()(i, 0)) - double(model.scores()(i - 1, 0))), side, 1e-4 * side);
}

TYPED_TEST(MvuFit, LeavesASquareWithItsDiagonals) {
  using T = TypeParam;
  Matrix<double> square(4, 3);
  square << 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1;
  const auto model = Mvu<T>::fit(samples_of<T>(square), {.components = 2, .neighbors = {.count = 3}});
  EXPECT_LT(procrustes(square.leftCols(2), model.scores().template cast<double>()), 1e-5);
  EXPECT_NEAR(model.report().trace, 2, 1e-5);
  EXPECT_LT(*model.report().embedding->isometry_error, 1e-5);
}

TEST(Mvu, FindsTheLargestTraceOfASquareWithoutDiagonals) {
  // Σ of both squared diagonals of a quadrilateral is at most that of its sides: trace (4 + 4)/4.
  Matrix<double> bent(4, 3);
  bent << 0, 0, 0, 1, 0, 0, 0.5, std::sqrt(0.75), 0, 0.5, std::sqrt(0.75) - 1, 0;
  bent.row(3) = bent.row(0) + bent.row(2) - bent.row(1);
  const auto model =
      Mvu<double>::fit(Samples<double>(bent), graph_of(bent, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}), {});
  EXPECT_NEAR(model.report().trace, 2, 1e-5);
}

TYPED_TEST(MvuFit, FindsAPlaneInSpaceByEitherProgram) {
  using T = TypeParam;
  Matrix<double> flat;
  const Matrix<double> points = plane(70, 1, &flat);
  for (const Index basis : {0, 25}) {
    const auto model =
        Mvu<T>::fit(samples_of<T>(points), {.components = 2, .neighbors = {.count = 8}, .basis = basis});
    EXPECT_EQ(model.report().plan.route, basis ? Route::lowrank : Route::dense);
    EXPECT_LT(procrustes(flat, model.scores().template cast<double>()), basis ? 2e-2 : 1e-3);
    EXPECT_LT(*model.report().embedding->isometry_mean, basis ? 5e-3 : 1e-3);
  }
}

TEST(Mvu, KeepsDistancesOfNeighborsInK) {
  const Sheet sheet = s_curve(60, 2);
  const Samples<double> samples(sheet.points);
  const NeighborGraph graph = NeighborGraph::build<double>(samples, {.count = 4});
  const auto model = Mvu<double>::fit(samples, graph, {.components = 59});
  const Matrix<double> map = model.scores();  // all of K's dimensions
  double change = 0, spread = 0;
  Index links = 0;
  for (Index i = 0; i < 60; ++i)
    for (std::size_t p = 0; p < 4; ++p, ++links) {
      const double d = graph.lists().distances(i)[p];
      change += std::abs((map.row(i) - map.row(graph.lists().neighbors(i)[p])).squaredNorm() / (d * d) - 1);
    }
  spread = (sheet.points.rowwise() - sheet.points.colwise().mean()).squaredNorm();
  EXPECT_LT(change / double(links), 1e-2);
  EXPECT_GT(model.report().trace, 1.5 * spread);
  EXPECT_LT(map.colwise().sum().cwiseAbs().maxCoeff(), 1e-8 * map.norm()) << "centred";
}

TEST(Mvu, ReportsTheEigenproblemOfK) {
  const Sheet sheet = s_curve(80, 3);
  const auto model = Mvu<double>::fit(Samples<double>(sheet.points), {.components = 3});
  const Report& report = model.report();
  const Matrix<double> map = model.scores();
  const Block<double> inner = map.transpose() * map;
  for (Index k = 0; k < 3; ++k) {
    EXPECT_NEAR(inner(k, k), report.gram_eigenvalues[k], 1e-9 * report.trace);
    EXPECT_NEAR(report.explained_variance_ratio[k], report.gram_eigenvalues[k] / report.trace, 1e-12);
    EXPECT_LT(report.residuals[k], 1e-10 * report.trace);
    for (Index l = 0; l < k; ++l) EXPECT_NEAR(inner(k, l), 0, 1e-9 * report.trace);
  }
  EXPECT_EQ(report.method, "mvu");
  EXPECT_TRUE(report.converged);
  EXPECT_TRUE(report.embedding->quality.has_value());
  EXPECT_GT(report.embedding->quality->trustworthiness, 0.98);
}

TYPED_TEST(MvuFit, UnrollsASheetByTheReducedProgram) {
  using T = TypeParam;
  const Sheet sheet = s_curve(400, 4);
  const auto model = Mvu<T>::fit(samples_of<T>(sheet.points), {.neighbors = {.count = 10}});
  EXPECT_EQ(model.report().plan.route, Route::lowrank);
  const Matrix<double> map = model.scores().template cast<double>();
  EXPECT_GT(fitted(map, sheet.flat.col(0)), 0.999);
  EXPECT_GT(fitted(map, sheet.flat.col(1)), 0.99);
  EXPECT_LT(*model.report().embedding->isometry_mean, 0.03);
  EXPECT_GT(model.report().explained_variance_ratio.sum(), 0.99);
}

TEST(Mvu, BothProgramsUnrollASheetAlike) {
  const Sheet sheet = s_curve(100, 5);
  const Samples<double> samples(sheet.points);
  const auto whole = Mvu<double>::fit(samples, {.neighbors = {.count = 5}});
  const auto reduced = Mvu<double>::fit(samples, {.neighbors = {.count = 5}, .basis = 30});
  EXPECT_LT(procrustes(whole.scores(), reduced.scores()), 0.1);
  EXPECT_NEAR(reduced.report().trace, whole.report().trace, 0.05 * whole.report().trace);
}

TYPED_TEST(MvuFit, PutsTrainingPointsWhereTheyAre) {
  using T = TypeParam;
  const Samples<T> samples = samples_of<T>(s_curve(80, 6).points);
  const auto model = Mvu<T>::fit(samples, {.neighbors = {.count = 5}});
  EXPECT_EQ(model.transform(samples), model.scores());
}

TEST(Mvu, PutsNewPointsWhereARefitWithThemDoes) {
  const Sheet sheet = s_curve(330, 7);
  const MvuOptions options{.neighbors = {.count = 10}, .basis = 20};
  const auto part = Mvu<double>::fit(Samples<double>(Matrix<double>(sheet.points.topRows(300))), options);
  const auto all = Mvu<double>::fit(Samples<double>(sheet.points), options);
  Matrix<double> placed(330, 2);
  placed.topRows(300) = part.scores();
  placed.bottomRows(30) = part.transform(Samples<double>(Matrix<double>(sheet.points.bottomRows(30))));
  const Matrix<double> refit = all.scores();
  const Block<double> x = refit.rowwise() - refit.colwise().mean(),
                      y = placed.rowwise() - placed.colwise().mean();
  const Eigen::JacobiSVD<Block<double>> svd(y.transpose() * x, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Vector<double> away =
      (y * svd.matrixU() * svd.matrixV().transpose() - x).bottomRows(30).rowwise().norm();
  const double spacing = std::sqrt(3 * pi * 2 / 330);  // of points that fill the sheet
  EXPECT_GE((away.array() < spacing).count(), 28)
      << away.transpose();  // a flap of the fit stands out of the plane
  EXPECT_LT(away.mean(), 0.3 * spacing);
}

TEST(Mvu, PlacesPointsContinuouslyNearTrainingPoints) {
  const Matrix<double> points = s_curve(80, 8).points;
  const auto model = Mvu<double>::fit(Samples<double>(points), {.neighbors = {.count = 5}});
  Matrix<double> near = points;
  near.array() += 1e-7;
  const double away = (model.transform(Samples<double>(near)) - model.scores()).cwiseAbs().maxCoeff();
  EXPECT_LT(away, 1e-3);
  EXPECT_GT(away, 0);
}

TYPED_TEST(MvuFit, DuplicatesLieAtOnePlaceAndCountTwice) {
  using T = TypeParam;
  Matrix<double> points(50, 3);
  points << plane(40, 9), plane(10, 9);  // the first ten twice
  Matrix<double> flat;
  (void)plane(40, 9, &flat);
  for (const Index basis : {0, 20}) {
    const auto model =
        Mvu<T>::fit(samples_of<T>(points), {.components = 2, .neighbors = {.count = 14}, .basis = basis});
    const Matrix<T> map = model.scores();
    EXPECT_EQ(map.bottomRows(10), map.topRows(10));
    EXPECT_EQ(model.report().embedding->graph->duplicates, 20);
    EXPECT_LT(procrustes(flat, map.topRows(40).template cast<double>()), basis ? 5e-2 : 1e-2);
    const Eigen::RowVectorXd mean = map.template cast<double>().colwise().mean();
    EXPECT_LT(mean.cwiseAbs().maxCoeff(), 1e-5);
    EXPECT_NEAR(map.template cast<double>().squaredNorm(), model.report().gram_eigenvalues.sum(), 1e-4);
  }
}

TEST(Mvu, MapsTwoPoints) {
  Matrix<double> two(2, 1);
  two << 1, 4;
  const auto model = Mvu<double>::fit(Samples<double>(two), {.components = 2, .neighbors = {.count = 1}});
  ASSERT_EQ(model.scores().cols(), 1) << "no more components than points less one";
  EXPECT_NEAR(std::abs(model.scores()(0, 0) - model.scores()(1, 0)), 3, 1e-5);
}

TYPED_TEST(MvuFit, IsTheSameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  const Samples<T> samples = samples_of<T>(s_curve(150, 10).points);
  for (const Index basis : {0, 12}) {
    const MvuOptions options{.neighbors = {.count = 5}, .basis = basis};
    const auto one = Mvu<T>::fit(samples, options, {.threads = 1}),
               two = Mvu<T>::fit(samples, options, {.threads = 2});
    EXPECT_EQ(one.scores(), two.scores()) << basis;
    EXPECT_EQ(one.report().gram_eigenvalues, two.report().gram_eigenvalues);
    const Samples<T> fresh = samples_of<T>(s_curve(9, 11).points);
    EXPECT_EQ(one.transform(fresh, {.threads = 1}), two.transform(fresh, {.threads = 2}));
  }
}

TYPED_TEST(MvuFit, IsSavedAndRead) {
  using T = TypeParam;
  const Samples<T> samples = samples_of<T>(s_curve(60, 12).points);
  const auto model = Mvu<T>::fit(samples, {.neighbors = {.count = 5}, .scale = Scale::standardize});
  const test::TemporaryFile file(".mercer");
  model.save(file.path());
  ModelReader<T> reader(file.path());
  EXPECT_EQ(reader.method(), "mvu");
  const auto read = Mvu<T>::read(reader);
  EXPECT_EQ(read->scores(), model.scores());
  const Samples<T> fresh = samples_of<T>(s_curve(7, 13).points);
  EXPECT_EQ(read->transform(fresh), model.transform(fresh));
}

TYPED_TEST(MvuFit, TakesSparsePointsAsDenseOnes) {
  using T = TypeParam;
  const Matrix<T> points = s_curve(40, 14).points.cast<T>();
  const SparseMatrix<T> sparse = points.sparseView();
  const MvuOptions options{.neighbors = {.count = 4}};
  const auto a = Mvu<T>::fit(Samples<T>(points), options), b = Mvu<T>::fit(Samples<T>(sparse), options);
  EXPECT_LT(procrustes(a.scores().template cast<double>(), b.scores().template cast<double>()), 1e-6);
  EXPECT_EQ(b.transform(Samples<T>(sparse)), b.scores());
}

TEST(Mvu, TakesARadiusForItsGraph) {
  const Matrix<double> points = plane(60, 15);
  const auto model = Mvu<double>::fit(Samples<double>(points), {.neighbors = {.radius = 0.6}});
  EXPECT_LT(*model.report().embedding->isometry_mean, 1e-3);
  EXPECT_EQ(model.transform(Samples<double>(points)), model.scores());
}

TEST(Mvu, PlansTheProgramThatFits) {
  const Samples<double> few(s_curve(100, 16).points), many(s_curve(900, 16).points);
  const Plan whole = Mvu<double>::plan(few), reduced = Mvu<double>::plan(many);
  EXPECT_EQ(whole.route, Route::dense);
  EXPECT_EQ(reduced.route, Route::lowrank);
  EXPECT_GT(whole.bytes, 8 * 500.0 * 500.0);
  EXPECT_GT(reduced.flops, 0);
  EXPECT_EQ(reduced.rejected.size(), 1U);
  EXPECT_EQ(Mvu<double>::plan(many, {.basis = 899}).route, Route::dense);
  EXPECT_EQ(Mvu<double>::plan(few, {.basis = 10}).route, Route::lowrank);
  EXPECT_EQ(Mvu<double>::plan(few, {.neighbors = {.radius = 0.5}}).route, Route::dense);
  EXPECT_EQ(error_of([&] { (void)Mvu<double>::plan(many, {.basis = 899}, {.memory = 1000000}); }).code(),
            ErrorCode::no_memory);
  EXPECT_EQ(error_of([&] { (void)Mvu<double>::fit(few, {}, {.memory = 1000}); }).code(),
            ErrorCode::no_memory);
}

TEST(Mvu, RefusesWhatMakesNoSense) {
  const Matrix<double> points = plane(20, 17);
  const Samples<double> samples(points);
  const auto code = [&](const MvuOptions& options) {
    return error_of([&] { (void)Mvu<double>::fit(samples, options); }).code();
  };
  EXPECT_EQ(code({.components = 0}), ErrorCode::usage);
  EXPECT_EQ(code({.components = 3, .basis = 2}), ErrorCode::usage);
  EXPECT_EQ(code({.basis = -1}), ErrorCode::usage);
  EXPECT_EQ(code({.neighbors = {.count = 20}}), ErrorCode::usage);
  Matrix<double> apart(40, 3);
  apart << points, points.array() + 100;
  EXPECT_EQ(error_of([&] { (void)Mvu<double>::fit(Samples<double>(apart)); }).code(), ErrorCode::bad_data);
  const auto bridged = Mvu<double>::fit(Samples<double>(apart),
                                        {.neighbors = {.count = 6, .disconnected = Disconnected::bridge}});
  EXPECT_EQ(bridged.scores().rows(), 40);
  const auto largest = Mvu<double>::fit(Samples<double>(apart),
                                        {.neighbors = {.count = 6, .disconnected = Disconnected::largest}});
  EXPECT_EQ(largest.scores().rows(), 20);
  EXPECT_EQ(error_of([&] { (void)Mvu<double>::fit(Samples<double>(Matrix<double>::Ones(9, 2))); }).code(),
            ErrorCode::bad_data);
  Matrix<double> broken = points;
  broken(3, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_of([&] { (void)Mvu<double>::fit(Samples<double>(broken)); }).code(), ErrorCode::bad_data);
}

TEST(Mvu, StopsWhenAskedToInEveryStage) {
  const Samples<double> samples(s_curve(120, 18).points);
  const std::vector<std::pair<Index, std::string>> stages = {
      {0, "semidefinite program"}, {20, "reduced program"}, {20, "refinement"}};
  for (const auto& stage : stages) {
    std::stop_source source;
    mercer::Run run;
    run.stop = source.get_token();
    bool seen = false;
    run.progress = [&](std::string_view name, double) {
      if (name != stage.second) return;
      seen = true;
      source.request_stop();
    };
    const MvuOptions options{.neighbors = {.count = 5}, .basis = stage.first};
    EXPECT_EQ(error_of([&] { (void)Mvu<double>::fit(samples, options, run); }).code(), ErrorCode::cancelled)
        << stage.second;
    EXPECT_TRUE(seen) << stage.second;
  }
}

}  // namespace
}  // namespace mercer
