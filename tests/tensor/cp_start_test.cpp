// Starts of CP.
#include "tensor/cp_start.hpp"

#include "tensor/cp_support.hpp"

namespace mercer {
namespace {

TEST(CpStart, HosvdSpansThePlantedFactors) {
  const auto truth = test::planted<double>({30, 20, 12}, {3, 2, 1}, 1);
  const Tensor<double> x = full_tensor(truth, {});
  const SparseTensor<double> sparse(x.view());
  const auto dense = dense_cp_data<double>(x, nullptr, false, {});
  const auto sketched = sparse_cp_data(sparse, false, {});
  for (CpData<double>* data : {dense.get(), sketched.get()}) {
    const auto start = hosvd_start(*data, 3, false, {});
    for (Index mode = 0; mode < 3; ++mode) {
      const Block<double> basis = start.factor(mode).leftCols(3), planted = truth.factor(mode).leftCols(3);
      EXPECT_LE((basis.transpose() * basis - Block<double>::Identity(3, 3)).norm(), 1e-6);
      EXPECT_LE(test::subspace_distance(basis, planted), 1e-6);
    }
  }
}

TEST(CpStart, MoreComponentsThanIndicesGetRandomColumns) {
  const Tensor<double> x = test::random_tensor<double>({2, 9, 8}, 2);
  const auto start = hosvd_start(*dense_cp_data<double>(x, nullptr, false, {}), 5, false, {.seed = 3});
  for (Index r = 0; r < 5; ++r) EXPECT_NEAR(start.factor(0).col(r).norm(), 1, 1e-12);
  EXPECT_GT(start.factor(0).col(3).cwiseAbs().minCoeff(), 0);
  for (const Matrix<double>& f : start.factors) EXPECT_EQ(f.rightCols(3).norm(), 0);
}

TEST(CpStart, RandomOnesDependOnTheSeedAndTheirNumberAlone) {
  const auto one = random_start<double>({4, 3}, 2, false, 1, {.threads = 1, .seed = 5});
  const auto same = random_start<double>({4, 3}, 2, false, 1, {.threads = 2, .seed = 5});
  EXPECT_EQ(one.factor(0), same.factor(0));
  EXPECT_NE(one.factor(0), random_start<double>({4, 3}, 2, false, 2, {.seed = 5}).factor(0));
  EXPECT_NE(one.factor(0), random_start<double>({4, 3}, 2, false, 1, {.seed = 6}).factor(0));
}

TEST(CpStart, NonnegativeOnesAre) {
  const Tensor<double> x = test::random_tensor<double>({5, 9, 8}, 4);
  const auto data = dense_cp_data<double>(x, nullptr, false, {});
  for (const auto& start : {hosvd_start(*data, 3, true, {}), random_start<double>(x.shape(), 3, true, 0, {})})
    for (const Matrix<double>& f : start.factors) EXPECT_GE(f.minCoeff(), 0);
}

}  // namespace
}  // namespace mercer
