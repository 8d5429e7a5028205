// Locally linear embedding and its two refinements (row M11): weights, maps, new points, files, errors.
#include <mercer/error.hpp>
#include <mercer/generate.hpp>
#include <mercer/lle.hpp>

#include "data/temporary_file.hpp"
#include "decompositions.hpp"
#include "expect_error.hpp"
#include "manifold/lle_alignment.hpp"
#include "manifold/neighborhood.hpp"
#include "model/model_file.hpp"
#include "support.hpp"

#include <Eigen/LU>

namespace mercer {
namespace {

using mercer::test::error_of;
using mercer::test::expect_contains;

constexpr LleVariant variants[] = {LleVariant::standard, LleVariant::modified, LleVariant::hessian};

LleOptions with(LleVariant variant, Index neighbors = 12, Index components = 2) {
  LleOptions out;
  out.variant = variant;
  out.components = components;
  out.neighbors.count = neighbors;
  return out;
}

/// A swiss roll and its two intrinsic coordinates, along the roll by length.
struct Roll {
  explicit Roll(Index n, std::uint64_t seed = 1) {
    const Dataset<double> data = generate("swiss-roll", n, seed);
    points = data.samples.to_dense();
    flat.resize(n, 2);
    for (Index i = 0; i < n; ++i) {
      const double t = std::hypot(points(i, 0), points(i, 2));
      flat(i, 0) = (t * std::sqrt(1 + t * t) + std::asinh(t)) / 2;
      flat(i, 1) = points(i, 1);
    }
  }
  Matrix<double> points, flat;
};

/// A sheet bent to an S, whose sides do not come near each other.
struct Curve {
  explicit Curve(Index n, std::uint64_t seed = 1) {
    const Dataset<double> data = generate("s-curve", n, seed);
    points = data.samples.to_dense();
    flat.resize(n, 2);
    flat.col(0) = Eigen::Map<const Vector<double>>(data.label->values.data(), n);
    flat.col(1) = points.col(1);
  }
  Matrix<double> points, flat;
};

/// The least R² of the columns of `truth` after the best affine fit of `map`.
double r_squared(const Matrix<double>& truth, const Matrix<double>& map) {
  Block<double> terms(map.rows(), map.cols() + 1);
  terms << Vector<double>::Ones(map.rows()), map;
  const Block<double> fit = terms * terms.colPivHouseholderQr().solve(Block<double>(truth));
  double least = 1;
  for (Index c = 0; c < truth.cols(); ++c) {
    const double spread = (truth.col(c).array() - truth.col(c).mean()).matrix().squaredNorm();
    least = std::min(least, 1 - (truth.col(c) - fit.col(c)).squaredNorm() / spread);
  }
  return least;
}

LocalFactors factors(const Matrix<double>& points, const NeighborLists& lists, LleVariant variant) {
  const Samples<double> samples = points;
  if (variant == LleVariant::hessian) return hessian_weights(samples, lists, 2, 1e-4, true, {});
  if (variant == LleVariant::modified) return modified_lle_weights(samples, lists, 2, 1e-3, 1e-12, {});
  return lle_weights(samples, lists, 1e-3, {});
}

TEST(Lle, WeightsSolveTheRegularisedProblem) {
  const Matrix<double> c = test::random_matrix<double>(7, 3, 1);
  const Vector<double> w = barycentric_weights(c, 1e-3);
  const Block<double> g = c * c.transpose();
  Block<double> regular = g;
  regular.diagonal().array() += 1e-3 * g.trace();
  const Vector<double> expected = regular.fullPivLu().solve(Vector<double>::Ones(7));
  EXPECT_LE((w - expected / expected.sum()).norm(), 1e-12);
  EXPECT_NEAR(w.sum(), 1, 1e-14);
  EXPECT_EQ(barycentric_weights(Matrix<double>::Zero(4, 3), 1e-3), Vector<double>::Constant(4, 0.25));
}

TEST(Lle, TheMatrixOfPlainLleIsThatOfItsWeights) {
  const Roll roll(80);
  const auto graph =
      NeighborGraph::build<double>(roll.points, {.count = 6, .disconnected = Disconnected::bridge});
  const SparseMatrix<double> m = aligned(factors(roll.points, graph.lists(), LleVariant::standard), {});
  Matrix<double> i_w = Matrix<double>::Identity(80, 80);
  for (Index i = 0; i < 80; ++i) {
    Matrix<double> c;
    const Samples<double> samples = roll.points;
    neighbor_differences(samples, graph.lists().neighbors(i), samples, i, c);
    const Vector<double> w = barycentric_weights(c, 1e-3);
    for (Index j = 0; j < w.size(); ++j)
      i_w(i, graph.lists().neighbors(i)[static_cast<std::size_t>(j)]) -= w[j];
  }
  EXPECT_LE((Matrix<double>(m) - i_w.transpose() * i_w).norm(), 1e-12);
}

TEST(Lle, EachMatrixIsSymmetricToTheLastBitWithTheConstantAsNullVector) {
  const Roll roll(150);
  const auto graph =
      NeighborGraph::build<double>(roll.points, {.count = 9, .disconnected = Disconnected::bridge});
  for (const LleVariant variant : variants) {
    const SparseMatrix<double> m = aligned(factors(roll.points, graph.lists(), variant), {});
    const Matrix<double> full = m;
    EXPECT_EQ(full, full.transpose()) << name_of(variant);
    EXPECT_LE((full * Vector<double>::Ones(150)).norm(), 1e-12 * full.norm());
    const Spectrum<double> bottom = dense_eigenpairs<double>(Block<double>(full), 1, End::smallest);
    EXPECT_GE(bottom.values[0], -1e-12);
  }
}

TEST(Lle, TheHessianOfALinearFunctionIsNothing) {
  const Matrix<double> plane = test::random_matrix<double>(120, 2, 3) * test::random_matrix<double>(2, 5, 4);
  const auto graph = NeighborGraph::build<double>(plane, {.count = 10, .disconnected = Disconnected::bridge});
  const Vector<double> squares = plane.col(0).array().square();
  for (const bool remainder : {false, true}) {
    const SparseMatrix<double> m =
        aligned(hessian_weights(Samples<double>(plane), graph.lists(), 2, 1e-4, remainder, {}), {});
    EXPECT_LE((m * plane.col(0)).norm(), 1e-10 * plane.col(0).norm());
    EXPECT_GE((m * squares).norm(), 1e-3 * squares.norm()) << "that of a quadratic is something";
  }
}

TEST(Lle, TheRemainderOfALinearFitIsThatOfTangentSpaces) {
  const Roll roll(60);
  const auto graph =
      NeighborGraph::build<double>(roll.points, {.count = 7, .disconnected = Disconnected::bridge});
  const Samples<double> samples = roll.points;
  const Matrix<double> m = aligned(hessian_weights(samples, graph.lists(), 2, 1e-4, true, {}), {});
  Matrix<double> expected = Matrix<double>::Zero(60, 60);  // Σ I − [1 U][1 U]ᵀ, Zhang and Zha's
  for (Index i = 0; i < 60; ++i) {
    const auto neighbors = graph.lists().neighbors(i);
    const auto count = static_cast<Index>(neighbors.size());
    Matrix<double> c;
    neighbor_differences(samples, neighbors, samples, i, c);
    c.rowwise() -= c.colwise().mean().eval();
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(c, Eigen::ComputeThinU);
    Matrix<double> rest = Matrix<double>::Identity(count, count);
    rest.array() -= 1 / double(count);
    rest -= svd.matrixU().leftCols(2) * svd.matrixU().leftCols(2).transpose();
    for (Index a = 0; a < count; ++a)
      for (Index b = 0; b < count; ++b)
        expected(neighbors[static_cast<std::size_t>(a)], neighbors[static_cast<std::size_t>(b)]) +=
            rest(a, b);
  }
  EXPECT_LE((m - expected).norm(), 1e-10);
}

TEST(Lle, DonohosAndGrimesHessianUnrollsASheetToo) {
  const Curve curve(600);
  LleOptions options = with(LleVariant::hessian);
  options.hessian_remainder = false;
  EXPECT_GT(r_squared(curve.flat, Lle<double>::fit(curve.points, options).scores()), 0.99);
}

TEST(Lle, APointThatIsNobodysNeighborIsHeldByItsOwn) {
  Curve curve(300);
  curve.points.row(0) << 0, 1, 0.9;  // away from the sheet: it has neighbours and is none
  const auto graph = NeighborGraph::build<double>(curve.points, {.count = 12});
  const auto& all = graph.lists().index;
  ASSERT_EQ(std::count(all.begin(), all.end(), 0), 0);
  const auto model = Lle<double>::fit(curve.points, graph, with(LleVariant::hessian));
  EXPECT_GT(model.report().gram_eigenvalues[0], 1e-8);
  EXPECT_LT(model.scores().row(0).norm(), 0.5) << "not a map of this point alone";
}

TEST(Lle, ASheetIsUnrolled) {
  const Curve curve(600);
  double found[3];
  for (const LleVariant variant : variants) {
    const auto model = Lle<double>::fit(curve.points, with(variant));
    found[static_cast<int>(variant)] = r_squared(curve.flat, model.scores());
    const Report& report = model.report();
    EXPECT_EQ(report.method, variant == LleVariant::hessian ? "hlle" : "lle");
    EXPECT_EQ(report.end, End::smallest);
    EXPECT_TRUE(report.converged);
    ASSERT_EQ(report.gram_eigenvalues.size(), 2);
    EXPECT_LE(report.gram_eigenvalues[0], report.gram_eigenvalues[1]);
    EXPECT_GE(report.missed.probable, report.gram_eigenvalues[1]) << "told from the rest";
    EXPECT_GT(report.trace, 0);
    ASSERT_TRUE(report.embedding && report.embedding->quality && report.embedding->graph);
    EXPECT_LE((model.scores().transpose() * model.scores() - Matrix<double>::Identity(2, 2)).norm(), 1e-10);
    EXPECT_LE(model.scores().colwise().sum().norm(), 1e-10);
  }
  EXPECT_GT(found[1], 0.99);
  EXPECT_GT(found[2], 0.99);
  const auto plain = Lle<double>::fit(curve.points, with(LleVariant::standard));
  EXPECT_GT(r_squared(curve.flat.leftCols(1), plain.scores()), 0.9) << "along the curve";
  EXPECT_LT(found[0], 0.9) << "it shrinks the other side, as Zhang and Wang show";
}

TEST(Lle, TheMapIsTheBottomOfTheMatrixByLapack) {
  const Roll roll(250);
  const auto graph =
      NeighborGraph::build<double>(roll.points, {.count = 10, .disconnected = Disconnected::bridge});
  for (const LleVariant variant : variants) {
    const auto model = Lle<double>::fit(roll.points, graph, with(variant));
    const Matrix<double> m = aligned(factors(roll.points, graph.lists(), variant), {});
    const Spectrum<double> bottom = dense_eigenpairs<double>(Block<double>(m), 3, End::smallest);
    EXPECT_LE(test::subspace_distance(bottom.vectors.rightCols(2), Block<double>(model.scores())), 1e-6);
    EXPECT_NEAR(model.report().trace, m.trace(), 1e-10 * m.trace());
    EXPECT_NEAR(model.report().gram_eigenvalues[1], bottom.values[2], 1e-12);
  }
}

TEST(Lle, TrainingPointsKeepTheirPlaces) {
  const Roll roll(200);
  for (const LleVariant variant : variants) {
    const auto model = Lle<double>::fit(roll.points, with(variant));
    EXPECT_EQ(model.transform(roll.points), model.scores());
  }
}

/// The distance of each row of `a` from `b` after the best rotation, scale and shift of the first `fitted`
/// rows.
Vector<double> displacement(const Matrix<double>& a, const Matrix<double>& b, Index fitted) {
  const Eigen::RowVectorXd from = a.topRows(fitted).colwise().mean(), to = b.topRows(fitted).colwise().mean();
  const Matrix<double> x = a.topRows(fitted).rowwise() - from, y = b.topRows(fitted).rowwise() - to;
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(x.transpose() * y, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Matrix<double> turn = svd.matrixU() * svd.matrixV().transpose();
  const double scale = svd.singularValues().sum() / x.squaredNorm();
  return ((((a.rowwise() - from) * turn * scale).rowwise() + to) - b).rowwise().norm();
}

TEST(Lle, NewPointsLandWhereARefitPutsThem) {
  constexpr Index n = 600, fresh = 100;
  const Curve curve(n + fresh, 2);
  for (const LleVariant variant : variants) {
    const auto model = Lle<double>::fit(curve.points.topRows(n).eval(), with(variant));
    const Matrix<double> refit = Lle<double>::fit(curve.points, with(variant)).scores();
    Matrix<double> all(n + fresh, 2);
    all << model.scores(), model.transform(curve.points.bottomRows(fresh).eval());
    const Vector<double> off = displacement(all, refit, n);
    const auto graph = NeighborGraph::build<double>(curve.points, {.count = 12});
    double spacing = 0;  // mean distance of a point from its neighbours
    for (Index i = 0; i < n + fresh; ++i)
      for (const auto j : graph.lists().neighbors(i)) spacing += (refit.row(i) - refit.row(j)).norm();
    spacing /= 12 * double(n + fresh);
    if (variant ==
        LleVariant::standard)  // whose maps differ from refit to refit: no more than the others move
      EXPECT_LT(off.tail(fresh).mean(), 1.25 * off.head(n).mean());
    else
      EXPECT_LT(off.tail(fresh).maxCoeff(), 0.8 * spacing) << name_of(variant);
  }
}

TEST(Lle, SavedAndReadItPlacesNewPointsTheSame) {
  const Roll roll(150);
  const Matrix<double> fresh = Roll(20, 9).points;
  for (const LleVariant variant : variants) {
    const auto model = Lle<float>::fit(roll.points.cast<float>().eval(), with(variant, 10));
    const test::TemporaryFile file(".mercer");
    model.save(file.path());
    ModelReader<float> reader(file.path());
    const auto again = Lle<float>::read(reader);
    EXPECT_EQ(again->scores(), model.scores());
    EXPECT_EQ(again->transform(fresh.cast<float>().eval()), model.transform(fresh.cast<float>().eval()));
    EXPECT_EQ(again->report().to_json(), model.report().to_json());
  }
}

TEST(Lle, FloatAgreesWithDouble) {
  const Roll roll(400);
  for (const LleVariant variant : variants) {
    const auto wide = Lle<double>::fit(roll.points, with(variant));
    const auto narrow = Lle<float>::fit(roll.points.cast<float>().eval(), with(variant));
    EXPECT_LE(test::subspace_distance(wide.scores(), narrow.scores().cast<double>()), 2e-2)
        << name_of(variant);
    EXPECT_LE(narrow.report().residuals.maxCoeff(), 1e-5);
  }
}

TEST(Lle, SparseRowsGiveTheSameMap) {
  Matrix<double> points = test::random_matrix<double>(90, 12, 5).cwiseMax(0.0);
  points.col(0) *= 5;
  for (const LleVariant variant : variants) {
    const auto dense = Lle<double>::fit(points, with(variant, 14));
    const auto sparse = Lle<double>::fit(SparseMatrix<double>(points.sparseView()), with(variant, 14));
    EXPECT_LE(test::subspace_distance(dense.scores(), sparse.scores()), 1e-8);
    const Matrix<double> fresh = test::random_matrix<double>(5, 12, 6).cwiseMax(0.0);
    EXPECT_LE((sparse.transform(fresh) - sparse.transform(SparseMatrix<double>(fresh.sparseView()))).norm(),
              1e-12);
  }
}

TEST(Lle, ListsMayDifferInLength) {
  const Curve curve(400);
  for (const LleVariant variant : variants) {
    LleOptions options = with(variant);
    options.neighbors.radius = 0.9;
    const auto model = Lle<double>::fit(curve.points, options);
    const Index sides = variant == LleVariant::standard ? 1 : 2;
    const double least = variant == LleVariant::standard ? 0.9 : 0.99;
    const Curve fresh(50, 8);
    EXPECT_GT(r_squared(curve.flat.leftCols(sides), model.scores()), least);
    EXPECT_GT(r_squared(fresh.flat.leftCols(sides), model.transform(fresh.points)), least);
  }
}

TEST(Lle, EqualPointsAreNoTrouble) {
  Matrix<double> points = Roll(200).points;
  for (Index i = 0; i < 15; ++i) points.row(50 + i) = points.row(49);  // all neighbours of each other
  for (const LleVariant variant : variants) {
    LleOptions options = with(variant, 8);
    options.neighbors.disconnected = Disconnected::bridge;
    const auto model = Lle<double>::fit(points, options);
    EXPECT_TRUE(model.scores().allFinite()) << name_of(variant);
    EXPECT_TRUE(model.transform(points.topRows(3).eval()).allFinite());
  }
}

TEST(Lle, TheNumberOfThreadsChangesNothing) {
  const Roll roll(500);
  for (const LleVariant variant : variants) {
    const auto one = Lle<double>::fit(roll.points, with(variant), {.threads = 1});
    const auto four = Lle<double>::fit(roll.points, with(variant), {.threads = 4});
    EXPECT_EQ(one.scores(), four.scores());
    EXPECT_EQ(one.report().gram_eigenvalues, four.report().gram_eigenvalues);
  }
}

TEST(Lle, WhatMakesNoSenseIsRefusedInWords) {
  const Roll roll(60);
  const auto message = [&](const LleOptions& options) {
    const Error error = error_of([&] { (void)Lle<double>::fit(roll.points, options); });
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return std::string(error.what());
  };
  expect_contains(message(with(LleVariant::hessian, 5)), "needs at least 6 neighbours");
  expect_contains(message(with(LleVariant::modified, 1)), "needs at least 2 neighbours");
  expect_contains(message(with(LleVariant::modified, 12, 4)), "the data has 3");
  expect_contains(message(with(LleVariant::standard, 12, 0)), "0 components");
  expect_contains(message(with(LleVariant::standard, 12, 60)), "at most 59");
  LleOptions none = with(LleVariant::standard);
  none.regularization = 0;
  expect_contains(message(none), "regularisation of 0");
  (void)message(with(LleVariant::standard, 60));
  const Error small =
      error_of([&] { (void)Lle<double>::fit(roll.points, with(LleVariant::standard), {.memory = 1000}); });
  EXPECT_EQ(small.code(), ErrorCode::no_memory);
  LleOptions radius = with(LleVariant::hessian);
  radius.neighbors.radius = 3;
  radius.neighbors.disconnected = Disconnected::bridge;
  const Error lonely = error_of([&] { (void)Lle<double>::fit(roll.points, radius); });
  EXPECT_EQ(lonely.code(), ErrorCode::bad_data);
  expect_contains(lonely.what(), "needs at least 6 neighbours of each point");
}

TEST(Lle, ThePlanNamesTheProblem) {
  const Roll roll(60);
  const Plan plan = Lle<double>::plan(roll.points, with(LleVariant::hessian));
  EXPECT_EQ(plan.problem, "Hessian LLE of 60 points with 12 neighbours each");
  EXPECT_GT(plan.bytes, 0);
  EXPECT_GT(plan.flops, 0);
}

TEST(LleBottom, OfTwoDistantClustersIsFoundThoughRoundingHidesItFromTheInverse) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Matrix<double> x = test::random_matrix<double>(20, 1, seed);
    x.bottomRows(10).array() += 50;
    const auto model = Lle<double>::fit(x, with(LleVariant::standard, 11));
    EXPECT_EQ(model.components(), 2) << seed;
    EXPECT_LE(model.report().residuals.maxCoeff(), 1e-11 * model.report().trace) << seed;
  }
}

}  // namespace
}  // namespace mercer
