// PCA's identities (mission rows M1, M2), on awkward data, in float and double.
#include <mercer/pca.hpp>

#include "base/random.hpp"
#include "decompositions.hpp"
#include "support.hpp"

namespace mercer {
namespace {

using test::tolerance;

template <class T>
class PcaFit : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(PcaFit, Types);

TYPED_TEST(PcaFit, IsTheEigendecompositionOfTheCovariance) {
  using T = TypeParam;
  for (const auto& [name, data] : test::awkward_data<T>()) {
    const auto pca = Pca<T>::fit(data, {.components = 3});
    Matrix<double> x = data.template cast<double>();
    x.rowwise() -= x.colwise().mean().eval();
    const Matrix<double> s = x.transpose() * x / double(x.rows());  // S = XᵀHX/n
    const Block<double> u = pca.directions().template cast<double>();
    const double top = s.norm() + 1e-30;
    EXPECT_LE((s * u - u * pca.report().variances.asDiagonal()).norm(), tolerance<T>(1e-12, 1e-5) * top)
        << name;
    EXPECT_LE((u.transpose() * u - Block<double>::Identity(u.cols(), u.cols())).norm(),
              tolerance<T>(1e-9, 1e-4))
        << name;
    EXPECT_LE((pca.scores().template cast<double>() - x * u).norm(),
              tolerance<T>(1e-12, 1e-5) * (x.norm() + 1e-30))
        << name;
    EXPECT_NEAR(pca.report().trace, s.trace() * double(x.rows()), 1e-6 * top * double(x.rows())) << name;
  }
}

TYPED_TEST(PcaFit, TransformAndInverseAreExactAtFullRank) {
  using T = TypeParam;
  for (const auto& [name, data] : test::awkward_data<T>())
    for (Scale scale : {Scale::none, Scale::center, Scale::standardize})
      for (bool center : {true, false}) {
        const auto pca = Pca<T>::fit(data, {.components = 50, .center = center, .scale = scale});
        const double size = 1 + double(data.norm());
        EXPECT_LE(double((pca.transform(data) - pca.scores()).norm()), tolerance<T>(1e-11, 1e-3) * size)
            << name;
        EXPECT_LE(double((pca.inverse(pca.scores()) - data).norm()), tolerance<T>(1e-6, 2e-2) * size)
            << name << ", center " << center;
        if (pca.components() > 0) {
          EXPECT_NEAR(pca.report().explained_variance_ratio.sum(), 1, tolerance<T>(1e-10, 1e-5)) << name;
        }
      }
}

TYPED_TEST(PcaFit, EveryRouteAndBothSidesGiveTheSameAnswer) {
  using T = TypeParam;
  for (const auto& [n, d] : {std::pair<Index, Index>{700, 450}, {450, 700}}) {
    Matrix<T> x = test::random_matrix<T>(n, d, 1);
    for (Index j = 0; j < 6; ++j) x.col(j) *= T(10 - j);  // six directions stand out
    const auto dense = Pca<T>::fit(x, {.components = 5, .route = Route::dense});
    for (Route route : {Route::stored, Route::tiled})
      for (const Samples<T>& samples : {Samples<T>(x), Samples<T>(SparseMatrix<T>(x.sparseView()))}) {
        const auto other = Pca<T>::fit(samples, {.components = 5, .route = route});
        EXPECT_LE((other.report().variances - dense.report().variances).norm(),
                  tolerance<T>(1e-9, 1e-5) * dense.report().variances[0]);
        EXPECT_LE((test::with_signs_of(dense.directions(), other.directions()) -
                   Matrix<double>(dense.directions().template cast<double>()))
                      .norm(),
                  tolerance<T>(1e-7, 1e-3));
      }
  }
}

TYPED_TEST(PcaFit, SparseInputIsCentredWithoutFillingInZeros) {
  using T = TypeParam;
  for (const auto& [n, d] : {std::pair<Index, Index>{60, 20}, {20, 60}}) {
    const SparseMatrix<T> sparse = test::random_sparse<T>(n, d, 2);
    for (bool center : {true, false}) {
      const auto a = Pca<T>::fit(sparse, {.components = 4, .center = center});
      const auto b = Pca<T>::fit(Matrix<T>(sparse), {.components = 4, .center = center});
      EXPECT_LE((a.report().variances - b.report().variances).norm(),
                tolerance<T>(1e-10, 1e-5) * b.report().variances[0]);
      EXPECT_LE((test::with_signs_of(a.scores(), b.scores()) - a.scores().template cast<double>()).norm(),
                tolerance<T>(1e-8, 1e-3));
      EXPECT_LE(double((a.transform(sparse) - a.scores()).norm()), tolerance<T>(1e-11, 1e-3));
    }
  }
}

TYPED_TEST(PcaFit, UncentredIsTheSingularValueDecomposition) {
  using T = TypeParam;
  Matrix<T> x = test::random_matrix<T>(30, 7, 3);
  x.array() += T(2);
  const auto pca = Pca<T>::fit(x, {.components = 7, .center = false});
  const Vector<double> singular =
      Eigen::JacobiSVD<Matrix<double>>(x.template cast<double>()).singularValues();
  EXPECT_LE((pca.report().gram_eigenvalues.cwiseSqrt() - singular).norm(),
            tolerance<T>(1e-10, 1e-4) * singular[0]);
}

TYPED_TEST(PcaFit, VariancesOverNMinusOneOnRequest) {
  using T = TypeParam;
  const Matrix<T> x = test::random_matrix<T>(11, 3, 4);
  const auto biased = Pca<T>::fit(x, {.components = 3}),
             unbiased = Pca<T>::fit(x, {.components = 3, .unbiased = true});
  EXPECT_LE((unbiased.report().variances - biased.report().variances * 11 / 10).norm(), 1e-12);
  EXPECT_EQ(unbiased.report().explained_variance_ratio, biased.report().explained_variance_ratio);
  EXPECT_THROW((void)Pca<T>::fit(Matrix<T>(x.topRows(1)), {.unbiased = true}), Error);
}

TYPED_TEST(PcaFit, ConstantDataHasNoComponentsOnAnyRoute) {
  using T = TypeParam;
  for (Route route : {Route::dense, Route::stored, Route::tiled})
    EXPECT_EQ(Pca<T>::fit(Matrix<T>(Matrix<T>::Constant(600, 500, T(0.1))), {.components = 2, .route = route})
                  .components(),
              0)
        << name_of(route);
}

TYPED_TEST(PcaFit, ScoresOfDataFarFromTheOriginKeepTheirDigits) {
  using T = TypeParam;
  const double far = std::is_same_v<T, float> ? 1024 : 1 << 30;  // exact shifts of short numbers
  const Matrix<T> x =
      (test::random_matrix<double>(80, 3, 6) * 64).array().round().matrix().template cast<T>() / T(64);
  const auto near = Pca<T>::fit(x, {.components = 3}),
             shifted = Pca<T>::fit(Matrix<T>(x.array() + T(far)), {.components = 3});
  EXPECT_LT(
      (test::with_signs_of(near.scores(), shifted.scores()) - near.scores().template cast<double>()).norm(),
      tolerance<T>(5e-6, 1e-4));  // the mean itself is known to 2⁻²³
}

TYPED_TEST(PcaFit, ASwarmAroundAFarAwayPointKeepsItsDigits) {
  using T = TypeParam;
  const Matrix<T> x = test::random_matrix<T>(100, 3, 5);
  Matrix<T> far = x;
  far.array() += std::is_same_v<T, float> ? T(1e2) : T(1e7);
  const auto a = Pca<T>::fit(x, {.components = 3}), b = Pca<T>::fit(far, {.components = 3});
  EXPECT_LE((a.report().variances - b.report().variances).norm(), tolerance<T>(1e-7, 1e-4));
}

TEST(PcaRounding, OfLongSumsOfEqualTermsIsInTheResidualAndTheTrace) {
  // Equal columns: every addition rounds the same way. One component, Σx̃² times the number of columns.
  const Index d = 300000;
  Vector<double> column(3);
  column << 0.1, 0.7, -0.3;
  const Vector<long double> wide = column.cast<long double>();
  const long double mean = wide.mean(), exact = (wide.array() - mean).square().sum() * (long double)(d);
  for (const bool tall : {false, true})
    for (const Route route : {Route::dense, Route::stored}) {
      const Matrix<double> x = column.replicate(1, tall ? 1 : d);
      const Matrix<double> rows = column.replicate(tall ? d : 1, 1);
      const auto model = Pca<double>::fit(tall ? rows : x, {.components = 1, .route = route});
      const Report& r = model.report();
      ASSERT_EQ(r.components, 1);
      const double slack = 16 * std::numeric_limits<double>::epsilon() * double(exact);
      EXPECT_LE(std::abs(double(r.gram_eigenvalues[0] - exact)), r.residuals[0] + slack) << tall;
      EXPECT_LE(std::abs(double(r.trace - exact)), slack) << tall;
    }
}

TEST(PcaRounding, OfManyEqualRowsBesideOneFarRowIsInTheResidual) {
  // The far row comes first: to its large square every small one is added with the same rounding.
  Random random(92);
  for (int turn = 0; turn < 400; ++turn) {
    const Index n = 100 + 2 * turn;
    Matrix<double> x = Matrix<double>::Constant(n, 1, random.normal());
    x(0, 0) += 100 * random.normal();
    const Vector<long double> wide = x.col(0).cast<long double>();
    const long double exact = (wide.array() - wide.mean()).square().sum();
    const Report r = Pca<double>::fit(x, {.components = 1}).report();
    ASSERT_EQ(r.components, 1);
    EXPECT_LE(std::abs(double(r.gram_eigenvalues[0] - exact)), r.residuals[0]) << n;
  }
}

TEST(PcaRounding, OfTheMeanIsNotInTheTrace) {
  for (int turn = 0; turn < 20; ++turn) {
    Random random(93 + static_cast<std::uint64_t>(turn));
    Matrix<double> x(3, 42);  // all differences are a few units in the last place
    for (Index i = 0; i < x.size(); ++i)
      x.data()[i] = 1e8 + std::ldexp(std::floor(3 * random.uniform()), -26);
    using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
    Wide wide = (x.array() - 1e8).matrix().cast<long double>();
    wide.rowwise() -= wide.colwise().mean().eval();
    const double exact = double(wide.squaredNorm());
    EXPECT_NEAR(Pca<double>::fit(x, {.components = 1}).report().trace, exact, 1e-12 * exact);
  }
}

TEST(PcaFarFromTheOrigin, SparseRowsGiveWhatDenseRowsGive) {
  for (const double offset : {1e3, 1e6, 1e8})
    for (const Index columns : {3, 40}) {
      Matrix<double> x = test::random_matrix<double>(20, columns, 91);
      x.leftCols(3).array() += offset;
      for (Index i = 0; i < 20; ++i)  // and columns with zeros, which are not moved
        for (Index j = 3; j < columns; ++j)
          if ((i + j) % 3 != 0) x(i, j) = 0;
      const Samples<double> sparse = SparseMatrix<double>(x.sparseView());
      const auto exact = Pca<double>::fit(x, {.components = 3});
      for (const Route route : {Route::dense, Route::stored, Route::tiled}) {
        const auto model = Pca<double>::fit(sparse, {.components = 3, .route = route});
        const Report &r = model.report(), &e = exact.report();
        for (Index i = 0; i < 3; ++i)
          EXPECT_LE(std::abs(r.gram_eigenvalues[i] - e.gram_eigenvalues[i]),
                    r.residuals[i] + e.residuals[i] + 1e-13 * e.trace)
              << offset << " " << name_of(route);
        EXPECT_LE(r.residuals[0], 1e-9 * e.trace) << offset << " " << name_of(route);
        EXPECT_NEAR(r.trace, e.trace, 1e-13 * e.trace);
        const Matrix<double> again = model.transform(sparse);
        EXPECT_LE((again - model.scores()).cwiseAbs().maxCoeff(), 1e-15 * offset * 100);
      }
    }
}

TEST(PcaFarFromTheOrigin, ASparseColumnAsWideAsItIsFarKeepsItsDigitsInFloat) {
  Matrix<float> x(1000, 2);
  for (Index i = 0; i < x.rows(); ++i) x.row(i) << 1e4F, i % 2 == 0 ? 0.1F : 1000.1F;
  const Samples<float> sparse = SparseMatrix<float>(x.sparseView());
  const auto model = Pca<float>::fit(sparse, {.components = 1});
  const double half = (double(1000.1F) - double(0.1F)) / 2;  // every row lies so far from the mean
  EXPECT_LE(std::abs(model.report().gram_eigenvalues[0] - 1000 * half * half), model.report().residuals[0]);
  EXPECT_LE(model.report().residuals[0], 1e-6 * model.report().gram_eigenvalues[0]);
}

TEST(PcaFarFromTheOrigin, SparseTrainingPointsInFloatHaveTheirScoresAsNewOnes) {
  Matrix<float> x(200, 5);
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.cols(); ++j) x(i, j) = 1e5F + float((7 * i + 11 * j * i) % 23) / 8;
  const Samples<float> sparse = SparseMatrix<float>(x.sparseView());
  const auto model = Pca<float>::fit(sparse, {.components = 3});
  EXPECT_LE((model.transform(sparse) - model.scores()).cwiseAbs().maxCoeff(),
            1e-5F * model.scores().cwiseAbs().maxCoeff());
}

TEST(PcaRounding, OfLongSparseRowsIsInTheResidual) {
  Matrix<double> x = Matrix<double>::Constant(20, 100000, 0.77);
  for (Index i = 0; i < 20; ++i) x.row(i).head(i) *= 2;
  const Samples<double> sparse = SparseMatrix<double>(x.sparseView());
  const auto wide = x.cast<long double>().eval();
  const Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic> gram = wide * wide.transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>> exact(gram);
  const auto largest = double(exact.eigenvalues()[19]);
  for (const Route route : {Route::dense, Route::stored, Route::tiled}) {
    const auto model = Pca<double>::fit(sparse, {.components = 1, .center = false, .route = route});
    EXPECT_LE(std::abs(model.report().gram_eigenvalues[0] - largest), model.report().residuals[0])
        << name_of(route);
    EXPECT_LE(model.report().residuals[0], 1e-10 * largest) << name_of(route);
  }
}

TEST(PcaThreads, AnyNumberGivesTheSameBits) {
  const Matrix<double> wide = test::random_matrix<double>(100, 272, 5),
                       tall = test::random_matrix<double>(900, 150, 6);
  for (const Matrix<double>& x : {wide, tall})
    for (const Route route : {Route::dense, Route::stored, Route::tiled}) {
      const auto fit = [&](int threads) {
        return Pca<double>::fit(Samples<double>(x), {.components = 3, .route = route}, {.threads = threads});
      };
      const auto one = fit(1), two = fit(2);
      EXPECT_EQ(one.report().gram_eigenvalues, two.report().gram_eigenvalues) << name_of(route);
      EXPECT_EQ(one.scores(), two.scores()) << name_of(route);
    }
}

TEST(PcaRounding, OfSparseProductsIsNoComponent) {
  Matrix<double> x = Matrix<double>::Zero(3, 40);
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 40; ++j)
      if ((i * 17 + j * 5) % 7 < 3) x(i, j) = 0.1;
  for (const Samples<double>& samples :
       {Samples<double>(x), Samples<double>(SparseMatrix<double>(x.sparseView()))})
    EXPECT_LE(Pca<double>::fit(samples, {.components = 3}).report().components, 2);
}

