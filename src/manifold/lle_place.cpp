// New points placed one by one; one that lies on a training point gets its place.
#include "manifold/lle_place.hpp"

#include "base/parallel.hpp"
#include "manifold/lle_alignment.hpp"
#include "manifold/neighborhood.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

/// Tangent directions whose spread is below this beside the first are none.
constexpr double flat = 1e-7;

/// place(rows of differences, places of the neighbours in double) for each new point.
template <class T, class Place>
Matrix<T> place_each(const Samples<T>& points, const Matrix<T>& map, const Samples<T>& rows,
                     const NeighborLists& lists, const Run& run, Place&& place) {
  const Index n = rows.rows(), m = map.cols();
  Matrix<T> out(n, m);
  parallel_for((n + neighborhoods_together - 1) / neighborhoods_together, run, [&](Index part) {
    Matrix<double> differences, places;
    for (Index i = part * neighborhoods_together; i < std::min(n, (part + 1) * neighborhoods_together); ++i) {
      const auto neighbors = lists.neighbors(i);
      if (lists.distances(i)[0] == 0) {
        out.row(i) = map.row(neighbors[0]);
        continue;
      }
      neighbor_differences(points, neighbors, rows, i, differences);
      places.resize(static_cast<Index>(neighbors.size()), m);
      for (Index j = 0; j < places.rows(); ++j)
        places.row(j) = map.row(neighbors[static_cast<std::size_t>(j)]).template cast<double>();
      out.row(i) = place(differences, places).template cast<T>();
    }
  });
  return out;
}

}  // namespace

template <class T>
Matrix<T> place_by_weights(const Samples<T>& points, const Matrix<T>& map, const Samples<T>& rows,
                           const NeighborLists& lists, double regularization, const Run& run) {
  return place_each(points, map, rows, lists, run, [&](const Matrix<double>& c, const Matrix<double>& y) {
    const Vector<double> w = barycentric_weights(c, regularization);
    return Eigen::RowVectorXd(w.transpose() * y);
  });
}

template <class T>
Matrix<T> place_on_tangent(const Samples<T>& points, const Matrix<T>& map, const Samples<T>& rows,
                           const NeighborLists& lists, const Run& run) {
  const Index m = map.cols();
  return place_each(points, map, rows, lists, run, [m](const Matrix<double>& c, const Matrix<double>& y) {
    // U: tangent coordinates of the neighbours (orthonormal columns, of mean 0), U = C̃ V Σ⁻¹; the new point,
    // at the origin of C, has −c̄ V Σ⁻¹ = −c̄ C̃ᵀ U Σ⁻².
    const Eigen::RowVectorXd mean = c.colwise().mean();
    const Matrix<double> centered = c.rowwise() - mean;
    LocalSpectrum spectrum;
    local_spectrum(centered, spectrum);
    const Eigen::RowVectorXd products = -mean * centered.transpose();
    Eigen::RowVectorXd place = y.colwise().mean();
    for (Index a = 0; a < std::min(m, spectrum.values.size()); ++a) {
      const double squared = spectrum.values[a];
      if (!(squared > flat * flat * spectrum.values[0]) || !(squared > 0)) break;
      const double coordinate = products.dot(spectrum.vectors.col(a)) / squared;
      place += coordinate * (spectrum.vectors.col(a).transpose() * y);
    }
    return place;
  });
}

#define MERCER_INSTANTIATE(T)                                                                 \
  template Matrix<T> place_by_weights(const Samples<T>&, const Matrix<T>&, const Samples<T>&, \
                                      const NeighborLists&, double, const Run&);              \
  template Matrix<T> place_on_tangent(const Samples<T>&, const Matrix<T>&, const Samples<T>&, \
                                      const NeighborLists&, const Run&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
