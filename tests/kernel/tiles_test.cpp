// Tiles of every kernel against its formula written out, on dense and CSR rows, in float and double.
#include "kernel/tiles.hpp"

#include "support.hpp"

#include <array>
#include <functional>

namespace mercer {
namespace {

using Row = Eigen::Matrix<long double, 1, Eigen::Dynamic>;
struct Formula {
  std::string text;
  std::function<long double(const Row&, const Row&)> value;
  bool non_negative = false;  ///< needs data >= 0
};

long double sq(const Row& x, const Row& y) { return (x - y).squaredNorm(); }
long double l1(const Row& x, const Row& y) { return (x - y).cwiseAbs().sum(); }
long double chi(const Row& x, const Row& y) {
  long double sum = 0;
  for (Index k = 0; k < x.size(); ++k)
    if (x[k] + y[k] > 0) sum += (x[k] - y[k]) * (x[k] - y[k]) / (x[k] + y[k]);
  return sum;
}

const std::vector<Formula>& formulas() {
  static const std::vector<Formula> all{
      {"linear", [](const Row& x, const Row& y) { return x.dot(y); }},
      {"poly(degree=3, gamma=0.5, coef0=2)",
       [](const Row& x, const Row& y) { return std::pow(0.5L * x.dot(y) + 2, 3.0L); }},
      {"rbf(gamma=0.3)", [](const Row& x, const Row& y) { return std::exp(-0.3L * sq(x, y)); }},
      {"laplacian(gamma=0.2)", [](const Row& x, const Row& y) { return std::exp(-0.2L * l1(x, y)); }},
      {"sigmoid(gamma=0.1, coef0=0.5)",
       [](const Row& x, const Row& y) { return std::tanh(0.1L * x.dot(y) + 0.5L); }},
      {"cosine",
       [](const Row& x, const Row& y) {
         return x.norm() > 0 && y.norm() > 0 ? x.dot(y) / (x.norm() * y.norm()) : 0.0L;
       }},
      {"matern32(length=2)",
       [](const Row& x, const Row& y) {
         const long double r = std::sqrt(3 * sq(x, y)) / 2;
         return (1 + r) * std::exp(-r);
       }},
      {"matern52(length=2)",
       [](const Row& x, const Row& y) {
         const long double r = std::sqrt(5 * sq(x, y)) / 2;
         return (1 + r + r * r / 3) * std::exp(-r);
       }},
      {"rq(length=1.5, alpha=0.7)",
       [](const Row& x, const Row& y) { return std::pow(1 + sq(x, y) / (2 * 0.7L * 1.5L * 1.5L), -0.7L); }},
      {"chi2(gamma=0.4)", [](const Row& x, const Row& y) { return std::exp(-0.4L * chi(x, y)); }, true},
      {"additive_chi2", [](const Row& x, const Row& y) { return -chi(x, y); }, true},
      {"expr('exp(-0.1*sqdist)*(1+dot)^2-l1dist')",
       [](const Row& x, const Row& y) {
         return std::exp(-0.1L * sq(x, y)) * (1 + x.dot(y)) * (1 + x.dot(y)) - l1(x, y);
       }},
      {"0.5*rbf(gamma=0.3)*linear + 2*cosine + laplacian(gamma=1)",
       [](const Row& x, const Row& y) {
         const long double cosine = x.norm() > 0 && y.norm() > 0 ? x.dot(y) / (x.norm() * y.norm()) : 0.0L;
         return 0.5L * std::exp(-0.3L * sq(x, y)) * x.dot(y) + 2 * cosine + std::exp(-l1(x, y));
       }},
  };
  return all;
}

template <class T>
class Tiles : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Tiles, Types);

template <class T>
void expect_formula(const Formula& f, const Samples<T>& x, const Samples<T>& y, const std::string& what) {
  const KernelTiles<T> tiles(Kernel::parse(f.text), x, y);
  const Matrix<T> a = x.to_dense(), b = y.to_dense();
  for (const auto& [i0, rows, j0, cols] :
       {std::array<Index, 4>{0, x.rows(), 0, y.rows()}, {2, 5, 3, 1}, {x.rows() - 1, 1, 0, y.rows()}}) {
    Matrix<T> out(rows, cols);
    tiles.evaluate(i0, rows, j0, cols, out.data());
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < cols; ++j) {
        const auto truth = double(
            f.value(a.row(i0 + i).template cast<long double>(), b.row(j0 + j).template cast<long double>()));
        ASSERT_NEAR(double(out(i, j)), truth, test::tolerance<T>(1e-12, 2e-4) * (1 + std::abs(truth)))
            << f.text << ", " << what;
      }
  }
}