TYPED_TEST(PcaFit, DirectionsOfWideDataAreOrthonormalBesideOneFarPoint) {
  using T = TypeParam;
  Matrix<double> x = test::random_matrix<double>(4, 60, 92);
  x.row(2) *= std::is_same_v<T, float> ? 1e4 : 1e7;
  const auto model = Pca<T>::fit(Matrix<T>(x.template cast<T>()), {.components = 3});
  const Block<double> u = model.directions().template cast<double>();
  EXPECT_LE((u.transpose() * u - Block<double>::Identity(3, 3)).cwiseAbs().maxCoeff(),
            8 * double(std::numeric_limits<T>::epsilon()));
  const auto wide =
      Pca<double>::fit(Matrix<double>(x.template cast<T>().template cast<double>()), {.components = 3});
  for (Index c = 0; c < 3; ++c) {  // the far point aside, whose own digits end there
    Vector<double> found = model.scores().col(c).template cast<double>(), exact = wide.scores().col(c);
    found[2] = exact[2] = 0;
    if (found.dot(exact) < 0) found = -found;
    EXPECT_LE((found - exact).norm(), (std::is_same_v<T, float> ? 1e-2 : 1e-6) * exact.norm()) << c;
  }
}

TYPED_TEST(PcaFit, DataNearTheEndsOfTheRangeIsFittedOrRefusedByItsCause) {
  using T = TypeParam;
  const Matrix<T> x = test::random_matrix<T>(40, 3, 71);
  const auto plain = Pca<T>::fit(x, {.components = 2, .scale = Scale::standardize});
  for (const int power :
       sizeof(T) == 4 ? std::vector<int>{-100, 110} : std::vector<int>{-1000, -530, 530, 1000}) {
    const Matrix<T> far = x.unaryExpr([power](T v) { return std::ldexp(v, power); });
    const auto scaled = Pca<T>::fit(far, {.components = 2, .scale = Scale::standardize});
    EXPECT_EQ(scaled.report().variances, plain.report().variances) << power;
    if (sizeof(T) == 4) continue;  // their squares are numbers in double
    for (const bool center : {true, false}) try {
        (void)Pca<T>::fit(far, {.components = 2, .center = center});
        FAIL() << "no error at " << power;
      } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::bad_data);
        EXPECT_NE(std::string(e.what()).find(power < 0 ? "underflow" : "overflow"), std::string::npos)
            << e.what();
      }
  }
}

}  // namespace
}  // namespace mercer
