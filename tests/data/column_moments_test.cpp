// Moments of columns that come in chunks: those of the whole, over the whole range of numbers.
#include "data/column_moments.hpp"

#include "base/random.hpp"
#include "expect_error.hpp"

#include <cmath>

namespace mercer {
namespace {

using test::error_of;

Matrix<double> three_sizes() {
  Random random(5);
  Matrix<double> m(40, 3);
  for (Index i = 0; i < m.size(); ++i) m.data()[i] = 3 + random.normal();
  m.topRows(15) *= 1e-3;     // what comes later is larger
  m.bottomRows(10) *= 1e-6;  // and then smaller
  m.col(2).setConstant(0.1);
  return m;
}

Scaling<double> in_chunks(const Matrix<double>& m, Index rows) {
  ColumnMoments moments(m.cols());
  for (Index i = 0; i < m.rows(); i += rows)
    moments.add(Samples<double>(Matrix<double>(m.middleRows(i, std::min(rows, m.rows() - i)))));
  return moments.scaling<double>(Scale::standardize);
}

TEST(ColumnMoments, ChunksAddUpToTheWhole) {
  const Matrix<double> m = three_sizes();
  const auto whole = Scaling<double>::fit(Scale::standardize, m);
  for (const Index rows : {1, 7, 15, 39}) {
    const auto parts = in_chunks(m, rows);
    EXPECT_LE((parts.shift.array() / whole.shift.array() - 1).abs().maxCoeff(), 1e-14) << rows;
    EXPECT_LE((parts.factor.array() / whole.factor.array() - 1).abs().maxCoeff(), 1e-13) << rows;
    EXPECT_EQ(parts.factor[2], 1) << rows;  // constant
  }
}

TEST(ColumnMoments, ChunksAreTheSameAtBothEndsOfTheRange) {
  const Matrix<double> m = three_sizes();
  const auto plain = in_chunks(m, 7);
  for (const int power : {-980, -600, 600, 1018}) {
    const auto far =
        in_chunks(m.leftCols(2).unaryExpr([power](double x) { return std::ldexp(x, power); }), 7);
    for (Index j = 0; j < 2; ++j) {
      EXPECT_EQ(far.shift[j], std::ldexp(plain.shift[j], power)) << power;
      EXPECT_EQ(far.factor[j], std::ldexp(plain.factor[j], -power)) << power;
    }
  }
}

TEST(ColumnMoments, TheMeanOfAConstantColumnIsItsValueToTheBit) {
  for (const double value : {0.1, 1e300 / 3, 1e-300 / 3}) {
    const auto found = in_chunks(Matrix<double>::Constant(41, 2, value), 7);
    EXPECT_EQ(found.shift[0], value);
    EXPECT_EQ(found.factor[0], 1);
  }
}

TEST(ColumnMoments, SparseRowsAreRefused) {
  SparseMatrix<double> sparse(2, 2);
  sparse.insert(0, 0) = 1;
  ColumnMoments moments(2);
  EXPECT_EQ(error_of([&] { moments.add(Samples<double>(sparse)); }).code(), ErrorCode::usage);
}

}  // namespace
}  // namespace mercer
