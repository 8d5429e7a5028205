// Pivots drawn by rejection: from the distribution of RPCholesky, the same for any number of threads.
#include "operator/rejection_pivots.hpp"

#include "operator/pivoted_cholesky.hpp"
#include "support.hpp"

#include <set>

namespace mercer {
namespace {

template <class T>
class RejectionPivots : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(RejectionPivots, Types);

TYPED_TEST(RejectionPivots, AreDrawnInProportionToWhatRemains) {
  using T = TypeParam;
  const Index n = 5, draws = 4000;
  const Samples<T> x = test::random_matrix<T>(n, 2, 1);
  const Kernel kernel = Kernel::polynomial(2);  // a diagonal that is not constant
  const Matrix<double> k = gram<double>(kernel, x.template cast<double>());
  Matrix<double> expected(n, n), seen = Matrix<double>::Zero(n, n);
  for (Index i = 0; i < n; ++i) {
    const Matrix<double> e = k - k.col(i) * k.row(i) / k(i, i);
    for (Index j = 0; j < n; ++j)
      expected(i, j) = i == j ? 0 : k(i, i) / k.trace() * e(j, j) / (e.trace() - e(i, i));
  }
  for (Index s = 0; s < draws; ++s) {
    const auto pivots = draw_by_rejection(kernel, x, 2, 1 << 20, {.seed = static_cast<std::uint64_t>(s)});
    ASSERT_TRUE(pivots && pivots->size() == 2);
    seen((*pivots)[0], (*pivots)[1]) += 1.0 / double(draws);
  }
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      EXPECT_NEAR(seen(i, j), expected(i, j), 5 * std::sqrt(expected(i, j) / double(draws)) + 1e-12)
          << i << " then " << j;
}

TYPED_TEST(RejectionPivots, LeaveAsMuchAsThoseOfTheFactor) {
  using T = TypeParam;
  const Samples<T> x = test::random_matrix<T>(3000, 8, 2);
  const Kernel kernel = Kernel::rbf(0.1);
  const auto one = draw_by_rejection(kernel, x, 200, 3000, {.threads = 1, .seed = 5}),
             four = draw_by_rejection(kernel, x, 200, 3000, {.threads = 4, .seed = 5}),
             other = draw_by_rejection(kernel, x, 200, 3000, {.threads = 1, .seed = 6});
  ASSERT_TRUE(one && four && other);
  EXPECT_EQ(*one, *four);
  EXPECT_NE(*one, *other);
  EXPECT_EQ(std::set<Index>(one->begin(), one->end()).size(), 200U);
  const PivotedCholesky<T> drawn(kernel, x, {.max_rank = 200}, {.seed = 5}),
      given(kernel, x, {.max_rank = 200, .first = *one, .draw = false});
  ASSERT_EQ(given.rank(), 200);
  EXPECT_NEAR(given.remaining().sum() / drawn.remaining().sum(), 1, 0.05);
}

TYPED_TEST(RejectionPivots, GiveUpWhereLittleRemains) {
  using T = TypeParam;
  const Samples<T> line = test::random_matrix<T>(2000, 1, 3);
  EXPECT_FALSE(draw_by_rejection(Kernel::rbf(0.1), line, 100, 20000, {}));
  const Samples<T> nothing = Matrix<T>(Matrix<T>::Zero(50, 2));
  EXPECT_FALSE(draw_by_rejection(Kernel::linear(), nothing, 3, 20000, {}));
}

}  // namespace
}  // namespace mercer
