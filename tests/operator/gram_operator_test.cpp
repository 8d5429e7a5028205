// The kernel matrix as an operator: the same products as the matrix itself, however it is kept.
#include "operator/gram_operator.hpp"

#include "operator/centered.hpp"
#include "support.hpp"

namespace mercer {
namespace {

template <class T>
class GramProduct : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(GramProduct, Types);

TYPED_TEST(GramProduct, EqualsTheMatrixTimesTheBlockAtEverySizeAndBlockWidth) {
  using T = TypeParam;
  for (Index n : {1, 2, 3, 7, 8, 9, 255, 256, 257, 300, 513, 700}) {
    const Samples<T> x = test::random_matrix<T>(n, 4, static_cast<std::uint64_t>(n));
    const Kernel kernel = Kernel::rbf(0.2);
    const Matrix<double> k = gram(kernel, x).template cast<double>();
    for (Storage storage : {Storage::stored, Storage::recomputed}) {
      const GramOperator<T> op(kernel, x, storage);
      for (Index b : {1, 3, 8, 17}) {
        const Block<T> v = test::random_matrix<T>(n, b, 9);
        Block<T> y(n, b);
        op.apply(v, y);
        const Block<double> truth = k * v.template cast<double>();
        ASSERT_LT((y.template cast<double>() - truth).norm(),
                  test::tolerance<T>(1e-13, 1e-5) * (truth.norm() + double(n)))
            << "n = " << n << ", b = " << b;
      }
      const double close = test::tolerance<T>(1e-12, 1e-5);
      EXPECT_NEAR(*op.trace(), k.trace(), close * double(n));
      EXPECT_NEAR(*op.frobenius_squared(), k.squaredNorm(), close * k.squaredNorm());
      EXPECT_LT((op.row_sums() - k.rowwise().sum()).norm(), close * double(n) * std::sqrt(double(n)));
    }
  }
}

TYPED_TEST(GramProduct, DoesNotDependOnTheNumberOfThreads) {
  using T = TypeParam;
  const Index n = 900;
  const Samples<T> x = test::random_matrix<T>(n, 4, 1);
  const Block<T> v = test::random_matrix<T>(n, 9, 2);
  Block<T> first;
  for (int threads : {1, 2, 4}) {
    const Run run{.threads = threads};
    const GramOperator<T> op(Kernel::rbf(0.2), x, Storage::stored, run);
    Block<T> y(n, 9);
    op.apply(v, y, run);
    if (first.size() == 0) first = y;
    EXPECT_EQ(y, first) << threads << " threads";
  }
}

TYPED_TEST(GramProduct, CentredEqualsTheCentredMatrix) {
  using T = TypeParam;
  const Index n = 270;
  const Samples<T> x = test::random_matrix<T>(n, 3, 3);
  const GramOperator<T> op(Kernel::polynomial(2), x, Storage::stored);
  const CenteredOperator<T> centred(op, op.row_sums());
  const Matrix<double> k = gram(Kernel::polynomial(2), x).template cast<double>();
  const Matrix<double> h = Matrix<double>::Identity(n, n) - Matrix<double>::Constant(n, n, 1.0 / double(n));
  const Matrix<double> hkh = h * k * h;
  const Block<T> v = test::random_matrix<T>(n, 5, 4);
  Block<T> y(n, 5);
  centred.apply(v, y);
  EXPECT_LT((y.template cast<double>() - hkh * v.template cast<double>()).norm(),
            test::tolerance<T>(1e-12, 1e-4) * hkh.norm());
  EXPECT_NEAR(*centred.trace(), hkh.trace(), test::tolerance<T>(1e-11, 1e-4) * hkh.trace());
  EXPECT_NEAR(*centred.frobenius_squared(), hkh.squaredNorm(),
              test::tolerance<T>(1e-11, 1e-4) * hkh.squaredNorm());
}

TYPED_TEST(GramProduct, RefusesKernelsThatAreNotSymmetricOrNotFinite) {
  using T = TypeParam;
  const Samples<T> x = test::random_matrix<T>(20, 2, 5);
  const Kernel lopsided = Kernel::from_pairs(
      "lopsided", [](std::span<const double> a, std::span<const double> b) { return a[0] - b[1]; });
  EXPECT_THROW(GramOperator<T>(lopsided, x, Storage::stored), Error);
  const Samples<T> huge = Matrix<T>(test::random_matrix<T>(20, 2, 6) * T(1e30));
  EXPECT_THROW(GramOperator<T>(Kernel::polynomial(20), huge, Storage::recomputed), Error);
}

TYPED_TEST(GramProduct, StopsWhenAskedTo) {
  using T = TypeParam;
  std::stop_source source;
  source.request_stop();
  const Run run{.stop = source.get_token()};
  try {
    GramOperator<T> op(Kernel::rbf(1), test::random_matrix<T>(600, 2, 7), Storage::stored, run);
    FAIL() << "went on";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::cancelled);
  }
}

}  // namespace
}  // namespace mercer
