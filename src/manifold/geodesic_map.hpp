// Classical scaling of path lengths: K̃ = −½HD²H, K̃v = λv, the map √λ v (Isomap); or of the paths of a few
// landmarks, by which all other points are placed (de Silva, Tenenbaum 2003).
#pragma once

#include "graph/shortest_paths.hpp"
#include "model/spectral_fit.hpp"

#include <functional>
#include <string>

namespace mercer {

struct GeodesicRequest {
  Index components = 2;
  double residual = 0;          ///< relative tolerance
  bool strict = true;           ///< as in EigenRequest
  Route route = Route::stored;  ///< or dense, LAPACK
};

struct GeodesicMap {
  Solved<double> solved;     ///< of K̃ over the landmarks; components that rounding cannot make
  Matrix<double> points;     ///< the map, a row a vertex
  Vector<double> row_means;  ///< of D² among the landmarks, each landmark's
  double positive = 0;  ///< the sum of the positive eigenvalues: at least this, exactly where all are known
  double residual_variance = 0;  ///< 1 − R² of path lengths and distances in the map
};

using Lap = std::function<void(std::string)>;  ///< a stage has ended

/// Every vertex a landmark.
[[nodiscard]] GeodesicMap geodesic_map(const PathFinder& paths, const GeodesicRequest& request,
                                       Report& report, const Lap& lap, const Run& run);
/// Paths from the landmarks alone.
[[nodiscard]] GeodesicMap landmark_map(const PathFinder& paths, const std::vector<Index>& landmarks,
                                       const GeodesicRequest& request, Report& report, const Lap& lap,
                                       const Run& run);

/// Bytes that each takes.
[[nodiscard]] double geodesic_bytes(Index n, Index components, Route route, int threads);
[[nodiscard]] double landmark_bytes(Index n, Index landmarks, Index components, Route route);

}  // namespace mercer
