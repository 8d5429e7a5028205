// The rounding of kernel matrices: never less than what is seen beside long double, and not far above it.
#include "operator/gram_rounding.hpp"

#include "support.hpp"

#include <Eigen/Dense>

namespace mercer {
namespace {

using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

TEST(GramRounding, IsAboveWhatIsSeenAndNotFarAbove) {
  for (const double offset : {0.0, 1e3, 1e6})
    for (const Index n : {30, 200}) {
      Matrix<double> x = test::random_matrix<double>(n, 5, 41);
      x.array() += offset;
      const Wide rows = x.cast<long double>(), dot = rows * rows.transpose();
      const auto check = [&](const Kernel& kernel, const Wide& exact) {
        const Samples<double> samples = x;
        const double seen = double((gram<double>(kernel, samples).cast<long double>() - exact).norm());
        const GramRounding found = gram_rounding<double>(kernel, samples);
        EXPECT_GE(found.norm, seen) << kernel.to_string() << " at " << offset;
        EXPECT_LE(found.norm, 200 * seen) << kernel.to_string() << " at " << offset;
        EXPECT_GE(found.trace, 0);
      };
      check(Kernel::linear(), dot);
      check(Kernel::polynomial(3, 0.1, 1), ((dot.array() * 0.1L + 1).cube()).matrix());
      Wide distances(n, n);
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) distances(i, j) = (rows.row(i) - rows.row(j)).squaredNorm();
      check(Kernel::rbf(0.5), (-0.5L * distances.array()).exp().matrix());
    }
}

TEST(GramRounding, OfLongSumsOfEqualTermsIsSeenInDenseAndSparseRows) {
  for (const Index d : {500, 20000})
    for (const double value : {0.77, 1.1}) {
      const Matrix<double> x = Matrix<double>::Constant(30, d, value);
      const auto wide = static_cast<long double>(value);
      const long double exact = wide * wide * static_cast<long double>(d);
      for (const Samples<double>& samples :
           {Samples<double>(x), Samples<double>(SparseMatrix<double>(x.sparseView()))}) {
        const Matrix<double> k = gram<double>(Kernel::linear(), samples);
        const double seen = double((k.cast<long double>().array() - exact).matrix().norm());
        EXPECT_GE(gram_rounding<double>(Kernel::linear(), samples).norm, seen)
            << d << " times " << value << (samples.is_sparse() ? ", sparse" : "");
      }
    }
}

TEST(GramRounding, SeesOneFarPointAmongMany) {
  Matrix<double> x = test::random_matrix<double>(2600, 2, 43);
  x.row(4) << 3e6, 1e6;  // in a column that an even choice leaves out
  const double of_itself = x.row(4).squaredNorm();
  const GramRounding found = gram_rounding<double>(Kernel::linear(), Samples<double>(x));
  EXPECT_GE(found.norm, of_itself * std::numeric_limits<double>::epsilon());
  EXPECT_GE(found.trace, of_itself * std::numeric_limits<double>::epsilon());
}

TEST(GramRounding, FindsTheFewPairsThatAreAlikeAmongMany) {
  Matrix<double> x = test::random_matrix<double>(2000, 6, 45);
  for (const Index i : {701, 1303}) x.row(i + 1) = x.row(i) + 1e-3 * x.row(i - 1);
  const Samples<double> samples = x;
  const Kernel kernel = Kernel::rbf(1e5);  // K = I but for two pairs
  const Matrix<double> k = gram<double>(kernel, samples);
  const Vector<double> sums = k.rowwise().sum();
  double squares = 0;
  for (const Index i : {701, 1303}) {
    const long double distance =
        (x.row(i).cast<long double>() - x.row(i + 1).cast<long double>()).squaredNorm();
    const long double exact = std::exp(-1e5L * distance);
    ASSERT_GT(exact, 1e-3L);
    squares += double(2 * (k(i, i + 1) - exact) * (k(i, i + 1) - exact));
  }
  EXPECT_GE(gram_rounding<double>(kernel, samples, &sums).norm, std::sqrt(squares));
}

TEST(GramRounding, FindsFarPointsInWideDataWhereverTheyAre) {
  Matrix<double> x = test::random_matrix<double>(100, 21000, 44);  // more numbers than are looked at
  const auto with_far_rows = [&](Index a, Index b) {
    Matrix<double> moved = x;
    moved.row(a) *= 1e6;
    moved.row(b) *= 1e6;
    return gram_rounding<double>(Kernel::linear(), Samples<double>(moved)).norm;
  };
  const double first = with_far_rows(0, 1), later = with_far_rows(51, 74);
  EXPECT_LT(later, 3 * first);
  EXPECT_GT(later, first / 3);
}

TEST(GramRounding, OfAFormulaAtTheEdgeOfItsDomainIsANumber) {
  Matrix<double> x(4, 2);
  x << 1, 0, 0, 1, -1, 0, 0, -1;
  for (const char* text : {"expr('2 - sqrt(1 - dot)')", "expr('1 + sqrt(4 - sqdist)')"}) {
    const GramRounding found = gram_rounding<double>(Kernel::parse(text), Samples<double>(x));
    EXPECT_TRUE(std::isfinite(found.norm) && found.norm > 0) << text;
  }
}

TEST(GramRounding, GrowsWithTheOffsetOfAnInnerProductAndNotOfADistance) {
  const Matrix<double> x = test::random_matrix<double>(100, 3, 42), far = x.array() + 1e5;
  const auto norm = [](const Kernel& kernel, const Matrix<double>& rows) {
    return gram_rounding<double>(kernel, Samples<double>(rows)).norm;
  };
  EXPECT_GT(norm(Kernel::linear(), far), 1e8 * norm(Kernel::linear(), x));
  EXPECT_LT(norm(Kernel::rbf(1), far), 10 * norm(Kernel::rbf(1), x));
}

}  // namespace
}  // namespace mercer
