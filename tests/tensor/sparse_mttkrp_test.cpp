// Sparse MTTKRP against the definition on the dense copy.
#include "tensor/mttkrp.hpp"

#include "tensor/cp_support.hpp"

namespace mercer {
namespace {

using test::tolerance;

template <class T>
class SparseMttkrpOf : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(SparseMttkrpOf, Types);

template <class T>
void expect_definition(Mttkrp<T>& products, const Tensor<T>& x, Index rank) {
  const std::vector<Matrix<T>> factors = test::random_rows<T>(x.shape(), rank, 10);
  Matrix<T> out;
  for (Index mode = 0; mode < x.order(); ++mode) {
    products.product(mode, factors, out, {});
    const Block<double> expected = test::mttkrp_by_definition(x, mode, factors, rank);
    EXPECT_LE((out.leftCols(rank).template cast<double>() - expected).norm(),
              tolerance<T>(1e-13, 1e-5) * (expected.norm() + 1))
        << to_string(x.shape()) << ", mode " << mode << ", rank " << rank;
  }
}

TYPED_TEST(SparseMttkrpOf, EveryModeOfEveryOrderIsWhatTheDefinitionSays) {
  using T = TypeParam;
  for (const Shape& shape :
       std::vector<Shape>{{40}, {9, 25}, {12, 5, 30}, {1, 6, 4}, {7, 5, 4, 6}, {3, 6, 5, 2, 6}})
    for (const double share : {0.02, 0.3}) {
      const Tensor<T> x = test::random_with_zeros<T>(shape, share, 1);
      const SparseTensor<T> sparse(x.view());
      for (const Index rank : {1, 3, 8, 17, 40}) expect_definition<T>(*sparse_mttkrp(sparse), x, rank);
    }
}

TYPED_TEST(SparseMttkrpOf, ManyEntriesInSeveralPartsAndManyRowsInTheirOwn) {
  using T = TypeParam;
  // Entries in several parts; in the second, copies of the long mode's rows would be too large.
  const std::vector<std::pair<Shape, Index>> cases{{{40, 30, 20}, 9}, {{6000, 3}, 100}};
  for (const auto& [shape, rank] : cases) {
    const Tensor<T> x = test::random_with_zeros<T>(shape, 0.2, 2);
    const SparseTensor<T> sparse(x.view());
    expect_definition<T>(*sparse_mttkrp(sparse), x, rank);
  }
}

TYPED_TEST(SparseMttkrpOf, TheNumberOfThreadsChangesNoBit) {
  using T = TypeParam;
  const SparseTensor<T> x(test::random_with_zeros<T>({50, 40, 30}, 0.3, 3).view());
  const std::vector<Matrix<T>> factors = test::random_rows<T>(x.shape(), 5, 50);
  for (Index mode = 0; mode < 3; ++mode) {
    Matrix<T> one, three;
    sparse_mttkrp(x)->product(mode, factors, one, {.threads = 1});
    sparse_mttkrp(x)->product(mode, factors, three, {.threads = 3});
    EXPECT_TRUE((one.array() == three.array()).all());
  }
}

TYPED_TEST(SparseMttkrpOf, TheWeightsAreOnesWhereEntriesAreStored) {
  using T = TypeParam;
  const Tensor<T> x = test::random_with_zeros<T>({12, 9, 8}, 0.3, 4);
  Tensor<T> ones(x.shape());
  for (Index i = 0; i < x.count(); ++i) ones.values()[i] = x.values()[i] != 0;
  const SparseTensor<T> sparse(x.view());
  expect_definition<T>(*sparse_mttkrp(sparse, Known::weights), ones, 4);
}

TYPED_TEST(SparseMttkrpOf, WithoutAnyEntryItIsZero) {
  using T = TypeParam;
  const Tensor<T> x({4, 3, 2});
  const SparseTensor<T> sparse(x.view());
  expect_definition<T>(*sparse_mttkrp(sparse), x, 3);
}

}  // namespace
}  // namespace mercer
