// New points in a finished map: each lands where its own divergence is least.
#include "manifold/tsne_place.hpp"
#include "decompositions.hpp"

#include "manifold/tsne_descent.hpp"
#include "manifold/tsne_maps.hpp"

#include <mercer/tsne.hpp>

#include <algorithm>
#include <numeric>

namespace mercer {
namespace {

/// Newcomers somewhere among the points of the map: their neighbours are those nearest to a place, at
/// distances as there.
struct Newcomers {
  NeighborLists lists;
  std::vector<std::vector<double>> p;
};

template <class T>
Newcomers newcomers(const TsneMap<T>& map, Index count, Index neighbors, double perplexity) {
  Newcomers out;
  out.lists.begin.push_back(0);
  for (Index k = 0; k < count; ++k) {
    const Index around = k * 37 % map.points();
    std::vector<std::pair<double, std::int32_t>> all;
    for (Index j = 0; j < map.points(); ++j) {
      double squared = 0;
      for (Index c = 0; c < map.components(); ++c)
        squared += std::pow(double(map.axis(c)[j] - map.axis(c)[around]) - 0.3, 2);
      all.emplace_back(std::sqrt(squared), std::int32_t(j));
    }
    std::partial_sort(all.begin(), all.begin() + neighbors, all.end());
    std::vector<double> squared, p(std::size_t(neighbors), 0);
    for (Index e = 0; e < neighbors; ++e) {
      out.lists.distance.push_back(all[std::size_t(e)].first);
      out.lists.index.push_back(all[std::size_t(e)].second);
      squared.push_back(std::pow(all[std::size_t(e)].first, 2));
    }
    calibrate(squared, perplexity, p);
    out.p.push_back(p);
    out.lists.begin.push_back(Index(out.lists.index.size()));
  }
  return out;
}

/// C(y) = Σ_j p_j log(1 + ‖y − y_j‖²) + log Σ_j 1/(1 + ‖y − y_j‖²), the second sum over all points.
template <class T>
double divergence(const TsneMap<T>& map, const Newcomers& all, Index k, const std::vector<double>& y) {
  const auto one_plus = [&](Index j) {
    double sum = 1;
    for (Index c = 0; c < map.components(); ++c)
      sum += std::pow(y[std::size_t(c)] - double(map.axis(c)[j]), 2);
    return sum;
  };
  double pull = 0, weight = 0;
  const auto neighbors = all.lists.neighbors(k);
  for (std::size_t e = 0; e < neighbors.size(); ++e)
    pull += all.p[std::size_t(k)][e] * std::log(one_plus(neighbors[e]));
  for (Index j = 0; j < map.points(); ++j) weight += 1 / one_plus(j);
  return pull + std::log(weight);
}

/// Beyond 4096 points the repulsion comes from a grid.
TEST(PlacePoints, LandWhereTheirDivergenceIsLeast) {
  for (const Index n : {500, 4500})
    for (const Index components : {1, 2, 3}) {
      const auto map = test::clustered_map<double>(n, components, 60, 1);
      const Newcomers all = newcomers(map, 12, 30, 10);
      const Matrix<double> placed = place_points(all.lists, map, 10, {});
      for (Index k = 0; k < 12; ++k) {
        std::vector<double> y(placed.row(k).data(), placed.row(k).data() + components);
        const double here = divergence(map, all, k, y);
        for (Index c = 0; c < components; ++c)
          for (const double step : {-0.5, 0.5}) {
            y[std::size_t(c)] += step;
            EXPECT_GT(divergence(map, all, k, y), here - 1e-3) << n << " points, " << components;
            y[std::size_t(c)] -= step;
          }
      }
    }
}

TEST(PlacePoints, DoNotDependOnEachOther) {
  const auto map = test::clustered_map<float>(4500, 2, 60, 2);
  const Newcomers all = newcomers(map, 40, 30, 10), few = newcomers(map, 3, 30, 10);
  EXPECT_EQ(place_points(few.lists, map, 10, {}),
            Matrix<float>(place_points(all.lists, map, 10, {}).topRows(3)));
}

TEST(PlacePoints, LandOnAPointWhoseCopiesAreAllTheirNeighbours) {
  TsneMap<double> map = test::clustered_map<double>(200, 2, 30, 3);
  for (Index j = 0; j < 20; ++j)
    for (Index c = 0; c < 2; ++c) map.axis(c)[j] = map.axis(c)[0];
  NeighborLists lists;
  lists.begin = {0, 15};
  lists.index.resize(15);
  std::iota(lists.index.begin(), lists.index.end(), 0);
  lists.distance.assign(15, 0.0);
  const Matrix<double> placed = place_points(lists, map, 5, {});
  EXPECT_NEAR(placed(0, 0), map.axis(0)[0], 0.2);
  EXPECT_NEAR(placed(0, 1), map.axis(1)[0], 0.2);
}

/// Beside the data's points, new ones lie where a descent of all points together, begun at the map, leaves
/// them: within the distance of neighbours in the map, after rotation and scaling.
TEST(PlacePoints, NewPointsLieWhereARefitFromTheMapPutsThem) {
  constexpr Index old = 180, fresh = 30;
  const Matrix<double> rows = test::random_matrix<double>(old + fresh, 2, 24) * 5;
  TsneOptions options{.perplexity = 10, .exaggerated = 100, .gradient = TsneGradient::exact};
  options.iterations = 600;
  const auto model = Tsne<double>::fit(Samples<double>(Matrix<double>(rows.topRows(old))), options);
  Matrix<double> joined(old + fresh, 2);
  joined << model.scores(), model.transform(Samples<double>(Matrix<double>(rows.bottomRows(fresh))));
  joined.rowwise() -= joined.colwise().mean();

  TsneMap<double> map(joined);
  const auto forces = exact_forces(dense_affinities<double>(rows, options.perplexity, {}), {});
  options.exaggerated = 0;
  (void)descend(*forces, options, 50, map, {});
  const Matrix<double> refit = map.rows();
  const Eigen::JacobiSVD<Eigen::Matrix2d> svd(refit.transpose() * joined,
                                              Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Eigen::Matrix2d turn = svd.matrixU() * svd.matrixV().transpose();
  const Matrix<double> turned = refit * turn * (svd.singularValues().sum() / refit.squaredNorm());
  std::vector<double> moved, spacing;
  for (Index i = old; i < old + fresh; ++i) {
    moved.push_back((turned.row(i) - joined.row(i)).norm());
    std::vector<double> near;
    for (Index j = 0; j < old; ++j) near.push_back((joined.row(i) - joined.row(j)).norm());
    std::nth_element(near.begin(), near.begin() + 9, near.end());
    spacing.push_back(near[9]);
  }
  std::sort(moved.begin(), moved.end());
  std::sort(spacing.begin(), spacing.end());
  EXPECT_LT(moved[fresh / 2], spacing[fresh / 2]);
}

}  // namespace
}  // namespace mercer
