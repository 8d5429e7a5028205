// The kernel matrix as an operator: the same products as the matrix itself, however it is kept.
#include "operator/gram_operator.hpp"

#include "operator/centered.hpp"
#include "support.hpp"

namespace mercer {
namespace {

constexpr Storage every_storage[] = {Storage::stored, Storage::rounded, Storage::recomputed};

TEST(GramProduct, EqualsTheMatrixTimesTheBlockAtEverySizeAndBlockWidth) {
  for (Index n : {1, 2, 3, 7, 8, 9, 255, 256, 257, 300, 513, 700}) {
    const Samples<double> x = test::random_matrix<double>(n, 4, static_cast<std::uint64_t>(n));
    const Kernel kernel = Kernel::rbf(0.2);
    const Matrix<double> k = gram(kernel, x);
    for (Storage storage : every_storage) {
      const GramOperator op(kernel, x, storage);
      for (Index b : {1, 3, 4, 5, 8, 12, 17, 20}) {
        const Block<double> v = test::random_matrix<double>(n, b, 9), truth = k * v;
        Block<double> y(n, b);
        op.apply(v, y);
        ASSERT_LT((y - truth).norm(), 1e-13 * (truth.norm() + double(n))) << "n = " << n << ", b = " << b;
        op.apply_roughly(v, y);
        ASSERT_LT((y - truth).norm(), 1e-6 * (truth.norm() + double(n))) << "n = " << n << ", b = " << b;
      }
      EXPECT_NEAR(*op.trace(), k.trace(), 1e-12 * double(n));
      EXPECT_NEAR(*op.frobenius_squared(), k.squaredNorm(), 1e-12 * k.squaredNorm());
      EXPECT_LT((*op.row_sums() - k.rowwise().sum()).norm(), 1e-12 * double(n) * std::sqrt(double(n)));
    }
  }
}

TEST(GramProduct, KeepsFortyEightBitsOfEveryValue) {
  // One column of the identity at a time reads the stored matrix back.
  const Index n = 261;
  const Samples<double> x = test::random_matrix<double>(n, 3, 5);
  const Kernel kernel = Kernel::polynomial(3);
  const Matrix<double> k = gram(kernel, x);
  const GramOperator op(kernel, x, Storage::stored);
  Block<double> y(n, n);
  op.apply(Block<double>::Identity(n, n), y);
  EXPECT_LT(((y - k).array() / k.array().abs()).abs().maxCoeff(), std::ldexp(1.0, -47));
}

TEST(GramProduct, HoldsValuesFarOutsideFloatsRange) {
  for (const double size : {1e-12, 1e12}) {  // values around 1e-72 and 1e72
    const Samples<double> x = Matrix<double>(test::random_matrix<double>(300, 3, 5) * size);
    const Kernel kernel = Kernel::polynomial(3, 1, 0);
    const Matrix<double> k = gram(kernel, x);
    const GramOperator op(kernel, x, Storage::stored);
    const Block<double> v = test::random_matrix<double>(300, 4, 6), truth = k * v;
    Block<double> y(300, 4);
    op.apply(v, y);
    EXPECT_LT((y - truth).norm() / truth.norm(), 1e-12) << size;
  }
}

TEST(GramProduct, EstimatesHowRoughTheRoughProductIs) {
  const Samples<double> x = test::random_matrix<double>(1500, 6, 1);
  for (Storage storage : every_storage) {
    const GramOperator op(Kernel::rbf(0.1), x, storage);
    Block<double> v = test::random_matrix<double>(1500, 3, 2);
    v.colwise().normalize();
    Block<double> exact(1500, 3), rough(1500, 3);
    op.apply(v, exact);
    op.apply_roughly(v, rough);
    const double error = (exact - rough).colwise().norm().maxCoeff(), estimate = op.rough_error(v);
    EXPECT_GT(error, 0);
    EXPECT_LT(estimate, 3 * error);
    EXPECT_GT(estimate, error / 3);
  }
}

TEST(GramProduct, SeesTheErrorOfAFewHeavyRows) {
  // All but a few rows are small, and the vectors to come may lie on these few alone.
  const Index n = 2600, heavy = 40;
  Matrix<double> points = test::random_matrix<double>(n, 5, 3);
  points.middleRows(300, heavy) *= 30;
  for (Storage storage : every_storage) {
    const GramOperator op(Kernel::polynomial(3, 1, 1), points, storage);
    Block<double> start = test::random_matrix<double>(n, 4, 4), there = Block<double>::Zero(n, 4);
    there.middleRows(300, heavy) = start.middleRows(300, heavy);
    start.colwise().normalize();
    there.colwise().normalize();
    const double estimate = op.rough_error(start);
    for (const Block<double>& v : {start, there}) {
      Block<double> exact(n, 4), rough(n, 4);
      op.apply(v, exact);
      op.apply_roughly(v, rough);
      EXPECT_LT((exact - rough).colwise().norm().maxCoeff(), 3 * estimate);
    }
  }
}

TEST(GramProduct, DoesNotDependOnTheNumberOfThreads) {
  const Index n = 900;
  const Samples<double> x = test::random_matrix<double>(n, 4, 1);
  const Block<double> v = test::random_matrix<double>(n, 9, 2);
  for (Storage storage : every_storage) {
    Block<double> first, first_rough;
    for (int threads : {1, 2, 4}) {
      const mercer::Run run{.threads = threads};
      const GramOperator op(Kernel::rbf(0.2), x, storage, run);
      Block<double> y(n, 9), rough(n, 9);
      op.apply(v, y, run);
      op.apply_roughly(v, rough, run);
      if (first.size() == 0) first = y, first_rough = rough;
      EXPECT_EQ(y, first) << threads << " threads";
      EXPECT_EQ(rough, first_rough) << threads << " threads";
    }
  }
}

TEST(GramProduct, CentredEqualsTheCentredMatrix) {
  const Index n = 270;
  const Samples<double> x = test::random_matrix<double>(n, 3, 3);
  for (Storage storage : every_storage) {
    const GramOperator op(Kernel::polynomial(2), x, storage);
    const CenteredOperator<double> centred(op);
    const Matrix<double> k = gram(Kernel::polynomial(2), x);
    const Matrix<double> h = Matrix<double>::Identity(n, n) - Matrix<double>::Constant(n, n, 1.0 / double(n));
    const Matrix<double> hkh = h * k * h;
    const Block<double> v = test::random_matrix<double>(n, 5, 4);
    Block<double> y(n, 5);
    centred.apply(v, y);
    EXPECT_LT((y - hkh * v).norm(), 1e-12 * hkh.norm());
    centred.apply_roughly(v, y);
    EXPECT_LT((y - hkh * v).norm(), 1e-5 * hkh.norm());
    EXPECT_NEAR(*centred.trace(), hkh.trace(), 1e-11 * hkh.trace());
    EXPECT_NEAR(*centred.frobenius_squared(), hkh.squaredNorm(), 1e-11 * hkh.squaredNorm());
  }
}

TEST(GramProduct, SumsAreGatheredByOnePassWhereNothingExactIsKept) {
  const Samples<double> x = test::random_matrix<double>(300, 3, 3);
  const GramOperator op(Kernel::rbf(0.3), x, Storage::recomputed);
  EXPECT_FALSE(op.trace());
  op.gather_sums();
  EXPECT_NEAR(op.trace().value(), 300, 1e-9);
}

TEST(GramProduct, RefusesKernelsThatAreNotSymmetricOrNotFinite) {
  const Samples<double> x = test::random_matrix<double>(20, 2, 5);
  const Kernel lopsided = Kernel::from_pairs(
      "lopsided", [](std::span<const double> a, std::span<const double> b) { return a[0] - b[1]; });
  const Samples<double> huge = Matrix<double>(test::random_matrix<double>(20, 2, 6) * 1e30);
  for (Storage storage : every_storage) {
    EXPECT_THROW(GramOperator(lopsided, x, storage).gather_sums(), Error);
    EXPECT_THROW(GramOperator(Kernel::polynomial(20), huge, storage).gather_sums(), Error);
  }
}

TEST(GramProduct, StopsWhenAskedTo) {
  for (Storage storage : every_storage) {
    std::stop_source source;
    const mercer::Run run{.stop = source.get_token()};
    try {
      const GramOperator op(Kernel::rbf(1), test::random_matrix<double>(600, 2, 7), storage, run);
      source.request_stop();
      Block<double> v = Block<double>::Ones(600, 2), y(600, 2);
      op.apply(v, y, run);
      FAIL() << "went on";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::cancelled);
    }
  }
}

TEST(GramBytes, HoldTheSumsOfEveryTileAndStrip) {
  const double n = 1e6, tiles = 3907 * 3908 / 2.0, block = 3907 * 256 * 8.0 * 8;
  const double two = GramOperator::bytes(1000000, 8, Storage::recomputed, 2),
               many = GramOperator::bytes(1000000, 8, Storage::recomputed, 48);
  EXPECT_GE(two, 4 * block + tiles * 32 + 4 * n * 8);
  EXPECT_GE(many - two, 46 * (block + n * 8)) << "a sum for each thread, of vectors and of rows";
}

}  // namespace
}  // namespace mercer
