// The projection of sparse arrays, and their Gram matrices, against the dense ones.
#include "tensor/ttmc.hpp"

#include "tensor/hosvd.hpp"
#include "tensor/planted.hpp"
#include "tensor/sparse_gram.hpp"

namespace mercer {
namespace {

template <class T>
class Ttmc : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Ttmc, Types);

template <class T>
Tensor<T> some_zeros(const Shape& shape, std::uint64_t seed) {
  Tensor<T> x = test::random_tensor<T>(shape, seed);
  Random random(seed, 3);
  for (T& value : x.values())
    if (random.uniform() < 0.6) value = 0;
  return x;
}

TYPED_TEST(Ttmc, IsTheProductWithAllOtherFactors) {
  using T = TypeParam;
  for (const Shape& shape : test::some_shapes()) {
    const Tensor<T> x = some_zeros<T>(shape, 3);
    const Tensor<double> wide(x.shape(), x.values().template cast<double>());
    std::vector<Block<double>> factors;
    for (std::size_t m = 0; m < shape.size(); ++m)
      factors.push_back(test::random_matrix<double>(shape[m], 1 + Index(m) % 3, 5 + m));
    for (Index mode = 0; mode < x.order(); ++mode) {
      const auto found =
          project_other_modes(SparseTensor<T>(x.view()), mode, factors, mercer::Run{.threads = 2});
      const Tensor<double> expected = mode_products<double>(wide, factors_without(factors, mode), true);
      EXPECT_LE(test::difference<double>(found.view(), expected), 1e-12) << to_string(shape) << " " << mode;
    }
  }
}

TYPED_TEST(Ttmc, SparseGramMatricesAreTheDenseOnes) {
  using T = TypeParam;
  for (const Shape& shape : test::some_shapes()) {
    const Tensor<T> x = some_zeros<T>(shape, 7);
    for (Index mode = 0; mode < x.order(); ++mode) {
      const Block<double> found = sparse_mode_gram(SparseTensor<T>(x.view()), mode, {});
      const Block<double> lower = mode_gram<T>(x, mode).template triangularView<Eigen::Lower>();
      EXPECT_LE((found - lower).norm(), 1e-12) << to_string(shape) << " " << mode;
    }
  }
}

TEST(TtmcParts, GramMatricesOfManyPartsAreAddedUp) {
  // More entries than one part takes, in the root's mode and in others.
  const Tensor<double> x = some_zeros<double>({20, 150, 300}, 9);
  for (Index mode = 0; mode < 2; ++mode) {
    const Block<double> found =
        sparse_mode_gram(SparseTensor<double>(x.view()), mode, mercer::Run{.threads = 2});
    const Block<double> lower = mode_gram<double>(x, mode).triangularView<Eigen::Lower>();
    EXPECT_LE((found - lower).norm(), 1e-9 * lower.norm());
  }
}

}  // namespace
}  // namespace mercer
