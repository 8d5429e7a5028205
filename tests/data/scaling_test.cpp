// Scaling: means and deviations, what sparse data says to it, and the way back.
#include "expect_error.hpp"

#include "base/random.hpp"

#include <mercer/scaling.hpp>

namespace mercer {
namespace {

using test::error_of;
using test::expect_contains;

template <class T>
Matrix<T> random_matrix(Index rows, Index cols) {
  Random random(3);
  Matrix<T> m(rows, cols);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j)
      m(i, j) = static_cast<T>(5 + (1.0 + static_cast<double>(j)) * random.normal());
  return m;
}

template <class T>
class ScalingOf : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ScalingOf, Types);

TYPED_TEST(ScalingOf, StandardizedColumnsHaveMeanZeroAndVarianceOne) {
  using T = TypeParam;
  const Matrix<T> m = random_matrix<T>(100, 4);
  const auto scaling = Scaling<T>::fit(Scale::standardize, m);
  const Matrix<double> z = scaling.apply(m).to_dense().template cast<double>();
  const double tolerance = sizeof(T) == 4 ? 1e-6 : 1e-13;
  for (Index j = 0; j < 4; ++j) {
    EXPECT_NEAR(z.col(j).mean(), 0, tolerance);
    EXPECT_NEAR(z.col(j).squaredNorm() / 100, 1, tolerance);
  }
}

TYPED_TEST(ScalingOf, StandardizesOverTheWholeRangeOfNumbers) {
  using T = TypeParam;
  const Matrix<T> m = random_matrix<T>(50, 3);
  const Matrix<double> plain =
      Scaling<T>::fit(Scale::standardize, m).apply(m).to_dense().template cast<double>();
  for (const int power : sizeof(T) == 4 ? std::vector<int>{-110, -60, 60, 120}
                                        : std::vector<int>{-1000, -600, -500, 500, 600, 1000, 1018}) {
    const Matrix<T> far = m.unaryExpr([power](T x) { return std::ldexp(x, power); });
    const auto scaling = Scaling<T>::fit(Scale::standardize, far);
    EXPECT_EQ(scaling.apply(far).to_dense().template cast<double>(), plain) << power;  // to the bit
    const Matrix<T> back = scaling.undo(scaling.apply(far).to_dense());
    EXPECT_LE(double((back.array() / far.array() - 1).abs().maxCoeff()), sizeof(T) == 4 ? 1e-5 : 1e-12);
    const auto centred = Scaling<T>::fit(Scale::center, far);
    EXPECT_TRUE(centred.apply(far).to_dense().allFinite());
  }
}

TEST(Scaling, EndsOfTheRangeOnBothSidesOfZeroAreStandardized) {
  Matrix<double> m(4, 1);
  m << 1.7e308, -1.7e308, 1.7e308, -1.7e308;
  const auto scaling = Scaling<double>::fit(Scale::standardize, m);
  EXPECT_NEAR(scaling.apply(m).to_dense()(0, 0), 1, 1e-12);
  EXPECT_NEAR(scaling.apply(m).to_dense()(1, 0), -1, 1e-12);
  m << 1.7e308, 1.7e308, 1.7e308, -1.7e308;
  expect_contains(error_of([&] { (void)Scaling<double>::fit(Scale::center, m).apply(m); }).message(),
                  "row 3, column 0");
}

TEST(Scaling, AColumnWhoseWidthHasNoInverseIsRefusedNotTakenForConstant) {
  Matrix<double> m = random_matrix<double>(10, 2);
  m.col(1) *= 1e-312;
  expect_contains(error_of([&] { (void)Scaling<double>::fit(Scale::standardize, m); }).message(),
                  "column 1 varies by");
}

TYPED_TEST(ScalingOf, UndoIsTheWayBack) {
  using T = TypeParam;
  const Matrix<T> m = random_matrix<T>(20, 3);
  for (const Scale kind : {Scale::none, Scale::center, Scale::standardize}) {
    const auto scaling = Scaling<T>::fit(kind, m);
    EXPECT_TRUE(scaling.undo(scaling.apply(m).to_dense()).isApprox(m, sizeof(T) == 4 ? T(1e-6) : T(1e-14)));
  }
}

TYPED_TEST(ScalingOf, ConstantColumnsAreOnlyCentred) {
  using T = TypeParam;
  Matrix<T> m = random_matrix<T>(30, 2);
  m.col(1).setConstant(T(0.1));
  const auto scaling = Scaling<T>::fit(Scale::standardize, m);
  EXPECT_EQ(scaling.factor[1], 1);
  EXPECT_LT(scaling.apply(m).to_dense().col(1).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(Scaling, NoneReturnsTheSameMemory) {
  const Samples<double> samples = random_matrix<double>(3, 2);
  EXPECT_EQ(Scaling<double>::fit(Scale::none, samples).apply(samples).dense().data(), samples.dense().data());
}

TEST(Scaling, SparseDataIsRefusedUnlessNothingIsToBeDone) {
  SparseMatrix<double> sparse(2, 2);
  sparse.insert(0, 0) = 1;
  const Samples<double> samples = sparse;
  EXPECT_TRUE(Scaling<double>::fit(Scale::none, samples).apply(samples).is_sparse());
  const Error e = error_of([&] { (void)Scaling<double>::fit(Scale::center, samples); });
  EXPECT_EQ(e.code(), ErrorCode::usage);
  expect_contains(e.what(), "fill in its zeros");
}

TEST(Scaling, OtherWidthsAreRefused) {
  const auto scaling = Scaling<double>::fit(Scale::center, random_matrix<double>(3, 2));
  EXPECT_EQ(error_of([&] { (void)scaling.apply(random_matrix<double>(3, 4)); }).code(), ErrorCode::bad_data);
}

TEST(Scaling, NamesPrintAndParse) {
  for (const Scale kind : {Scale::none, Scale::center, Scale::standardize})
    EXPECT_EQ(parse_scale(name_of(kind)), kind);
  EXPECT_EQ(error_of([] { (void)parse_scale("unit"); }).code(), ErrorCode::usage);
}

}  // namespace
}  // namespace mercer
