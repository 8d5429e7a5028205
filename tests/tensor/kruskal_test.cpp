// Kruskal<T>: its parts against their definitions.
#include "tensor/kruskal.hpp"

#include "tensor/cp_support.hpp"

namespace mercer {
namespace {

/// Σ λ a ∘ b ∘ c ..., entry by entry.
template <class T>
double entry(const Kruskal<T>& model, const Shape& index) {
  double sum = 0;
  for (Index r = 0; r < model.rank; ++r) {
    double product = model.weights[r];
    for (std::size_t m = 0; m < index.size(); ++m) product *= double(model.factors[m](index[m], r));
    sum += product;
  }
  return sum;
}

TEST(Kruskal, TheFullTensorIsTheSumOfItsComponents) {
  for (const Shape& shape : std::vector<Shape>{{6}, {600, 3}, {5, 4, 70}, {3, 2, 4, 5}}) {
    const auto model = test::planted<double>(shape, {3, 2, 1}, 4);
    const Tensor<double> x = full_tensor(model, {});
    test::for_each_index(shape, [&](const Shape& i) { ASSERT_NEAR(x(i), entry(model, i), 1e-13); });
    EXPECT_NEAR(squared_norm(model, {}), x.values().squaredNorm(), 1e-12 * x.values().squaredNorm());
  }
}

TEST(Kruskal, RowsOfAKhatriRaoProductInAnyPiece) {
  const auto factors = test::random_rows<double>({4, 3, 5}, 3, 7);
  Block<double> all = factors[0].leftCols(3);
  for (const std::size_t m : {1, 2}) all = khatri_rao<double>(Block<double>(factors[m].leftCols(3)), all);
  for (Index first = 0; first < 60; first += 7) {
    const Index count = std::min<Index>(13, 60 - first);
    Matrix<double> rows(count, 8);
    khatri_rao_rows<double>({&factors[0], &factors[1], &factors[2]}, first, count, 8, rows.data());
    EXPECT_LE((rows.leftCols(3) - all.middleRows(first, count)).norm(), 1e-14);
  }
}

TEST(Kruskal, TheNormalFormHasWeightsDescendingAndSignsFixed) {
  auto model = test::planted<double>({6, 5, 4}, {1, 3, 2}, 8);
  const Tensor<double> before = full_tensor(model, {});
  bring_into_normal_form(model, 1);
  EXPECT_EQ(model.weights, (Vector<double>(3) << 3, 2, 1).finished());
  for (const Index mode : {0, 2})
    for (Index r = 0; r < 3; ++r) {
      Index largest = 0;
      model.factor(mode).col(r).cwiseAbs().maxCoeff(&largest);
      EXPECT_GT(model.factor(mode)(largest, r), 0);
    }
  EXPECT_LE((full_tensor(model, {}).values() - before.values()).norm(), 1e-13);
}

TEST(Kruskal, AColumnOfZerosKeepsItsDirectionWithoutWeight) {
  auto model = test::planted<double>({4, 3}, {2, 1}, 9);
  Matrix<double> scaled = Matrix<double>::Zero(4, 2);
  scaled(1, 0) = -3;
  const Vector<double> kept = model.factor(0).col(1);
  set_factor(model, 0, scaled);
  EXPECT_EQ(model.weights, (Vector<double>(2) << 3, 0).finished());
  EXPECT_EQ(model.factor(0)(1, 0), -1);
  EXPECT_EQ(Vector<double>(model.factor(0).col(1)), kept);
}

}  // namespace
}  // namespace mercer
