// Degenerate fits are said to be.
#include "tensor/degeneracy.hpp"

#include "tensor/cp_support.hpp"

namespace mercer {
namespace {

/// a∘a∘b + a∘b∘a + b∘a∘a has rank 3, and rank-2 arrays come as near to it as one likes.
Tensor<double> border_rank_two() {
  const Matrix<double> random = test::random_matrix<double>(6, 2, 1);
  const Vector<double> a = random.col(0).normalized(), b = random.col(1).normalized();
  Tensor<double> x({6, 6, 6});
  test::for_each_index(x.shape(), [&](const Shape& i) {
    x(i) = a[i[0]] * a[i[1]] * b[i[2]] + a[i[0]] * b[i[1]] * a[i[2]] + b[i[0]] * a[i[1]] * a[i[2]];
  });
  return x;
}

TEST(Degeneracy, ComponentsThatCancelEachOtherAreNamed) {
  const auto model =
      Cp<double>::fit(border_rank_two().view(), {.rank = 2, .iterations = 400, .allow_partial = true});
  const Decomposition& d = *model.report().decomposition;
  ASSERT_FALSE(d.warnings.empty());
  EXPECT_NE(d.warnings[0].find("components 1 and 2 almost cancel"), std::string::npos);
  EXPECT_EQ(d.starts, 4);  // HOSVD's would not do, nor the others
}

TEST(Degeneracy, AtTheRightRankThereIsNothingToSay) {
  const Tensor<double> x = border_rank_two();
  const auto model =
      Cp<double>::fit(x.view(), {.rank = 3, .iterations = 3000, .tolerance = 1e-7, .allow_partial = true});
  EXPECT_LT(model.report().decomposition->relative_error, 1e-2);
  for (const std::string& warning : model.report().decomposition->warnings)
    EXPECT_EQ(warning.find("cancel"), std::string::npos) << warning;
}

TEST(Degeneracy, AnUnfinishedFitIsAnErrorThatSaysWhy) {
  const Tensor<double> x = border_rank_two();
  try {
    (void)Cp<double>::fit(x.view(), {.rank = 2, .iterations = 100});
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::not_converged);
    EXPECT_NE(std::string(e.what()).find("after 100 sweeps"), std::string::npos);
  }
}

TEST(Degeneracy, PairsAreThoseThatAreOppositeAndLong) {
  auto model = test::planted<double>({4, 4, 4}, {10, 9.9, 1}, 5);
  for (Index mode = 0; mode < 3; ++mode) model.factor(mode).col(1) = model.factor(mode).col(0);
  model.factor(0).col(1) *= -1;
  const auto pairs = cancelling_pairs(model, {});
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].first, 0);
  EXPECT_EQ(pairs[0].second, 1);
  EXPECT_NEAR(pairs[0].cosine, -1, 1e-12);
  model.weights[1] = 0.1;  // a small correction of the first
  EXPECT_TRUE(cancelling_pairs(model, {}).empty());
}

TEST(Degeneracy, SwampsAreCounted) {
  CpFit<double> fit;
  fit.model = test::planted<double>({4, 4, 4}, {2, 1}, 6);
  fit.errors.assign(900, 0.1);
  fit.slow_sweeps = 800;
  const auto warnings = degeneracy_warnings(fit, 1, {});
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("800 of 900 sweeps"), std::string::npos);
}

}  // namespace
}  // namespace mercer
