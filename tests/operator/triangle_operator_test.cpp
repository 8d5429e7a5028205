// A stored triangle against the matrix it was filled from.
#include "operator/triangle_operator.hpp"

#include "operator/tile_product.hpp"
#include "support.hpp"

#include <limits>

namespace mercer {
namespace {

Block<double> symmetric(Index n, double size) {
  const Matrix<double> half = test::random_matrix<double>(n, n, 3);
  return size * (half + half.transpose());
}

std::unique_ptr<TriangleOperator> filled(const Block<double>& a, double largest) {
  auto op = std::make_unique<TriangleOperator>(a.rows(), largest);
  for (Index first = 0; first < a.rows(); first += 8)
    op->put(first, [&](Index c, double* eight) {
      for (Index r = 0; r < 8; ++r) eight[r] = first + r < a.rows() ? a(first + r, c) : 7;
    });
  return op;
}

TEST(TriangleOperator, MultipliesAsTheMatrixDoes) {
  for (const Index n : {1, 7, 8, 255, 256, 257, 600})
    for (const double size : {1.0, 1e-40, 1e60}) {
      const Block<double> a = symmetric(n, size);
      const auto op = filled(a, size);
      for (const Index b : {1, 8, 11}) {
        const Block<double> v = test::random_matrix<double>(n, b, 4);
        Block<double> y(n, b), rough(n, b);
        op->apply(v, y);
        op->apply_roughly(v, rough);
        const Block<double> truth = a * v;
        EXPECT_LE((y - truth).norm(), 1e-13 * truth.norm()) << n << " " << size;
        EXPECT_LE((rough - truth).norm(), 1e-6 * truth.norm()) << n << " " << size;
      }
    }
}

TEST(TriangleOperator, DoesNotDependOnTheNumberOfThreads) {
  const Block<double> a = symmetric(700, 1), v = test::random_matrix<double>(700, 8, 5);
  const auto op = filled(a, 1);
  Block<double> one(700, 8), two(700, 8);
  op->apply(v, one, {.threads = 1});
  op->apply(v, two, {.threads = 3});
  EXPECT_EQ(one, two);
}

TEST(TriangleOperator, GivesItsTilesBack) {
  const Index n = 300;
  const Block<double> a = symmetric(n, 1);
  const auto op = filled(a, 1);
  ASSERT_EQ(op->tile_rows(), 2);
  std::vector<float> values(static_cast<std::size_t>(tile::plane));
  op->read(1, 0, values.data());
  for (Index r = 0; r < n - tile::size; ++r)
    for (Index c = 0; c < tile::size; ++c)
      EXPECT_EQ(double(values[static_cast<std::size_t>(r * tile::size + c)]) / op->scale(),
                double(static_cast<float>(op->scale() * a(tile::size + r, c))) / op->scale());
  op->read(1, 1, values.data());
  EXPECT_EQ(values.back(), 0.0F);  // beyond the matrix
}

TEST(TriangleOperator, RefusesWhatIsNotFinite) {
  Block<double> a = symmetric(20, 1);
  a(9, 3) = a(3, 9) = std::numeric_limits<double>::infinity();
  EXPECT_THROW((void)filled(a, 1), Error);
}

TEST(TriangleOperator, KnowsItsSumsWhenTold) {
  TriangleOperator op(3, 1);
  EXPECT_FALSE(op.trace() || op.frobenius_squared() || op.row_sums());
  op.set_sums(1, 2, Vector<double>::Ones(3));
  EXPECT_EQ(*op.trace(), 1);
  EXPECT_EQ(*op.frobenius_squared(), 2);
  EXPECT_EQ(op.row_sums()->sum(), 3);
}

}  // namespace
}  // namespace mercer
