// PCA on basis functions (mission rows M6, M8): kernel PCA by another way, and relations read off data.
#include <mercer/basis_pca.hpp>
#include <mercer/generate.hpp>
#include <mercer/kernel_pca.hpp>
#include <mercer/pca.hpp>

#include "base/random.hpp"
#include "decompositions.hpp"
#include "expect_error.hpp"
#include "support.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <map>

namespace mercer {
namespace {

using test::tolerance;

template <class T>
class BasisPcaFit : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(BasisPcaFit, Types);

TYPED_TEST(BasisPcaFit, IsKernelPcaWithThatKernelOnEitherSide) {
  using T = TypeParam;
  for (const auto& [n, d, degree] :
       {std::tuple<Index, Index, int>{90, 2, 3}, {40, 3, 2}, {12, 6, 3}, {15, 1, 4}})
    for (bool center : {true, false})
      for (double coef0 : {1.0, 0.0}) {
        const Matrix<T> x = T(0.7) * test::random_matrix<T>(n, d, 1);
        const auto basis = BasisPca<T>::fit(
            x, {.basis = Basis::polynomial(degree, 1, coef0), .components = 3, .center = center});
        const auto kernel = KernelPca<T>::fit(
            x, {.components = 3, .kernel = Kernel::polynomial(degree, 1, coef0), .center = center});
        ASSERT_EQ(basis.components(), kernel.components());
        EXPECT_EQ(basis.report().kernel, kernel.report().kernel);
        const double top = kernel.report().gram_eigenvalues[0];
        EXPECT_LE((basis.report().gram_eigenvalues - kernel.report().gram_eigenvalues).norm(), 1e-9 * top);
        EXPECT_NEAR(basis.report().trace, kernel.report().trace, 1e-9 * kernel.report().trace);
        EXPECT_LE(
            (test::with_signs_of(kernel.scores(), basis.scores()) - kernel.scores().template cast<double>())
                .norm(),
            tolerance<T>(1e-7, 1e-3) * std::sqrt(top))
            << n << ' ' << d << ' ' << degree << ' ' << center << ' ' << coef0;
        const Matrix<T> fresh = test::random_matrix<T>(5, d, 2);
        EXPECT_LE((test::with_signs_of(kernel.transform(fresh), basis.transform(fresh)) -
                   kernel.transform(fresh).template cast<double>())
                      .norm(),
                  tolerance<T>(1e-6, 1e-2) * (1 + double(kernel.transform(fresh).norm())));
      }
}

TYPED_TEST(BasisPcaFit, IsPcaOfTheFunctionsOnAwkwardData) {
  using T = TypeParam;
  for (const auto& [name, data] : test::awkward_data<T>())
    for (bool center : {true, false}) {
      const Basis basis = Basis::monomials(2);
      const Matrix<double> phi = basis.evaluate(Samples<T>(data));
      const auto ours = BasisPca<T>::fit(data, {.basis = basis, .components = 4, .center = center});
      const auto plain = Pca<double>::fit(phi, {.components = 4, .center = center});
      ASSERT_EQ(ours.components(), plain.components()) << name << center;
      const double top = 1e-300 + (plain.components() ? plain.report().variances[0] : 0);
      EXPECT_LE((ours.report().variances - plain.report().variances).norm(), 1e-10 * top) << name;
      const Block<double> u = ours.directions();
      EXPECT_LE((u.transpose() * u - Block<double>::Identity(u.cols(), u.cols())).norm(), 1e-7) << name;
      EXPECT_LE(double((ours.transform(data) - ours.scores()).norm()),
                tolerance<T>(1e-12, 1e-5) * (1 + double(ours.scores().norm())))
          << name;
    }
}

TYPED_TEST(BasisPcaFit, EveryRouteGivesTheSameAnswerForAnyNumberOfThreads) {
  using T = TypeParam;
  for (const auto& [n, d] : {std::pair<Index, Index>{900, 28}, {430, 32}}) {  // 435 and 561 functions
    Matrix<T> x = T(0.3) * test::random_matrix<T>(n, d, 3);
    for (Index j = 0; j < 4; ++j) x.col(j) *= T(6 - j);
    const auto dense = BasisPca<T>::fit(x, {.components = 3, .route = Route::dense}, {.threads = 1});
    const auto again = BasisPca<T>::fit(x, {.components = 3, .route = Route::dense}, {.threads = 2});
    EXPECT_LE(double((dense.scores() - again.scores()).norm()),
              tolerance<T>(1e-10, 1e-4) * double(dense.scores().norm()));
    for (Route route : {Route::stored, Route::tiled}) {
      const auto other = BasisPca<T>::fit(x, {.components = 3, .route = route}, {.threads = 1});
      EXPECT_EQ(other.report().plan.route, route);
      EXPECT_LE((other.report().variances - dense.report().variances).norm(),
                1e-8 * dense.report().variances[0]);
      EXPECT_LE(
          (test::with_signs_of(dense.directions(), other.directions()) - Matrix<double>(dense.directions()))
              .norm(),
          1e-6);
      const auto threaded = BasisPca<T>::fit(x, {.components = 3, .route = route}, {.threads = 2});
      EXPECT_LE((threaded.report().gram_eigenvalues - other.report().gram_eigenvalues).norm(),
                1e-10 * other.report().gram_eigenvalues[0]);
      EXPECT_LE(double((threaded.scores() - other.scores()).norm()),
                tolerance<T>(1e-6, 1e-4) * double(other.scores().norm()));
    }
  }
}

TEST(BasisPcaCertificate, HoldsWhereTheFunctionsAreLargeBesideTheirVariation) {
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  for (const double away : {0.0, 1e3, 1e5, 1e7})
    for (const Index n : {5, 40}) {  // either side of the problem
      const Matrix<double> x = (test::random_matrix<double>(n, 2, 81).array() + away).matrix();
      const auto model = BasisPca<double>::fit(x, {.basis = Basis::monomials(2), .components = 3});
      Wide phi(n, 5);  // the products of 53-bit numbers need no more than 106 bits, about the mean far fewer
      for (Index i = 0; i < n; ++i) {
        const long double a = x(i, 0), b = x(i, 1);
        phi.row(i) << a, b, a * a, a * b, b * b;
      }
      phi.rowwise() -= phi.colwise().mean().eval();
      const Wide scatter = phi.transpose() * phi;
      const auto exact = Eigen::SelfAdjointEigenSolver<Wide>(scatter).eigenvalues();
      const Report& report = model.report();
      ASSERT_GE(report.components, 2);
      for (Index i = 0; i < report.components; ++i)
        EXPECT_LE(std::abs(double(exact[4 - i]) - report.gram_eigenvalues[i]), report.residuals[i])
            << away << ", " << n << ", " << i;
      EXPECT_GE(report.missed.rigorous, double(exact[4 - report.components]));
      EXPECT_EQ(report.residuals[0] > 2e-10 * report.gram_eigenvalues[0],
                !report.notes.empty() &&
                    report.notes.back().find("large beside their variation") != std::string::npos);
    }
}

TEST(BasisPcaCertificate, HoldsForSumsOfEqualTerms) {
  // Uncentred, of one point many times over: every addition rounds the same way.
  Random random(94);
  for (int turn = 0; turn < 200; ++turn) {
    const Index n = 100 + 3 * turn;
    const double value = 2 * random.normal();
    const auto model =
        BasisPca<double>::fit(Matrix<double>(Matrix<double>::Constant(n, 1, value)),
                              {.basis = Basis::monomials(2), .components = 1, .center = false});
    const long double square = (long double)(value)*value;
    const long double exact = (long double)(n) * (1 + square + square * square);
    const Report& r = model.report();
    ASSERT_EQ(r.components, 1);
    EXPECT_LE(std::abs(double(r.gram_eigenvalues[0] - exact)), r.residuals[0]) << n;
  }
}

TYPED_TEST(BasisPcaFit, CirclePointsHaveFourComponentsWhereGenericPointsHaveFive) {
  using T = TypeParam;
  EXPECT_EQ(BasisPca<double>::fit(generate("circle", 60, 3), {.components = 10}).components(), 4);
  EXPECT_EQ(BasisPca<T>::fit(test::random_matrix<T>(60, 2, 4), {.components = 10}).components(), 5);
}

/// The coefficients of a relation by the names of the functions, x1² having 1.
std::map<std::string, double> relation_of(const Report& report, Index which = 0) {
  std::map<std::string, double> out;
  const BasisDescription& basis = *report.basis;
  for (std::size_t j = 0; j < basis.names.size(); ++j)
    out[basis.names[j]] = basis.coefficients(which, static_cast<Index>(j));
  out["1"] -= basis.offsets[which];
  const double unit = out["x1²"];
  for (auto& [name, value] : out) value /= unit;
  return out;
}

TEST(BasisPcaRelations, ACircleReadsOffItsOwnEquation) {
  const Dataset<double> circle = generate("circle", 80, 3);  // around (1, 2), radius 1.5
  for (const Basis& basis : {Basis::polynomial(2), Basis::monomials(2), Basis::polynomial(2, 0.5, 3)})
    for (bool center : {false, true}) {
      const auto model = BasisPca<double>::fit(circle, {.basis = basis, .smallest = 1, .center = center});
      const auto relation = relation_of(model.report());
      EXPECT_NEAR(relation.at("x2²"), 1, 1e-9);
      EXPECT_NEAR(relation.at("x1·x2"), 0, 1e-9);
      EXPECT_NEAR(relation.at("x1"), -2, 1e-9);
      EXPECT_NEAR(relation.at("x2"), -4, 1e-9);
      EXPECT_NEAR(relation.at("1"), 1 + 4 - 1.5 * 1.5, 1e-9);
      const std::string words = model.report().basis->directions.at(0);
      EXPECT_EQ(words.substr(0, words.find(", to within")), "x1² + x2² − 2·x1 − 4·x2 + 2.75 = 0");
      EXPECT_LT(double(model.scores().norm()), 1e-10);
      EXPECT_EQ(model.report().end, End::smallest);
    }
}

TEST(BasisPcaRelations, AreReadableFarFromTheOriginAndAfterLoading) {
  for (const double away : {3.0, 30.0}) {
    Matrix<double> x(100, 2);
    for (Index i = 0; i < 100; ++i)
      x.row(i) << away + 1.5 * std::cos(0.0628 * double(i)), away + 1.5 * std::sin(0.0628 * double(i));
    const auto model = BasisPca<double>::fit(
        Samples<double>(x), {.basis = Basis::parse("poly(degree=2)"), .smallest = 1, .center = false});
    const std::string words = model.report().basis->directions.at(0);
    EXPECT_EQ(words.find("x1² + x2² − "), 0U) << words;
    EXPECT_EQ(words.find("…"), std::string::npos) << words;
    const std::string path =
        (std::filesystem::temp_directory_path() / "mercer_relation_test.mercer").string();
    model.save(path);
    EXPECT_EQ(load_model<double>(path)->report().basis->directions.at(0), words);
    std::filesystem::remove(path);
  }
}

/// All coefficients within 1e-6 of what they are, those that are 0 within 1e-6 of the largest about the
/// middle.
void expect_relation(const Report& report, const std::map<std::string, double>& expected, double zero,
                     const std::string& what) {
  for (const auto& [name, value] : relation_of(report)) {
    const auto found = expected.find(name);
    const double wanted = found == expected.end() ? 0 : found->second;
    EXPECT_NEAR(value, wanted, wanted == 0 ? zero : 1e-6 * std::abs(wanted)) << what << ": " << name;
  }
}

TEST(BasisPcaRelations, OfConicsHaveTheirDigitsHoweverFarFromTheOrigin) {
  for (const auto& [a, b] : {std::pair{300.0, 600.0}, {1000.0, 2000.0}, {-4000.0, 0.0}, {1e5, 3e5}})
    for (const auto& [width, height] : {std::pair{1.5, 1.5}, {3.0, 0.5}})
      for (const Basis& basis : {Basis::polynomial(2), Basis::monomials(2), Basis::polynomial(2, 0.5, 3)})
        for (const bool center : {false, true}) {
          Matrix<double> x(90, 2);
          for (Index i = 0; i < 90; ++i)
            x.row(i) << a + width * std::cos(0.1 * double(i)), b + height * std::sin(0.1 * double(i));
          const auto model = BasisPca<double>::fit(x, {.basis = basis, .smallest = 1, .center = center});
          const double q = (width * width) / (height * height);
          const std::string what = fmt::format("({}, {}), {} x {}, {}", a, b, width, height, center);
          expect_relation(model.report(),
                          {{"x1²", 1},
                           {"x2²", q},
                           {"x1", -2 * a},
                           {"x2", -2 * b * q},
                           {"1", a * a + q * b * b - width * width}},
                          a == -4000 ? 1e-5 : 1e-6, what);
          EXPECT_LT(model.report().variances[0], 1e-24);
          EXPECT_GT(model.report().missed.rigorous, 0) << what;  // there is no other
          EXPECT_EQ(model.report().basis->directions.at(0).find("…"), std::string::npos);
        }
}

TEST(BasisPcaRelations, SayTheConstantThatFarTermsCancelTo) {
  Matrix<double> x(100, 2);
  for (Index i = 0; i < 100; ++i)
    x.row(i) << 1000 + 1.5 * std::cos(0.0628 * double(i)), 2000 + 1.5 * std::sin(0.0628 * double(i));
  const auto model = BasisPca<double>::fit(x, {.smallest = 1, .center = false});
  const std::string words = model.report().basis->directions.at(0);
  EXPECT_EQ(words.substr(0, words.find(", to within")), "x1² + x2² − 2000·x1 − 4000·x2 + 4999997.75 = 0");
}

TEST(BasisPcaRelations, OfLinesAndCubicsHaveTheirDigitsFarFromTheOrigin) {
  Matrix<double> x(80, 2);
  for (Index i = 0; i < 80; ++i) x.row(i) << 1000 + 0.05 * double(i), 2000 + 0.1 * double(i);  // x2 = 2 x1
  const auto line = BasisPca<double>::fit(x, {.basis = Basis::monomials(1), .smallest = 1, .center = false});
  const BasisDescription& told = *line.report().basis;
  EXPECT_NEAR(told.coefficients(0, 1) / told.coefficients(0, 2), -2, 1e-12);
  EXPECT_NEAR(told.coefficients(0, 0) / told.coefficients(0, 2), 0, 1e-9);
  // (x2 − 2000) = (x1 − 1000)³
  for (Index i = 0; i < 80; ++i) {
    const double t = -1.25 + double(i) / 32;
    x.row(i) << 1000 + t, 2000 + t * t * t;  // without rounding
  }
  const auto cubic = BasisPca<double>::fit(x, {.basis = Basis::monomials(3), .smallest = 1, .center = false});
  const BasisDescription& words = *cubic.report().basis;
  std::map<std::string, double> found;
  for (std::size_t j = 0; j < words.names.size(); ++j)
    found[words.names[j]] = words.coefficients(0, static_cast<Index>(j));
  const double unit = found["x1³"];
  const std::map<std::string, double> expected{
      {"x1³", 1}, {"x1²", -3e3}, {"x1", 3e6}, {"x2", -1}, {"1", -1e9 + 2000}};
  for (const auto& [name, value] : expected)
    EXPECT_NEAR(found[name] / unit, value, 1e-6 * std::abs(value)) << name;
}

TEST(BasisPcaRelations, ThatRoundingHidesAreNotReported) {
  Matrix<double> x(6, 1);
  for (Index i = 0; i < 6; ++i) x(i, 0) = 1e8 + double(i);
  const auto model = BasisPca<double>::fit(x, {.basis = Basis::monomials(2), .smallest = 3, .center = false});
  const Report& r = model.report();
  EXPECT_LT(r.components, 3);
  for (Index i = 0; i < r.components; ++i)
    EXPECT_NEAR(model.directions().col(i).norm(), 1, 1e-6) << "of length 1";
  ASSERT_FALSE(r.notes.empty());
  test::expect_contains(r.notes.back(), "of 3 relations stand out from rounding");
}

TEST(BasisPcaRelations, ClaimNothingOfWhatWasMissedWhereDirectionsAreLost) {
  Matrix<double> x(60, 1);
  for (Index i = 0; i < x.rows(); ++i) x(i, 0) = 1e6 + double((37 * i) % 60) / 60;
  const auto model = BasisPca<double>::fit(Samples<double>(x), {.basis = Basis::monomials(6), .smallest = 1});
  EXPECT_EQ(model.report().missed.rigorous, 0);
  ASSERT_FALSE(model.report().notes.empty());
  EXPECT_NE(model.report().notes[0].find("rounding hides"), std::string::npos) << model.report().notes[0];
}

TEST(BasisPcaRelations, OfEqualRowsAreFound) {
  for (const double value : {0.0, 3.0}) {
    const Matrix<double> x = Matrix<double>::Constant(50, 2, value);
    const auto model =
        BasisPca<double>::fit(Samples<double>(x), {.basis = Basis::polynomial(2), .smallest = 2});
    ASSERT_EQ(model.report().components, 2);
    EXPECT_LE(model.report().gram_eigenvalues.cwiseAbs().maxCoeff(), 1e-20);
  }
}

TEST(BasisPcaRelations, SeveralAtOnceAreOrthonormalAndOrderedFarFromTheOrigin) {
  // A circle in a plane of space: the plane, its multiples by x1, x2, x3, and the circle.
  Matrix<double> x(200, 3);
  for (Index i = 0; i < 200; ++i) {
    const double c = std::cos(0.1 * double(i)), s = std::sin(0.1 * double(i));
    x.row(i) << 300 + c, 600 + s, 900 + 0.5 * c - 0.25 * s;
  }
  for (const bool center : {false, true}) {
    const auto model = BasisPca<double>::fit(x, {.smallest = 6, .center = center});
    const Block<double>& u = model.directions();
    EXPECT_LE((u.transpose() * u - Block<double>::Identity(6, 6)).norm(), 1e-9);
    const Vector<double>& values = model.report().gram_eigenvalues;
    for (Index i = 0; i < 5; ++i) {
      EXPECT_LT(values[i], 1e-6 * values[5]) << center;  // five hold to rounding of the data
      EXPECT_LE(values[i], values[i + 1]);
    }
    EXPECT_GE(model.report().residuals.minCoeff(), 0);
  }
}

TEST(BasisPcaRelations, HoldWhereFunctionsRepeatOrAreConstant) {
  Matrix<double> x = test::random_matrix<double>(50, 3, 11);
  x.col(2).setConstant(1000);
  const auto constant =
      BasisPca<double>::fit(x, {.basis = Basis::monomials(1), .smallest = 1, .center = false});
  const std::string words = constant.report().basis->directions.at(0);
  EXPECT_EQ(words.substr(0, words.find(", to within")), "x3 − 1000 = 0");
  const auto twice = BasisPca<double>::fit(
      x, {.basis = Basis::monomials(1) + Basis::parse("x1, x2^2"), .smallest = 1, .center = true});
  EXPECT_LT(twice.report().gram_eigenvalues[0], 1e-25);
}

TEST(BasisPcaRelations, ASphereAndACubicCurveToo) {
  const auto sphere =
      BasisPca<double>::fit(generate("sphere", 200, 1).samples, {.smallest = 1, .center = false});
  const std::string words = sphere.report().basis->directions.at(0);
  EXPECT_EQ(words.substr(0, words.find(", to within")), "x1² + x2² + x3² − 1 = 0");
  Matrix<double> x(60, 2);  // y = x³ − x
  for (Index i = 0; i < 60; ++i) x(i, 0) = -1.5 + double(i) / 20, x(i, 1) = std::pow(x(i, 0), 3) - x(i, 0);
  const auto curve =
      BasisPca<double>::fit(x, {.basis = Basis::polynomial(3), .smallest = 1, .center = false});
  const std::string cubic = curve.report().basis->directions.at(0);
  EXPECT_EQ(cubic.substr(0, cubic.find(", to within")), "x1³ − x1 − x2 = 0");
}

TEST(BasisPcaRelations, AreTheSmallestEigenvectorsOfTheScatter) {
  const Matrix<double> x = test::random_matrix<double>(300, 3, 5);
  for (bool center : {true, false}) {
    const auto model =
        BasisPca<double>::fit(x, {.basis = Basis::polynomial(2), .smallest = 3, .center = center});
    Matrix<double> phi = Basis::polynomial(2).evaluate(Samples<double>(x));
    if (center) phi = (phi.rowwise() - phi.colwise().mean()).eval();
    const Eigen::SelfAdjointEigenSolver<Matrix<double>> all(phi.transpose() * phi);
    const Vector<double> expected = all.eigenvalues().segment(center ? 1 : 0, 3);  // centred, 1 is constant
    EXPECT_LT((model.report().gram_eigenvalues - expected).norm(), 1e-10 * all.eigenvalues().maxCoeff());
    EXPECT_LE(model.report().missed.rigorous, all.eigenvalues()[center ? 4 : 3] * (1 + 1e-9));
    EXPECT_GE(model.report().missed.rigorous, model.report().gram_eigenvalues[2]);
    EXPECT_LT(model.report().residuals.maxCoeff(), 1e-10 * all.eigenvalues().maxCoeff());
    EXPECT_NEAR(double(model.scores().squaredNorm()), expected.sum(), 1e-9 * all.eigenvalues().maxCoeff());
  }
}

TEST(BasisPcaRelations, TooFewSamplesAreSaidToObeyAnything) {
  const auto model =
      BasisPca<double>::fit(test::random_matrix<double>(4, 3, 6), {.smallest = 1, .center = false});
  ASSERT_FALSE(model.report().notes.empty());
  EXPECT_NE(model.report().notes[0].find("4 samples always obey relations in 10 functions"),
            std::string::npos);
}

TEST(BasisPcaWords, ScoresAreTheFunctionsThatTheWordsSay) {
  Dataset<double> data;
  Matrix<double> x = test::random_matrix<double>(200, 2, 7);
  x.col(1) *= 5;
  data.samples = x;
  data.columns = {"width", "height"};
  const auto model = BasisPca<double>::fit(data, {.basis = Basis::parse("x1, x2^2"), .components = 1});
  const BasisDescription& basis = *model.report().basis;
  for (Index i = 0; i < 200; ++i)
    EXPECT_NEAR(
        double(model.scores()(i, 0)),
        basis.coefficients(0, 0) * x(i, 0) + basis.coefficients(0, 1) * x(i, 1) * x(i, 1) - basis.offsets[0],
        1e-9);
  EXPECT_EQ(basis.directions.at(0).find("x2^2 "), 0u) << basis.directions.at(0);
  const auto named = BasisPca<double>::fit(data, {.basis = Basis::polynomial(2), .components = 1});
  EXPECT_NE(named.report().basis->directions.at(0).find("height²"), std::string::npos)
      << named.report().basis->directions.at(0);
  data.columns = {"x0", "x1"};  // x1 would be the second column here and the first in a formula
  const auto by_place = BasisPca<double>::fit(data, {.basis = Basis::polynomial(2), .components = 1});
  EXPECT_EQ(by_place.report().basis->directions.at(0).find("x0"), std::string::npos)
      << by_place.report().basis->directions.at(0);
}

TEST(BasisPcaWords, AConstantHoweverLargeHidesNoFunction) {
  for (const int degree : {10, 40}) {
    const auto model = BasisPca<double>::fit(generate("circle", 100, 1),
                                             {.basis = Basis::polynomial(degree), .components = 1});
    const std::string words = model.report().basis->directions.at(0);
    EXPECT_NE(words.find("x1"), std::string::npos) << words;
    EXPECT_NE(words.find("…"), std::string::npos) << words;
  }
}

TYPED_TEST(BasisPcaFit, ComesBackFromItsFileAsItWas) {
  using T = TypeParam;
  const Samples<T> x = test::random_matrix<T>(40, 3, 8), fresh = test::random_matrix<T>(7, 3, 9);
  const Basis mine =
      Basis::from_functions("mine", {"first", "sum"}, [](MatrixView<double> in, MatrixRef<double> phi) {
        phi.col(0) = in.col(0);
        phi.col(1) = in.rowwise().sum();
      });
  const std::string path =
      testing::TempDir() + "mercer_basis_" + std::string(name_of(precision_of<T>)) + ".mercer";
  for (const Basis& basis : {Basis::polynomial(3, 0.5), Basis::monomials(2), Basis::radial(5),
                             Basis::radial_at(Matrix<double>::Ones(2, 3)), Basis::cosines(2),
                             Basis::fourier(10), Basis::parse("x1^2, x2*x3"), Basis::radial(4) + mine})
    for (Index smallest : {0, 1}) {
      const auto model = BasisPca<T>::fit(
          x, {.basis = basis, .smallest = smallest, .scale = Scale::standardize}, {.seed = 3});
      model.save(path);
      const auto loaded = load_model<T>(path, {.bases = {{"mine", mine}}});
      EXPECT_EQ(loaded->transform(fresh), model.transform(fresh)) << basis.to_string();
      EXPECT_EQ(loaded->scores(), model.scores());
      EXPECT_EQ(loaded->report().to_json(), model.report().to_json());
      EXPECT_EQ(loaded->report().to_string(), model.report().to_string());
    }
  BasisPca<T>::fit(x, {.basis = mine}).save(path);
  EXPECT_THROW((void)load_model<T>(path), Error);
  std::remove(path.c_str());
}

TEST(BasisPcaOptions, MistakesAreFoundBeforeTheWork) {
  const Samples<double> x = test::random_matrix<double>(10, 3, 10);
  const auto message = [&](const BasisPcaOptions& options, const Samples<double>& samples,
                           std::size_t memory = 0) {
    try {
      (void)BasisPca<double>::fit(samples, options, {.memory = memory});
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(message({.components = 0}, x).find("at least 1"), std::string::npos);
  EXPECT_NE(message({.smallest = -1}, x).find("at least 1"), std::string::npos);
  EXPECT_NE(message({.smallest = 1, .route = Route::tiled}, x).find("LAPACK"), std::string::npos);
  EXPECT_NE(message({.route = Route::lowrank}, x).find("no route lowrank"), std::string::npos);
  EXPECT_NE(message({.basis = Basis::parse("x9")}, x).find("3 features"), std::string::npos);
  EXPECT_NE(
      message({.basis = Basis::polynomial(30)}, test::random_matrix<double>(10, 50, 1)).find("functions"),
      std::string::npos);
  EXPECT_NE(message({.basis = Basis::polynomial(4)}, test::random_matrix<double>(10, 80, 1), 50000000)
                .find("memory budget"),
            std::string::npos);
  EXPECT_NE(message({}, Matrix<double>(0, 3)).find("nothing to fit"), std::string::npos);
}

TEST(BasisPcaRange, InputsWhosePowersLeaveTheRangeAreRefusedByThatName) {
  const Matrix<double> x = 1e-300 * test::random_matrix<double>(20, 2, 82);
  const auto message = [&](const BasisPcaOptions& options, const Matrix<double>& points) {
    return std::string(test::error_of([&] { (void)BasisPca<double>::fit(points, options); }).what());
  };
  EXPECT_NE(message({}, x).find("underflow"), std::string::npos) << message({}, x);
  EXPECT_NE(message({.smallest = 1, .center = false}, x).find("leave the range of numbers"),
            std::string::npos);
  EXPECT_NE(message({.basis = Basis::polynomial(2), .smallest = 1, .center = false},
                    1e100 * test::random_matrix<double>(20, 2, 82))
                .find("sums of their squares overflow"),
            std::string::npos);
  EXPECT_NE(
      message({.basis = Basis::monomials(2), .center = false}, 1e50 * test::random_matrix<double>(20, 2, 84))
          .find("sums of their squares overflow"),
      std::string::npos);
  const auto constant = BasisPca<double>::fit(Matrix<double>(Matrix<double>::Constant(20, 2, 0.1)));
  EXPECT_EQ(constant.components(), 0);
}

TEST(BasisPcaRange, ScoresThatSinglePrecisionDoesNotHoldAreRefused) {
  for (const double size : {1e-17, 1e20}) {
    const Matrix<double> x = size * test::random_matrix<double>(20, 2, 83);
    const BasisPcaOptions options{.basis = Basis::formulas({"x1*x2"})};
    EXPECT_GT(BasisPca<double>::fit(x, options).components(), 0);
    const std::string words =
        test::error_of([&] { (void)BasisPca<float>::fit(Matrix<float>(x.cast<float>()), options); }).what();
    EXPECT_NE(words.find(size > 1 ? "too much for single precision" : "too little for single precision"),
              std::string::npos)
        << words;
  }
}

}  // namespace
}  // namespace mercer