TYPED_TEST(Tiles, FollowTheFormulaOnDenseRows) {
  for (const Formula& f : formulas()) {
    Matrix<TypeParam> x = test::random_matrix<TypeParam>(23, 7, 1),
                      y = test::random_matrix<TypeParam>(17, 7, 2);
    x.row(3).setZero();
    y.row(5) = x.row(4);
    if (f.non_negative) x = x.cwiseAbs(), y = y.cwiseAbs();
    expect_formula<TypeParam>(f, x, y, "dense");
  }
}

TYPED_TEST(Tiles, FollowTheFormulaOnCsrRows) {
  for (const Formula& f : formulas()) {
    SparseMatrix<TypeParam> x = test::random_sparse<TypeParam>(23, 9, 1),
                            y = test::random_sparse<TypeParam>(17, 9, 2);
    if (f.non_negative) x = x.cwiseAbs(), y = y.cwiseAbs();
    expect_formula<TypeParam>(f, x, y, "CSR");
    expect_formula<TypeParam>(f, Samples<TypeParam>(x).to_dense(), y, "dense new rows against CSR");
    expect_formula<TypeParam>(f, x, Samples<TypeParam>(y).to_dense(), "CSR new rows against dense");
  }
}

TYPED_TEST(Tiles, KeepTheDigitsOfDistancesFarFromTheOrigin) {
  using T = TypeParam;
  Matrix<T> x = test::random_matrix<T>(20, 4, 3);
  x.array() += std::is_same_v<T, float> ? T(1e3) : T(1e6);
  expect_formula<T>({"rbf(gamma=0.3)", formulas()[2].value}, x, x, "shifted");
}

TYPED_TEST(Tiles, KeepTheDigitsOfDistancesBetweenNearlyEqualPoints) {
  using T = TypeParam;
  const T step = std::is_same_v<T, float> ? T(1e-3) : T(1e-9);
  Matrix<T> x = test::random_matrix<T>(2, 3, 4);
  x.row(1) = x.row(0).array() + step;
  const KernelTiles<T> tiles(Kernel::parse("expr('sqdist')"), x);
  T distance = 0;
  tiles.evaluate(0, 1, 1, 1, &distance);
  const double truth = (x.row(1) - x.row(0)).template cast<double>().squaredNorm();
  EXPECT_NEAR(double(distance), truth, 1e-4 * truth);
}

TYPED_TEST(Tiles, TheDiagonalOfARadialKernelIsExactlyOne) {
  const Samples<TypeParam> x = Matrix<TypeParam>(test::random_matrix<TypeParam>(40, 11, 5) * TypeParam(100));
  EXPECT_EQ(gram(Kernel::rbf(7.0), x).diagonal(), Vector<TypeParam>::Ones(40).eval());
}

TYPED_TEST(Tiles, UserFunctionsOnTilesAndPairsAgreeWithTheCatalogue) {
  using T = TypeParam;
  const Samples<T> x = test::random_matrix<T>(30, 5, 6);
  const Kernel pairs = Kernel::from_pairs("mine", [](std::span<const double> a, std::span<const double> b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
    return sum;
  });
  const Kernel tiles = Kernel::from_tiles(
      "mine", [](MatrixView<double> a, MatrixView<double> b, MatrixRef<double> k) { k = a * b.transpose(); });
  const Matrix<T> truth = gram(Kernel::linear(), x);
  EXPECT_LT((gram(pairs, x) - truth).norm(), test::tolerance<T>(1e-12, 1e-4));
  EXPECT_LT((gram(tiles, x) - truth).norm(), test::tolerance<T>(1e-12, 1e-4));
  EXPECT_LT(
      (gram(2.0 * tiles + Kernel::rbf(1), Samples<T>(test::random_sparse<T>(30, 5, 7))).diagonal().array() -
       T(1))
          .minCoeff(),
      T(100));
}

