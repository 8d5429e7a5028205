// Every map's plan expects seconds; how many follows from the machine's rates and the search.
#include "manifold/map_seconds.hpp"

#include <mercer/mercer.hpp>

#include "support.hpp"

namespace mercer {
namespace {

template <class Method>
class MapSecondsOf : public testing::Test {};
using Methods = testing::Types<Isomap<double>, Isomap<float>, Lle<double>, LaplacianEigenmaps<double>,
                               Tsne<double>, Tsne<float>, Mvu<double>>;
TYPED_TEST_SUITE(MapSecondsOf, Methods);

template <class T, template <class> class Method>
double expected(const Method<T>*, Index n) {
  return Method<T>::plan(Samples<T>(test::random_matrix<T>(n, 10, 1))).seconds;
}

TYPED_TEST(MapSecondsOf, AreInEveryPlan) {
  const TypeParam* method = nullptr;
  EXPECT_GT(expected(method, 400), 0);
}

const MachineRates rates{.gemm_double = 1e11, .gemm_float = 2e11};
const Run two_threads{.threads = 2};

TEST(MapSeconds, AllPairsAreProductsOfMatrices) {
  const Samples<double> x = test::random_matrix<double>(1000, 50, 1);
  Plan plan;
  plan.flops = 2.0 * 1000 * 1000 * 50 + 3e9;
  EXPECT_NEAR(map_seconds(plan, x, NeighborSearch::automatic, 0.1, rates, two_threads),
              1e8 / 5e10 + 3e9 / 1e10, 1e-12);
  const Samples<float> y = test::random_matrix<float>(1000, 50, 1);
  EXPECT_NEAR(map_seconds(plan, y, NeighborSearch::brute, 0.1, rates, two_threads), 1e8 / 1e11 + 3e9 / 1e10,
              1e-12);
}

TEST(MapSeconds, EntriesOfSparseRowsTakeLongerThanProductsOfMatrices) {
  const Samples<double> sparse = test::random_sparse<double>(300, 40, 1);
  Plan plan;
  plan.flops = distance_flops(sparse);
  EXPECT_GT(map_seconds(plan, sparse, NeighborSearch::brute, 0.1, rates, two_threads),
            5 * plan.flops / rates.gemm_double);
}

TEST(MapSeconds, OtherSearchesDoNotLookAtAllPairs) {
  const Samples<double> x = test::random_matrix<double>(60000, 3, 1);
  Plan plan;
  plan.flops = distance_flops(x);  // nothing else
  const auto of = [&](NeighborSearch search, int threads) {
    return map_seconds(plan, x, search, 0.1, rates, {.threads = threads});
  };
  const double tree = of(NeighborSearch::kdtree, 2);
  EXPECT_EQ(of(NeighborSearch::automatic, 2), tree);  // of three features
  EXPECT_DOUBLE_EQ(of(NeighborSearch::kdtree, 1), 2 * tree);
  EXPECT_LT(tree, of(NeighborSearch::brute, 2));
  EXPECT_GT(of(NeighborSearch::hnsw, 2), tree);
}

}  // namespace
}  // namespace mercer
