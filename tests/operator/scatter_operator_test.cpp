// Linear PCA's matrices: implicit, explicit, dense and CSR agree.
#include "operator/scatter_operator.hpp"

#include "support.hpp"

namespace mercer {
namespace {

template <class T>
class Scatter : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Scatter, Types);

TYPED_TEST(Scatter, ImplicitAndExplicitProductsAgreeOnBothSidesDenseAndSparse) {
  using T = TypeParam;
  const SparseMatrix<T> sparse = test::random_sparse<T>(40, 23, 1);
  const Matrix<T> dense = sparse;
  for (bool centred : {true, false}) {
    Matrix<double> x = dense.template cast<double>();
    const Vector<double> mean =
        centred ? Vector<double>(x.colwise().mean().transpose()) : Vector<double>(Vector<double>::Zero(23));
    x.rowwise() -= mean.transpose();
    for (Side side : {Side::features, Side::samples}) {
      const Matrix<double> truth =
          side == Side::features ? Matrix<double>(x.transpose() * x) : Matrix<double>(x * x.transpose());
      for (const Samples<T>& samples : {Samples<T>(dense), Samples<T>(sparse)}) {
        EXPECT_LT((column_means(samples) - dense.template cast<double>().colwise().mean().transpose()).norm(),
                  1e-6);
        EXPECT_NEAR(total_scatter(samples, mean), truth.trace(), 1e-9 * truth.trace());
        EXPECT_LT((scatter_matrix(samples, mean, side, {}) - truth).norm(), 1e-10 * truth.norm());
        const ScatterOperator<T> op(samples, mean, side);
        const Block<T> v = test::random_matrix<T>(truth.rows(), 4, 2);
        Block<T> y(truth.rows(), 4);
        op.apply(v, y);
        EXPECT_LT((y.template cast<double>() - truth * v.template cast<double>()).norm(),
                  test::tolerance<T>(1e-12, 1e-5) * truth.norm());
        EXPECT_NEAR(*op.trace(), truth.trace(), 1e-9 * truth.trace());
      }
    }
  }
}

}  // namespace
}  // namespace mercer
