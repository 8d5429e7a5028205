// Loadings and reconstruction (row M10): what the report says of k components is what they do.
#include <mercer/loadings.hpp>
#include <mercer/pca.hpp>
#include <mercer/reconstruction.hpp>

#include "support.hpp"

namespace mercer {
namespace {

TEST(Reconstruction, ErrorsAndSharesAreThoseOfTheRowsItMakes) {
  const Matrix<double> x = test::random_matrix<double>(30, 11, 1);
  for (const bool center : {true, false}) {
    const auto pca = Pca<double>::fit(x, {.components = 11, .center = center});
    const auto steps = reconstruction_steps(pca.report());
    std::vector<Index> counts;
    for (const auto& step : steps) {
      counts.push_back(step.components);
      Matrix<double> scores = pca.scores();
      scores.rightCols(11 - step.components).setZero();
      const double lost = (pca.inverse(scores) - x).squaredNorm();
      EXPECT_NEAR(step.rms_error, std::sqrt(lost / 330), 1e-7);
      EXPECT_NEAR(step.share, 1 - lost / (x.rowwise() - pca.mean().transpose()).squaredNorm(), 1e-10);
      EXPECT_EQ(step.numbers, double(step.components * 41 + (center ? 11 : 0)));
      EXPECT_DOUBLE_EQ(step.saving, 1 - step.numbers / 330);
    }
    EXPECT_EQ(counts, (std::vector<Index>{1, 2, 4, 8, 11}));
  }
}

TEST(Loadings, TheHeaviestComeFirstAndZerosNotAtAll) {
  Vector<double> direction(6);
  direction << 0.1, -0.9, 0, 0.4, 0.9, 0;
  const auto found = heaviest<double>(direction, 10);
  std::vector<Index> features;
  for (const Loading& loading : found) features.push_back(loading.feature);
  EXPECT_EQ(features, (std::vector<Index>{1, 4, 3, 0}));  // ties to the lowest index
  EXPECT_EQ(found[0].weight, -0.9);
  EXPECT_EQ(heaviest<double>(direction, 2).size(), 2u);
  EXPECT_TRUE(heaviest<double>(direction, 0).empty());
}

}  // namespace
}  // namespace mercer
