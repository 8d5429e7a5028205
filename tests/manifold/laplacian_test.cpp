// Laplacian eigenmaps and diffusion maps (row M11): dense oracles, known graphs, new points, files, errors.
#include <mercer/error.hpp>
#include <mercer/laplacian.hpp>

#include "data/temporary_file.hpp"
#include "expect_error.hpp"
#include "graph/naive.hpp"
#include "manifold/unrolled.hpp"
#include "model/model_file.hpp"
#include "support.hpp"

#include <limits>
#include <numbers>

namespace mercer {
namespace {

using mercer::test::error_of;
using mercer::test::expect_contains;
using test::samples;

using std::numbers::pi;

/// W of the naive graph.
Matrix<double> naive_weights(const Matrix<double>& points, Index neighbors, GraphWeights weights,
                             double& heat) {
  const Index n = points.rows();
  const auto lists = test::naive_lists<double>(Samples<double>(points), Samples<double>(points), neighbors,
                                               test::anywhere, true);
  Matrix<double> d = Matrix<double>::Constant(n, n, -1);
  for (Index i = 0; i < n; ++i)
    for (std::size_t p = 0; p < lists.neighbors(i).size(); ++p)
      d(i, lists.neighbors(i)[p]) = d(lists.neighbors(i)[p], i) = lists.distances(i)[p];
  const auto linked = (d.array() >= 0).cast<double>();
  if (heat == 0) heat = (linked * d.array().square()).sum() / linked.sum();
  if (weights == GraphWeights::ones) return linked;
  return linked * (-d.array().square() / heat).exp();
}

/// D^−½WD^−½ and d.
std::pair<Block<double>, Vector<double>> normalized(const Matrix<double>& w) {
  const Vector<double> d = w.rowwise().sum(), root = d.cwiseSqrt().cwiseInverse();
  return {root.asDiagonal() * w * root.asDiagonal(), d};
}

double largest_difference(const Matrix<double>& truth, const Matrix<double>& map) {
  return (test::with_signs_of(truth, map) - truth).cwiseAbs().maxCoeff();
}

TEST(LaplacianEigenmaps, OfARingAreItsWaves) {
  const Index n = 60;
  Matrix<double> ring(n, 2);
  for (Index i = 0; i < n; ++i)
    ring.row(i) << std::cos(2 * pi * double(i) / double(n)), std::sin(2 * pi * double(i) / double(n));
  LaplacianOptions options;
  options.components = 4;
  options.laplacian = Laplacian::unnormalized;
  options.neighbors.count = 2;
  const auto model = LaplacianEigenmaps<double>::fit(Samples<double>(ring), options);
  const Report& report = model.report();
  for (Index c = 0; c < 4; ++c)
    EXPECT_NEAR(report.gram_eigenvalues[c], 2 - 2 * std::cos(2 * pi * double(c / 2 + 1) / double(n)), 1e-12);
  EXPECT_EQ(report.end, End::smallest);
  EXPECT_EQ(report.method, "laplacian");
  const Matrix<double> map = model.scores();
  EXPECT_LT((map.transpose() * map - Matrix<double>::Identity(4, 4)).norm(), 1e-10);
  // The first two are a circle.
  for (Index i = 0; i < n; ++i) EXPECT_NEAR(map.row(i).head(2).squaredNorm(), 2 / double(n), 1e-10);
}

TEST(LaplacianEigenmaps, AreTheBottomOfTheDenseMatrix) {
  const Matrix<double> points = test::swiss_roll(150, 31).points;
  for (const Laplacian kind : {Laplacian::unnormalized, Laplacian::symmetric, Laplacian::random_walk})
    for (const GraphWeights weights : {GraphWeights::ones, GraphWeights::heat})
      for (const double heat : {0.0, 20.0}) {
        LaplacianOptions options;
        options.components = 3;
        options.laplacian = kind;
        options.weights = weights;
        options.heat = heat;
        options.neighbors.count = 7;
        const auto model = LaplacianEigenmaps<double>::fit(Samples<double>(points), options);
        double used = heat;
        const Matrix<double> w = naive_weights(points, 7, weights, used);
        const auto [s, d] = normalized(w);
        const Block<double> degrees = d.asDiagonal();
        const Block<double> l = kind == Laplacian::unnormalized
                                    ? Block<double>(degrees - w)
                                    : Block<double>(Block<double>::Identity(150, 150) - s);
        const auto bottom = dense_eigenpairs<double>(l, 4, End::smallest);
        Matrix<double> truth = bottom.vectors.rightCols(3);
        if (kind != Laplacian::unnormalized) truth = d.cwiseSqrt().cwiseInverse().asDiagonal() * truth;
        if (kind == Laplacian::random_walk) truth *= std::sqrt(d.sum());
        EXPECT_LT((model.report().gram_eigenvalues - bottom.values.tail(3)).cwiseAbs().maxCoeff(), 1e-10);
        EXPECT_LT(largest_difference(truth, model.scores()), 1e-7 * truth.cwiseAbs().maxCoeff())
            << name_of(kind) << " " << name_of(weights);
        EXPECT_NEAR(model.report().trace, l.trace(), 1e-9 * l.trace());
      }
}

TEST(DiffusionMaps, AreTheTopOfTheWalkWithTheDensityDividedOut) {
  const Matrix<double> points = test::s_curve(140, 32).points;
  for (const double alpha : {0.0, 0.5, 1.0})
    for (const double time : {0.0, 1.0, 2.5}) {
      LaplacianOptions options;
      options.components = 3;
      options.diffusion = true;
      options.density_power = alpha;
      options.diffusion_time = time;
      options.neighbors.count = 9;
      const auto model = LaplacianEigenmaps<double>::fit(Samples<double>(points), options);
      double heat = 0;
      Matrix<double> w = naive_weights(points, 9, GraphWeights::heat, heat);
      const Vector<double> share = w.rowwise().sum().array().pow(-alpha);
      w = share.asDiagonal() * w * share.asDiagonal();
      const auto [s, d] = normalized(w);
      const auto top = dense_eigenpairs<double>(s, 4);
      Matrix<double> truth =
          std::sqrt(d.sum()) * d.cwiseSqrt().cwiseInverse().asDiagonal() * top.vectors.rightCols(3);
      for (Index c = 0; c < 3; ++c) truth.col(c) *= std::pow(top.values[c + 1], time);
      EXPECT_LT((model.report().gram_eigenvalues - top.values.tail(3)).cwiseAbs().maxCoeff(), 1e-10);
      EXPECT_LT(largest_difference(truth, model.scores()), 1e-7 * truth.cwiseAbs().maxCoeff())
          << alpha << " " << time;
      EXPECT_EQ(model.report().method, "laplacian");
      expect_contains(model.report().kernel, "diffusion");
    }
}

template <class T>
class LaplacianOf : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LaplacianOf, Types);

TYPED_TEST(LaplacianOf, TrainingPointsComeBackToTheirPlaces) {
  const auto rows = samples<TypeParam>(test::swiss_roll(300, 33).points);
  for (const Laplacian kind : {Laplacian::unnormalized, Laplacian::symmetric, Laplacian::random_walk})
    for (const bool diffusion : {false, true}) {
      LaplacianOptions options;
      options.laplacian = kind;
      options.weights = GraphWeights::heat;
      options.diffusion = diffusion;
      const auto model = LaplacianEigenmaps<TypeParam>::fit(rows, options);
      EXPECT_EQ(model.transform(rows), model.scores());
    }
}

/// A point that is all but equal to a training point is placed by the equation, and the equation gives that
/// point's place: it is linked as that point is, and to that point itself besides.
TEST(LaplacianEigenmaps, NewPointsFulfilTheEquationOfTheMap) {
  const Index n = 150, k = 7;
  const Matrix<double> points = test::swiss_roll(n, 34).points;
  const Matrix<double> fresh = test::swiss_roll(12, 35).points;
  for (const Laplacian kind : {Laplacian::unnormalized, Laplacian::symmetric})
    for (const GraphWeights weights : {GraphWeights::ones, GraphWeights::heat})
      for (const bool diffusion : {false, true}) {
        LaplacianOptions options;
        options.laplacian = kind;
        options.weights = weights;
        options.diffusion = diffusion;
        options.neighbors.count = k;
        const auto model = LaplacianEigenmaps<double>::fit(Samples<double>(points), options);
        const Matrix<double> placed = model.transform(Samples<double>(fresh)), map = model.scores();
        double heat = 0;
        const Matrix<double> w = naive_weights(points, k, diffusion ? GraphWeights::heat : weights, heat);
        const Vector<double> q = w.rowwise().sum();
        for (Index x = 0; x < fresh.rows(); ++x) {
          std::vector<double> distances;
          for (Index i = 0; i < n; ++i) distances.push_back((points.row(i) - fresh.row(x)).norm());
          std::vector<double> sorted = distances;
          std::sort(sorted.begin(), sorted.end());
          double degree = 0;
          Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(2);
          for (Index i = 0; i < n; ++i) {
            const double d = distances[static_cast<std::size_t>(i)];
            std::vector<double> own;
            for (Index j = 0; j < n; ++j)
              if (j != i) own.push_back((points.row(i) - points.row(j)).norm());
            std::sort(own.begin(), own.end());
            if (d > sorted[k - 1] && d > own[k - 1]) continue;
            double weight = diffusion || weights == GraphWeights::heat ? std::exp(-d * d / heat) : 1;
            if (diffusion) weight /= q[i];
            degree += weight;
            sum += weight * map.row(i);
          }
          const Vector<double> values = model.report().gram_eigenvalues;
          for (Index c = 0; c < 2; ++c) {
            const double held = diffusion                         ? values[c] * degree
                                : kind == Laplacian::unnormalized ? degree - values[c]
                                                                  : (1 - values[c]) * degree;
            EXPECT_NEAR(placed(x, c), sum[c] / held, 1e-9 * map.cwiseAbs().maxCoeff());
          }
        }
      }
}

TEST(LaplacianEigenmaps, PutNewPointsWhereARefitWould) {
  const Index n = 600, fresh = 60;
  const auto roll = test::swiss_roll(n + fresh, 36);
  for (const bool diffusion : {false, true}) {
    LaplacianOptions options;
    options.diffusion = diffusion;
    const auto model = LaplacianEigenmaps<double>::fit(samples<double>(roll.points.topRows(n)), options);
    const auto refit = LaplacianEigenmaps<double>::fit(samples<double>(roll.points), options);
    const Matrix<double> placed = model.transform(samples<double>(roll.points.bottomRows(fresh)));
    const Matrix<double> truth = test::laid_upon(refit.scores(), model.scores());
    const double spacing = test::spacing(model.scores(), 12);
    EXPECT_LT((placed - truth.bottomRows(fresh)).rowwise().norm().mean(), spacing) << diffusion;
  }
}

/// scikit-learn's severed sphere: without its poles and without a slice of meridians, it is a sheet.
TEST(LaplacianEigenmaps, OfTheSeveredSphereKeepNeighborsTogether) {
  Random random(37);
  const Index n = 600;
  Matrix<double> sphere(n, 3);
  Vector<double> along(n);
  for (Index i = 0; i < n;) {
    const double p = random.uniform() * (2 * pi - 0.55), t = random.uniform() * pi;
    if (t < pi / 8 || t > pi - pi / 8) continue;
    sphere.row(i) << std::sin(t) * std::cos(p), std::sin(t) * std::sin(p), std::cos(t);
    along[i++] = p;
  }
  LaplacianOptions options;
  options.neighbors.count = 10;
  const auto model = LaplacianEigenmaps<double>::fit(Samples<double>(sphere), options);
  const Matrix<double> map = model.scores();
  QualityOptions quality;
  quality.neighbors = 10;
  const auto found = embedding_quality<double>(Samples<double>(sphere), map, quality);
  EXPECT_GT(found.trustworthiness, 0.93);
  EXPECT_GT(found.continuity, 0.93);
  // The first coordinate is the longitude, up to a monotone function: ranks agree.
  const auto ranks = [&](const Vector<double>& v) {
    std::vector<Index> order(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
    std::sort(order.begin(), order.end(), [&](Index a, Index b) { return v[a] < v[b]; });
    Vector<double> out(n);
    for (Index r = 0; r < n; ++r) out[order[static_cast<std::size_t>(r)]] = double(r) - double(n - 1) / 2;
    return out;
  };
  const Vector<double> a = ranks(along), b = ranks(map.col(0));
  EXPECT_GT(std::abs(a.dot(b)) / a.squaredNorm(), 0.97);
}

TYPED_TEST(LaplacianOf, AFileIsTheModel) {
  const auto rows = samples<TypeParam>(test::swiss_roll(200, 38).points);
  for (const bool diffusion : {false, true}) {
    LaplacianOptions options;
    options.diffusion = diffusion;
    options.scale = Scale::standardize;
    const auto model = LaplacianEigenmaps<TypeParam>::fit(rows, options);
    const test::TemporaryFile file(".mercer");
    model.save(file.path());
    ModelReader<TypeParam> reader(file.path());
    EXPECT_EQ(reader.method(), "laplacian");
    const auto read = LaplacianEigenmaps<TypeParam>::read(reader);
    EXPECT_EQ(read->scores(), model.scores());
    const auto fresh = samples<TypeParam>(test::swiss_roll(20, 39).points);
    EXPECT_EQ(read->transform(fresh), model.transform(fresh));
  }
}

TEST(LaplacianEigenmaps, DoNotDependOnTheNumberOfThreads) {
  const auto rows = samples<double>(test::swiss_roll(700, 40).points);
  const auto one = LaplacianEigenmaps<double>::fit(rows, {}, {.threads = 1});
  const auto three = LaplacianEigenmaps<double>::fit(rows, {}, {.threads = 3});
  EXPECT_EQ(one.scores(), three.scores());
  const auto fresh = samples<double>(test::swiss_roll(70, 41).points);
  EXPECT_EQ(one.transform(fresh, {.threads = 1}), one.transform(fresh, {.threads = 3}));
}

TEST(LaplacianEigenmaps, PlaceFarPointsWithinTheMap) {
  const auto rows = samples<double>(test::swiss_roll(200, 42).points);
  Matrix<double> far = Matrix<double>::Constant(1, 3, 1e5);
  for (const Laplacian kind : {Laplacian::unnormalized, Laplacian::symmetric}) {
    LaplacianOptions options;
    options.laplacian = kind;
    options.weights = GraphWeights::heat;
    const auto model = LaplacianEigenmaps<double>::fit(rows, options);
    const Matrix<double> placed = model.transform(Samples<double>(far));
    EXPECT_TRUE(placed.allFinite());
    EXPECT_LE(placed.cwiseAbs().maxCoeff(), 4 * model.scores().cwiseAbs().maxCoeff());
  }
}

TEST(LaplacianEigenmaps, TakeARadiusAndAGraphThatIsThere) {
  const auto rows = samples<double>(test::swiss_roll(300, 43).points);
  LaplacianOptions options;
  options.neighbors.radius = 6;
  const auto built = LaplacianEigenmaps<double>::fit(rows, options);
  const auto given =
      LaplacianEigenmaps<double>::fit(rows, NeighborGraph::build<double>(rows, options.neighbors), {});
  EXPECT_EQ(given.scores(), built.scores());
  Matrix<double> far = Matrix<double>::Constant(1, 3, 50);  // nobody within the radius
  EXPECT_TRUE(given.transform(Samples<double>(far)).allFinite());
}

TEST(LaplacianEigenmaps, TreatPiecesAndDuplicates) {
  Matrix<double> points = test::two_clouds<double>(60, 25, 3, 40, 44);
  points.row(7) = points.row(3);
  LaplacianOptions options;
  options.neighbors.count = 6;
  EXPECT_EQ(error_of([&] { (void)LaplacianEigenmaps<double>::fit(Samples<double>(points), options); }).code(),
            ErrorCode::bad_data);
  options.neighbors.disconnected = Disconnected::largest;
  const auto largest = LaplacianEigenmaps<double>::fit(Samples<double>(points), options);
  EXPECT_EQ(largest.scores().rows(), 60);
  EXPECT_TRUE(largest.transform(Samples<double>(points)).allFinite());
  options.neighbors.disconnected = Disconnected::bridge;
  const auto bridged = LaplacianEigenmaps<double>::fit(Samples<double>(points), options);
  // One link between the clouds: the first coordinate tells them apart.
  const Vector<double> first = bridged.scores().col(0);
  const double sign = first[0] > 0 ? 1 : -1;
  EXPECT_GT((sign * first.head(60)).minCoeff(), (sign * first.tail(25)).maxCoeff());
  // A bridge of next to no weight holds all the same, and that is said.
  options.weights = GraphWeights::heat;
  const auto cold = LaplacianEigenmaps<double>::fit(Samples<double>(points), options);
  EXPECT_TRUE(cold.scores().allFinite());
  ASSERT_GE(cold.report().notes.size(), 2U);
  expect_contains(cold.report().notes.back(), "falls into pieces");
}

TEST(LaplacianEigenmaps, TakeAwkwardData) {
  for (const auto& [name, points] : test::awkward_data<double>()) {
    if (points.rows() < 3) continue;
    LaplacianOptions options;
    options.components = 1;
    options.neighbors.count = std::min<Index>(5, points.rows() - 1);
    options.neighbors.disconnected = Disconnected::bridge;
    const auto model = LaplacianEigenmaps<double>::fit(Samples<double>(points), options);
    EXPECT_TRUE(model.scores().allFinite()) << name;
    EXPECT_EQ(model.scores().rows(), points.rows()) << name;
    EXPECT_TRUE(model.transform(Samples<double>(points)).allFinite()) << name;
  }
}

TEST(LaplacianEigenmaps, SayWhatCannotBeDone) {
  const Matrix<double> points = test::swiss_roll(20, 45).points;
  const auto code = [&](Matrix<double> x, const LaplacianOptions& options) {
    return error_of([&] { (void)LaplacianEigenmaps<double>::fit(Samples<double>(std::move(x)), options); })
        .code();
  };
  EXPECT_EQ(code(points, {.neighbors = {.count = 20}}), ErrorCode::usage);
  EXPECT_EQ(code(points, {.components = 0}), ErrorCode::usage);
  EXPECT_EQ(code(points, {.components = 20}), ErrorCode::usage);
  EXPECT_EQ(code(points, {.heat = -1}), ErrorCode::usage);
  EXPECT_EQ(code(points, {.diffusion_time = -1}), ErrorCode::usage);
  EXPECT_EQ(code(points, {.weights = GraphWeights::heat, .heat = 1e-6}), ErrorCode::bad_data);
  EXPECT_EQ(code(Matrix<double>::Ones(20, 3), {}), ErrorCode::bad_data);
  Matrix<double> gap = points;
  gap(4, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(code(gap, {}), ErrorCode::bad_data);
}

TEST(LaplacianEigenmaps, HaveNamesThatAreRead) {
  for (const Laplacian l : {Laplacian::unnormalized, Laplacian::symmetric, Laplacian::random_walk})
    EXPECT_EQ(parse_laplacian(name_of(l)), l);
  for (const GraphWeights w : {GraphWeights::heat, GraphWeights::ones})
    EXPECT_EQ(parse_graph_weights(name_of(w)), w);
  EXPECT_EQ(error_of([] { (void)parse_laplacian("cold"); }).code(), ErrorCode::usage);
  EXPECT_EQ(error_of([] { (void)parse_graph_weights("cold"); }).code(), ErrorCode::usage);
}

}  // namespace
}  // namespace mercer
