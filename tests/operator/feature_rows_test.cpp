// Φ̃ by blocks of rows does what Φ̃ written out does.
#include "operator/feature_rows.hpp"

#include "base/parallel.hpp"
#include "support.hpp"

namespace mercer {
namespace {

struct Case {
  Index n, d;
  int degree;
};

TEST(FeatureRows, AreTheMatrixWrittenOut) {
  for (const auto& [n, d, degree] :
       {Case{300, 3, 3}, Case{70, 40, 4}, Case{1, 2, 2}}) {  // 135751 functions: blocks of 29 rows
    const Samples<double> x = Matrix<double>(test::random_matrix<double>(n, d, 1) / std::sqrt(double(d)));
    const Basis basis = Basis::polynomial(degree);
    const FeatureMap map(basis, d);
    const FeatureRows<double> rows(map, x);
    Matrix<double> phi = basis.evaluate(x);
    const Vector<double> mean = phi.colwise().mean();
    const SteadyRun run(mercer::Run{});
    EXPECT_LT((rows.mean(run) - mean).norm(), 1e-13 * (1 + mean.norm()));
    phi.rowwise() -= mean.transpose();
    const double size = phi.norm() + 1e-300;
    const Block<double> v = test::random_matrix<double>(map.count(), 2, 2),
                        w = test::random_matrix<double>(n, 3, 3);
    EXPECT_LT((rows.times(mean, v, run) - phi * v).norm(), 1e-11 * size * v.norm());
    EXPECT_LT((rows.transposed_times(mean, w, run) - phi.transpose() * w).norm(), 1e-12 * size * w.norm());
    EXPECT_LE((rows.gram(mean, run) - phi * phi.transpose()).norm(), 1e-12 * size * size);
    EXPECT_NEAR(rows.total(mean, run), size * size, 1e-12 * size * size);
    if (map.count() > 1000) continue;
    const FeatureMoments moments = rows.moments(true, run);
    const Block<double> scatter = moments.scatter.selfadjointView<Eigen::Lower>();
    EXPECT_LE((scatter - phi.transpose() * phi).norm(), 1e-12 * size * size);
    for (Side side : {Side::features, Side::samples}) {
      const FeatureRowsOperator<double> op(rows, mean, side, run);
      const Block<double> in = test::random_matrix<double>(op.size(), 2, 4);
      Block<double> out(op.size(), 2);
      op.apply(in, out);
      const Block<double> expected = side == Side::features ? Block<double>(phi.transpose() * (phi * in))
                                                            : Block<double>(phi * (phi.transpose() * in));
      EXPECT_LE((out - expected).norm(), 1e-12 * size * size * in.norm());
    }
  }
}

TEST(FeatureRows, BlocksAreSmallHoweverManyFunctionsThereAre) {
  EXPECT_EQ(FeatureRows<double>::block_rows(10, 5), 10);
  EXPECT_EQ(FeatureRows<double>::block_rows(1000000, 5), feature_rows);
  EXPECT_EQ(FeatureRows<double>::block_rows(1000, 1e8), 1);
  EXPECT_LT(FeatureRows<double>::block_bytes(1000000, 1e5), 1e8);
}

}  // namespace
}  // namespace mercer
