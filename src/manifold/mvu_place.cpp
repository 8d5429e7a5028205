// minimise ‖x − Σ wⱼxⱼ‖² + α Σ wⱼ²‖x − xⱼ‖² over Σ wⱼ = 1: (G + α diag G) w ∝ 1 for G = (xⱼ − x)·(xₖ − x).
// The penalty vanishes for a neighbour that x comes near to, so that the map is continuous where it is exact.
#include "manifold/mvu_place.hpp"

#include "base/linalg.hpp"
#include "base/parallel.hpp"

namespace mercer {
namespace {

constexpr double alpha = 1e-3;
constexpr Index points_a_task = 64;

template <class T>
Vector<double> weights(const Samples<T>& points, Index i, const Samples<T>& fixed,
                       std::span<const std::int32_t> neighbors) {
  const auto k = static_cast<Index>(neighbors.size());
  const Matrix<double> x = points.dense_rows(i, 1).template cast<double>();
  Matrix<double> away(k, points.cols());
  for (Index j = 0; j < k; ++j)
    away.row(j) = fixed.dense_rows(neighbors[static_cast<std::size_t>(j)], 1).template cast<double>() - x;
  // Of neighbours seen from x with their distances: directions, so that the far ones do not drown the near.
  const Vector<double> far = away.rowwise().norm();
  for (Index j = 0; j < k; ++j) away.row(j) /= far[j];
  Block<double> g = away * away.transpose();
  g.diagonal().array() += alpha;
  Vector<double> w = far.cwiseInverse() * far.minCoeff();
  if (linalg::cholesky(g) < k) throw Error(ErrorCode::internal, "weights of neighbours have no solution");
  linalg::solve_lower(linalg::Transpose::no, k, 1, g.data(), k, w.data(), k);
  linalg::solve_lower(linalg::Transpose::yes, k, 1, g.data(), k, w.data(), k);
  w = w.cwiseQuotient(far);
  return w / w.sum();
}

}  // namespace

template <class T>
Matrix<T> place_by_neighbors(const Samples<T>& points, const Samples<T>& fixed, const Matrix<T>& map,
                             const NeighborLists& lists, const Run& run) {
  const Index n = points.rows(), parts = (n + points_a_task - 1) / points_a_task;
  Matrix<T> out(n, map.cols());
  parallel_for(parts, run, [&](Index part) {
    for (Index i = part * points_a_task; i < std::min(n, (part + 1) * points_a_task); ++i) {
      const auto neighbors = lists.neighbors(i);
      if (lists.distances(i)[0] == 0) {
        out.row(i) = map.row(neighbors[0]);
        continue;
      }
      const Vector<double> w = weights(points, i, fixed, neighbors);
      Eigen::RowVectorXd place = Eigen::RowVectorXd::Zero(map.cols());
      for (Index j = 0; j < w.size(); ++j)
        place += w[j] * map.row(neighbors[static_cast<std::size_t>(j)]).template cast<double>();
      out.row(i) = place.cast<T>();
    }
  });
  return out;
}

template Matrix<float> place_by_neighbors(const Samples<float>&, const Samples<float>&, const Matrix<float>&,
                                          const NeighborLists&, const Run&);
template Matrix<double> place_by_neighbors(const Samples<double>&, const Samples<double>&,
                                           const Matrix<double>&, const NeighborLists&, const Run&);

}  // namespace mercer
