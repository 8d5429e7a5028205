// The normal equations of one factor against the least-squares problem written out.
#include "tensor/cp_update.hpp"
#include "decompositions.hpp"

#include "tensor/cp_support.hpp"

namespace mercer {
namespace {

/// K of the mode: a row for each entry of the unfolding's row.
Block<double> khatri_rao_of_others(const Kruskal<double>& model, Index mode) {
  Block<double> k = Block<double>::Ones(1, model.rank);
  for (Index m = 0; m < static_cast<Index>(model.factors.size()); ++m)
    if (m != mode) k = khatri_rao<double>(Block<double>(model.factor(m).leftCols(model.rank)), k);
  return k;
}

Matrix<double> scaled(const Kruskal<double>& model, Index mode) {
  return model.factor(mode).leftCols(model.rank) * model.weights.asDiagonal();
}

NormalEquations<double> equations_of(CpData<double>& data, const Kruskal<double>& model, Index mode) {
  return normal_equations(*data.values, data.weights.get(), model.factors, model.rank, mode, {});
}

TEST(CpUpdate, SolvesTheLeastSquaresProblemOfEachRow) {
  const Tensor<double> x = test::random_tensor<double>({7, 6, 5}, 1);
  for (Index mode = 0; mode < 3; ++mode) {
    auto model = test::planted<double>(x.shape(), {1, 1, 1}, 2);
    const auto data = dense_cp_data<double>(x, nullptr, false, {});
    const auto equations = equations_of(*data, model, mode);
    update_factor(equations, false, model, {});
    const Block<double> k = khatri_rao_of_others(model, mode), unfolded = unfold<double>(x, mode);
    const Block<double> expected = k.colPivHouseholderQr().solve(unfolded.transpose()).transpose();
    EXPECT_LE((scaled(model, mode) - expected).norm(), 1e-12 * expected.norm());
    EXPECT_NEAR(squared_error(equations, *data, model, {}),
                (full_tensor(model, {}).values() - x.values()).squaredNorm(), 1e-10);
  }
}

TEST(CpUpdate, WithWeightsEachRowHasItsOwn) {
  const Tensor<double> x = test::with_gaps(test::random_tensor<double>({7, 6, 5}, 3), 0.3, 4);
  Tensor<double> w = test::random_tensor<double>(x.shape(), 5);
  w.values() = w.values().cwiseAbs();
  const TensorView<double> weights = w;
  for (Index mode = 0; mode < 3; ++mode) {
    auto model = test::planted<double>(x.shape(), {1, 1, 1}, 6);
    const auto data = dense_cp_data<double>(x, &weights, true, {});
    const auto equations = equations_of(*data, model, mode);
    update_factor(equations, false, model, {});
    const Block<double> k = khatri_rao_of_others(model, mode);
    const Block<double> values = unfold<double>(x, mode), of_w = unfold<double>(w, mode);
    double left = 0;
    for (Index i = 0; i < x.size(mode); ++i) {
      Vector<double> root = of_w.row(i).cwiseSqrt(), right = values.row(i);
      for (Index j = 0; j < right.size(); ++j)
        if (std::isnan(right[j])) right[j] = root[j] = 0;
      const Block<double> rows = root.asDiagonal() * k;
      right = right.cwiseProduct(root).eval();
      const Vector<double> expected = rows.colPivHouseholderQr().solve(right);
      EXPECT_LE((scaled(model, mode).row(i).transpose() - expected).norm(), 1e-11 * expected.norm());
      left += (right - rows * expected).squaredNorm();
    }
    EXPECT_NEAR(squared_error(equations, *data, model, {}), left, 1e-10);
    EXPECT_NEAR(data->squared_residual(model, {}), left, 1e-10);
  }
}

TEST(CpUpdate, ManyPairsOfComponentsAtATimeAreTheSameAsAllAtOnce) {
  EXPECT_EQ(pairs_at_once(100, 1e6, 0), 100);
  EXPECT_EQ(pairs_at_once(100, 1e6, 1000), 100);
  EXPECT_EQ(pairs_at_once(100, 1000, 100), 32);
  // 45 pairs on a small array: in two parts.
  const Tensor<double> x = test::with_gaps(test::random_tensor<double>({6, 5, 7}, 7), 0.2, 8);
  auto model = test::planted<double>(x.shape(), std::vector<double>(9, 1.0), 9);
  const auto data = dense_cp_data<double>(x, nullptr, true, {});
  for (Index mode = 0; mode < 3; ++mode) {
    const auto equations = equations_of(*data, model, mode);
    const Block<double> k = khatri_rao_of_others(model, mode), values = unfold<double>(x, mode);
    for (Index i = 0; i < x.size(mode); ++i) {
      Block<double> gram = Block<double>::Zero(9, 9);
      for (Index j = 0; j < k.rows(); ++j)
        if (!std::isnan(values(i, j))) gram += k.row(j).transpose() * k.row(j);
      Index pair = 0;
      for (Index r = 0; r < 9; ++r)
        for (Index s = 0; s <= r; ++s) ASSERT_NEAR(equations.packed_grams(i, pair++), gram(r, s), 1e-12);
    }
  }
}

TEST(CpUpdate, TwoEqualComponentsShareWhatOneWouldHave) {
  const Tensor<double> x = test::random_tensor<double>({5, 4, 3}, 10);
  auto twice = test::planted<double>(x.shape(), {1, 1}, 11);
  for (Matrix<double>& f : twice.factors) f.col(1) = f.col(0);
  const auto data = dense_cp_data<double>(x, nullptr, false, {});
  const auto equations = equations_of(*data, twice, 0);
  update_factor(equations, false, twice, {});
  EXPECT_TRUE(twice.factor(0).allFinite());
  EXPECT_LE((scaled(twice, 0).col(0) - scaled(twice, 0).col(1)).norm(), 1e-10);
}

TEST(CpUpdate, NonnegativeRowsAreTheBestThatAreNotNegative) {
  const Tensor<double> x = test::random_tensor<double>({6, 5, 4}, 12);
  auto model = test::planted<double>(x.shape(), {1, 1, 1}, 13, true);
  const auto data = dense_cp_data<double>(x, nullptr, false, {});
  const auto equations = equations_of(*data, model, 1);
  update_factor(equations, true, model, {});
  const Matrix<double> rows = scaled(model, 1);
  EXPECT_GE(rows.minCoeff(), 0);
  // Karush, Kuhn and Tucker: no slope where positive, none downhill where zero.
  const Matrix<double> slope = rows * equations.gram - equations.right.leftCols(3);
  for (Index i = 0; i < rows.rows(); ++i)
    for (Index r = 0; r < 3; ++r) {
      if (rows(i, r) > 0) {
        EXPECT_NEAR(slope(i, r), 0, 1e-10);
      }
      EXPECT_GE(slope(i, r), -1e-10);
    }
}

}  // namespace
}  // namespace mercer