TYPED_TEST(Tiles, AValueThatIsNotFiniteNamesTheKernelAndThePair) {
  const Samples<TypeParam> x = Matrix<TypeParam>(Matrix<TypeParam>::Zero(3, 2));
  try {
    (void)gram(Kernel::expression("1/sqdist"), x);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::bad_data);
    EXPECT_NE(std::string(e.what()).find("expr('1/sqdist') is inf for rows 0 and 0"), std::string::npos)
        << e.what();
  }
}

TYPED_TEST(Tiles, RowsOfDifferentWidthsAreRefused) {
  using T = TypeParam;
  const Samples<T> five(test::random_matrix<T>(6, 5, 1)), three(test::random_matrix<T>(6, 3, 2)),
      sparse(test::random_sparse<T>(6, 3, 3));
  for (const char* text :
       {"linear", "rbf(gamma=1)", "laplacian(gamma=1)", "poly(degree=2)", "rbf(gamma=1)*cosine"}) {
    const Kernel kernel = Kernel::parse(text);
    EXPECT_THROW((void)gram(kernel, five, three), Error) << text;
    EXPECT_THROW((void)gram(kernel, three, five), Error) << text;
    EXPECT_THROW((void)gram(kernel, five, sparse), Error) << text;
    EXPECT_THROW((void)gram(kernel, sparse, five), Error) << text;
    EXPECT_NO_THROW((void)gram(kernel, three, sparse)) << text;
  }
}

TYPED_TEST(Tiles, PrecomputedTilesAreTheMatrixItself) {
  const Matrix<TypeParam> half = test::random_matrix<TypeParam>(20, 20, 8), k = half + half.transpose();
  EXPECT_EQ(gram(Kernel::precomputed(), Samples<TypeParam>(k)), k);
  EXPECT_EQ(gram(Kernel::precomputed(), Samples<TypeParam>(SparseMatrix<TypeParam>(k.sparseView()))), k);
}

TYPED_TEST(Tiles, DataOutsideAKernelsDomainIsRefusedWithItsPlace) {
  Matrix<TypeParam> x = test::random_matrix<TypeParam>(5, 3, 9).cwiseAbs();
  x(3, 1) = TypeParam(-0.5);
  try {
    Kernel::chi2(1.0).check_data(Samples<TypeParam>(x));
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("row 3, column 1 is -0.5"), std::string::npos) << e.what();
  }
  EXPECT_THROW(Kernel::precomputed().check_data(Samples<TypeParam>(x)), Error) << "not square";
  EXPECT_THROW(Kernel::precomputed().check_data(Samples<TypeParam>(Matrix<TypeParam>(x.topRows(3)))), Error)
      << "not symmetric";
}

TYPED_TEST(Tiles, Chi2DoesNotLeaveTheRangeOfItsNumbers) {
  using T = TypeParam;
  const T size = std::is_same_v<T, float> ? T(1e25) : T(1e200);
  for (const T unit : {size, 1 / size}) {
    Matrix<T> x(2, 2);
    x << unit, 3 * unit, 2 * unit, unit;  // 1/3 + 4/4 of the unit
    const Kernel kernel = Kernel::chi2(Gamma(1 / double(unit)));
    const T expected = T(std::exp(-4.0 / 3));
    EXPECT_NEAR(gram(kernel, Samples<T>(x))(0, 1), expected, T(1e-6) * expected) << unit;
    EXPECT_NEAR(gram(kernel, Samples<T>(SparseMatrix<T>(x.sparseView(T(0), T(0)))))(0, 1), expected,
                T(1e-6) * expected)
        << unit;
  }
}

TYPED_TEST(Tiles, SparseSumsOfNearlyEqualRowsKeepTheirDigits) {
  using T = TypeParam;
  Matrix<T> x = test::random_matrix<T>(2, 40, 11).cwiseAbs();
  x.row(1) = x.row(0);
  x(1, 7) += T(1e-3);
  const Samples<T> dense = x, sparse = SparseMatrix<T>(x.sparseView(T(0), T(0)));
  for (const char* text : {"laplacian(gamma=1000)", "chi2(gamma=1e6)"}) {
    const Kernel kernel = Kernel::parse(text);
    const T expected = gram(kernel, dense)(0, 1);
    EXPECT_NEAR(gram(kernel, sparse)(0, 1), expected, T(2e-3) * expected) << text;
    EXPECT_EQ(gram(kernel, sparse)(0, 0), T(1)) << text;
  }
}

}  // namespace
}  // namespace mercer
