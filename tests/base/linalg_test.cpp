// BLAS and LAPACK behind their overloads, against Eigen.
#include "base/linalg.hpp"

#include "support.hpp"

namespace mercer {
namespace {

template <class T>
class Linalg : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Linalg, Types);

TYPED_TEST(Linalg, TallProductsAgreeWithEigenWhetherCutIntoChunksOrNot) {
  using T = TypeParam;
  for (Index n : {1, 40, 3000}) {
    const Block<T> a = test::random_matrix<T>(n, 30, 1), b = test::random_matrix<T>(n, 9, 2),
                   small = test::random_matrix<T>(30, 9, 3);
    const Block<double> ad = a.template cast<double>(), bd = b.template cast<double>();
    const double eps = 100 * double(std::numeric_limits<T>::epsilon());
    EXPECT_LT((linalg::transposed_times<T>(a, b).template cast<double>() - ad.transpose() * bd).norm(),
              eps * ad.norm() * bd.norm());
    Block<T> c = b;
    linalg::add_product<T>(T(-2), a, small, c);
    const Block<double> truth = bd - 2 * ad * small.template cast<double>();
    EXPECT_LT((c.template cast<double>() - truth).norm(), eps * (1 + ad.norm() * double(small.norm())));
  }
}

TYPED_TEST(Linalg, QrGivesTheBlockBackWithOrthonormalColumns) {
  using T = TypeParam;
  const Block<T> w = test::random_matrix<T>(50, 6, 4);
  Block<T> q = w;
  const Block<T> r = linalg::qr<T>(q);
  EXPECT_LT(double((q * r - w).norm()), 1e3 * double(std::numeric_limits<T>::epsilon()));
  EXPECT_LT(double((q.transpose() * q - Block<T>::Identity(6, 6)).norm()),
            1e3 * double(std::numeric_limits<T>::epsilon()));
  EXPECT_EQ(r(3, 1), T(0));
}

TYPED_TEST(Linalg, SyrkFillsTheLowerTriangle) {
  using T = TypeParam;
  const Block<T> a = test::random_matrix<T>(7, 5, 5);
  Block<T> c = Block<T>::Constant(7, 7, T(9));
  linalg::syrk<T>(linalg::Transpose::no, 7, 5, 1, a.data(), 7, 0, c.data(), 7);
  const Block<T> truth = a * a.transpose();
  for (Index i = 0; i < 7; ++i)
    for (Index j = 0; j < 7; ++j) EXPECT_NEAR(double(c(i, j)), j <= i ? double(truth(i, j)) : 9.0, 1e-5);
}

TYPED_TEST(Linalg, GemvMultipliesByAMatrixAndByItsTranspose) {
  using T = TypeParam;
  const Block<T> a = test::random_matrix<T>(7, 5, 6);
  const Vector<T> x = test::random_matrix<T>(5, 1, 7), y = test::random_matrix<T>(7, 1, 8);
  Vector<T> ax(7), aty(5);
  linalg::gemv<T>(linalg::Transpose::no, 7, 5, a.data(), 7, x.data(), ax.data());
  linalg::gemv<T>(linalg::Transpose::yes, 7, 5, a.data(), 7, y.data(), aty.data());
  EXPECT_LT(double((ax - a * x).norm()), 1e-5);
  EXPECT_LT(double((aty - a.transpose() * y).norm()), 1e-5);
}

TEST(LinalgEigen, AllAndSomeEigenpairsAgreeWithTheSpectrumTheyWereMadeFrom) {
  const Vector<double> values = Vector<double>::LinSpaced(40, -3, 7);
  const Block<double> a = test::symmetric_with(values, 6);
  Block<double> vectors = a;
  Vector<double> found;
  linalg::syevd(vectors, found);
  EXPECT_LT((found - values).norm(), 1e-12);
  EXPECT_LT((a * vectors - vectors * found.asDiagonal()).norm(), 1e-12);
  Block<double> copy = a, some;
  linalg::syevr(copy, 35, 38, found, some);
  EXPECT_LT((found - values.segment(35, 4)).norm(), 1e-12);
  EXPECT_LT((a * some - some * found.asDiagonal()).norm(), 1e-12);
}

}  // namespace
}  // namespace mercer
