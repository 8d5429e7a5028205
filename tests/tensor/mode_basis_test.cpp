// The three routes to a mode's basis agree, and each is taken where it should be.
#include "tensor/mode_basis.hpp"

#include "tensor/planted.hpp"

namespace mercer {
namespace {

double subspaces_apart(const Block<double>& a, const Block<double>& b) {
  return test::subspace_distance(a, b);
}

TEST(ModeBasis, RoutesAgreeWhereRoundingDoesNotMatter) {
  for (const Shape& shape : {Shape{8, 30, 40}, Shape{60, 5, 4}, Shape{20, 20, 20}}) {
    const Tensor<double> x = test::decaying<double>(shape, 0.5, 3);
    for (Index mode = 0; mode < 3; ++mode) {
      BasisRoute gram = BasisRoute::gram, triangle = BasisRoute::triangle, random = BasisRoute::randomized;
      const auto a = mode_basis<double>(x, mode, {.rank = 3}, gram, {});
      const auto b = mode_basis<double>(x, mode, {.rank = 3}, triangle, {});
      const auto c = mode_basis<double>(x, mode, {.rank = 3}, random, {});
      EXPECT_EQ(gram, BasisRoute::gram);
      EXPECT_LE(subspaces_apart(a.vectors, b.vectors), 1e-9);
      EXPECT_LE(subspaces_apart(a.vectors, c.vectors), 1e-4);
      EXPECT_LE((a.values.head(3) - b.values.head(3)).norm(), 1e-12 * a.values[0]);
      EXPECT_NEAR(a.tail, b.tail, 1e-12 * a.values.squaredNorm());
      EXPECT_NEAR(c.tail, b.tail, 1e-6 * b.tail);
      EXPECT_LE((b.vectors.transpose() * b.vectors - Block<double>::Identity(3, 3)).norm(), 1e-13);
    }
  }
}

TEST(ModeBasis, TheTriangleTellsSmallSingularValuesApart) {
  // Singular values 1, 1e-4, 1e-8, 1e-12 in a tall and in a wide matrix, with many pieces.
  for (const bool tall : {true, false}) {
    const Index rows = tall ? 90000 : 5, cols = tall ? 5 : 90000;
    Vector<double> values(4);
    values << 1, 1e-4, 1e-8, 1e-12;
    const Block<double> u = test::orthonormal<double>(rows, 4, 5), v = test::orthonormal<double>(cols, 4, 7);
    const Tensor<double> x =
        fold<double>(Block<double>(u * values.asDiagonal() * v.transpose()), 0, {rows, cols});
    BasisRoute route = BasisRoute::triangle;
    const auto found = mode_basis<double>(x, 0, {.rank = 0, .budget = 1e-22}, route, {});
    EXPECT_EQ(found.vectors.cols(), 3);
    for (Index i = 0; i < 4; ++i) EXPECT_NEAR(found.values[i], values[i], 1e-14);
    EXPECT_NEAR(std::sqrt(found.tail), 1e-12, 1e-14);
    EXPECT_LE(subspaces_apart(u.leftCols(3), found.vectors), 1e-6);
  }
}

TEST(ModeBasis, AGramMatrixThatReachesIntoRoundingIsLeftForTheTriangle) {
  const Tensor<double> x = test::planted_tucker<double>({10, 12, 11}, {2, 2, 2}, 9);
  BasisRoute route = BasisRoute::gram;
  (void)mode_basis<double>(x, 0, {.rank = 4}, route, {});
  EXPECT_EQ(route, BasisRoute::triangle);
}

TEST(ModeBasis, TheCostChoosesTheRoute) {
  EXPECT_EQ(choose_basis_route({.size = 400, .fibers = 160000, .rank = 16}), BasisRoute::gram);
  EXPECT_EQ(choose_basis_route({.size = 400, .fibers = 160000, .rank = 0}), BasisRoute::gram);
  EXPECT_EQ(choose_basis_route({.size = 400, .fibers = 160000, .rank = 0, .precise = true}),
            BasisRoute::triangle);
  EXPECT_EQ(choose_basis_route({.size = 5000, .fibers = 160000, .rank = 16}), BasisRoute::randomized);
  EXPECT_EQ(choose_basis_route({.size = 5000, .fibers = 160000, .rank = 4000}), BasisRoute::gram);
  EXPECT_EQ(choose_basis_route({.size = 100000, .fibers = 20, .rank = 5}), BasisRoute::triangle);
}

TEST(ModeBasis, RanksByBudget) {
  Vector<double> values(4);
  values << 4, 3, 2, 1;
  EXPECT_EQ(rank_to_keep(values, {.rank = 2}), 2);
  EXPECT_EQ(rank_to_keep(values, {.budget = 0.5}), 4);
  EXPECT_EQ(rank_to_keep(values, {.budget = 1}), 3);
  EXPECT_EQ(rank_to_keep(values, {.budget = 5.5}), 2);
  EXPECT_EQ(rank_to_keep(values, {.budget = 1000}), 1);
  EXPECT_EQ(squared_tail(values, 2), 5);
}

}  // namespace
}  // namespace mercer
