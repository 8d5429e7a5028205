// The gradients of t-SNE: the exact one against the divergence's finite differences, the others against it.
#include "manifold/tsne_forces.hpp"

#include "manifold/tsne_maps.hpp"

namespace mercer {
namespace {

using test::all_pairs;
using test::clustered_map;
using test::random_affinities;
using test::relative_difference;
using test::wide;

constexpr Index nodes = 2048;

template <class T>
Matrix<double> gradient(TsneForces<T>& forces, const TsneMap<T>& map, double exaggeration = 1,
                        const Run& run = {}) {
  TsneMap<T> out(map.points(), map.components());
  forces.gradient(map, exaggeration, out, run);
  return wide(out);
}

/// Repulsion alone: what is left where P pulls with no strength.
template <class T>
Matrix<double> repulsion(TsneForces<T>& forces, const TsneMap<T>& map) {
  return gradient(forces, map, 0);
}

TEST(ExactForces, AreTheSlopeOfTheDivergence) {
  for (const Index components : {1, 2, 3}) {
    const Matrix<double> p = dense_affinities<double>(test::random_matrix<double>(40, 4, 1), 8, {});
    const auto forces = exact_forces(p, {});
    TsneMap<double> map(test::random_matrix<double>(40, components, 2));
    const Matrix<double> slope = 4 * gradient(*forces, map);
    constexpr double step = 1e-5;
    for (Index i = 0; i < 40; i += 7)
      for (Index c = 0; c < components; ++c) {
        double& y = map.axis(c)[i];
        const double here = y;
        y = here + step;
        const double above = forces->divergence(map, {});
        y = here - step;
        const double below = forces->divergence(map, {});
        y = here;
        EXPECT_NEAR(slope(i, c), (above - below) / (2 * step), 1e-8);
      }
  }
}

TEST(ExactForces, DivergeByTheDefinition) {
  const Index n = 30;
  const Matrix<double> p = dense_affinities<double>(test::random_matrix<double>(n, 4, 3), 6, {});
  const Matrix<double> y = test::random_matrix<double>(n, 2, 4);
  Matrix<double> w(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) w(i, j) = i == j ? 0 : 1 / (1 + (y.row(i) - y.row(j)).squaredNorm());
  double divergence = 0;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      if (i != j) divergence += p(i, j) * std::log(p(i, j) / (w(i, j) / w.sum()));
  EXPECT_NEAR(exact_forces(p, {})->divergence(TsneMap<double>(y), {}), divergence, 1e-12);
}

template <class T>
class Forces : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Forces, Types);

TYPED_TEST(Forces, OfBarnesHutAtAngleZeroAreExact) {
  using T = TypeParam;
  const auto p = random_affinities<T>(300, 5);
  const auto exact = exact_forces(all_pairs(p), {});
  for (const Index components : {1, 2, 3}) {
    const auto tree = barnes_hut_forces(p, components, 0, {});
    const auto map = clustered_map<T>(300, components, 20, 6);
    EXPECT_LT(relative_difference(gradient(*tree, map, 4), gradient(*exact, map, 4)),
              test::tolerance<T>(1e-12, 2e-5));
    EXPECT_NEAR(tree->divergence(map, {}), exact->divergence(map, {}), test::tolerance<T>(1e-12, 1e-4));
  }
}

TYPED_TEST(Forces, OfBarnesHutAtTheUsualAngleAreClose) {
  using T = TypeParam;
  const auto p = random_affinities<T>(1000, 5);
  const auto exact = exact_forces(all_pairs(p), {});
  for (const Index components : {1, 2, 3})
    for (const double size : {1e-4, 1.0, 10.0, 100.0}) {
      const auto map = clustered_map<T>(1000, components, size, 7);
      const auto tree = barnes_hut_forces(p, components, 0.5, {});
      EXPECT_LT(relative_difference(repulsion(*tree, map), repulsion(*exact, map)), 0.03)
          << components << " components, size " << size;
      EXPECT_NEAR(tree->divergence(map, {}), exact->divergence(map, {}), 0.01);
    }
}

TYPED_TEST(Forces, OfTheInterpolationAreClose) {
  using T = TypeParam;
  const auto p = random_affinities<T>(1000, 5);
  const auto exact = exact_forces(all_pairs(p), {});
  for (const Index components : {1, 2})
    for (const double size : {1e-4, 1.0, 10.0, 100.0}) {
      const auto map = clustered_map<T>(1000, components, size, 7);
      const auto grid = interpolation_forces(p, components, nodes, {});
      EXPECT_LT(relative_difference(repulsion(*grid, map), repulsion(*exact, map)), 0.01)
          << components << " components, size " << size;
      EXPECT_NEAR(grid->divergence(map, {}), exact->divergence(map, {}), 1e-3);
      EXPECT_EQ(grid->note(), "");
    }
}

TYPED_TEST(Forces, OfTheInterpolationFollowAMapThatGrowsAndShrinks) {
  using T = TypeParam;
  const auto p = random_affinities<T>(300, 5);
  const auto grid = interpolation_forces(p, 2, nodes, {});
  for (const double size : {1e-4, 50.0, 55.0, 90.0, 1e-2, 50.0}) {
    const auto map = clustered_map<T>(300, 2, size, 8);
    const auto fresh = interpolation_forces(p, 2, nodes, {});
    EXPECT_LT(relative_difference(gradient(*grid, map), gradient(*fresh, map)), 0.01) << size;
  }
}

TYPED_TEST(Forces, AttractByTheSameSumsAlongLinksAndOverAllPairs) {
  using T = TypeParam;
  const auto p = random_affinities<T>(200, 9);
  const auto exact = exact_forces(all_pairs(p), {});
  for (const Index components : {1, 2, 3}) {
    const auto map = clustered_map<T>(200, components, 10, 10);
    const auto tree = barnes_hut_forces(p, components, 0, {});
    const Matrix<double> pull = gradient(*tree, map, 1000) - gradient(*tree, map, 0);
    EXPECT_LT(relative_difference(pull, gradient(*exact, map, 1000) - gradient(*exact, map, 0)),
              test::tolerance<T>(1e-12, 1e-5));
  }
}

TYPED_TEST(Forces, AreTheSameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  const auto p = random_affinities<T>(600, 11);
  const auto map = clustered_map<T>(600, 2, 40, 12);
  const Run one{.threads = 1}, three{.threads = 3};
  const std::vector<std::shared_ptr<TsneForces<T>>> all = {exact_forces(all_pairs(p), {}),
                                                           barnes_hut_forces(p, 2, 0.5, {}),
                                                           interpolation_forces(p, 2, nodes, {})};
  for (const auto& forces : all) {
    EXPECT_EQ(gradient(*forces, map, 1, one), gradient(*forces, map, 1, three));
    EXPECT_EQ(forces->divergence(map, one), forces->divergence(map, three));
  }
}

TEST(InterpolationForces, SayWhenTheMapOutgrewTheGrid) {
  const auto p = random_affinities<double>(300, 13);
  const auto map = clustered_map<double>(300, 2, 2000, 14);
  const auto grid = interpolation_forces(p, 2, 256, {});
  const auto tree = barnes_hut_forces(p, 2, 0.5, {});
  EXPECT_EQ(grid->divergence(map, {}), tree->divergence(map, {})) << "Barnes-Hut takes over";
  EXPECT_NE(grid->note().find("outgrew"), std::string::npos);
}

TEST(InterpolationForces, RefuseAMapThatIsNotFinite) {
  auto map = clustered_map<double>(300, 2, 20, 15);
  map.axis(1)[17] = std::nan("");
  const auto grid = interpolation_forces(random_affinities<double>(300, 13), 2, nodes, {});
  try {
    grid->divergence(map, {});
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::not_converged);
  }
}

}  // namespace
}  // namespace mercer
