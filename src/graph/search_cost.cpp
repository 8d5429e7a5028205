// A k-d tree looks at about 2^d cells around a point, so it wants many more points than that; an approximate
// search is for where all pairs would take more than twice as long.
#include "graph/search_cost.hpp"

#include "graph/hnsw_neighbors.hpp"

#include <cmath>

namespace mercer {

double kdtree_core_seconds(double n, double d) { return 130e-9 * d * n * std::log2(n + 1); }

double hnsw_core_seconds(double n, double d) { return 1e-9 * n * std::log2(n + 1) * (105 * d + 2000); }

template <class T>
double brute_core_seconds(const Samples<T>& points) {
  const double n = double(points.rows());
  const double terms = points.is_sparse() ? 20 * double(points.stored()) / n : double(points.cols());
  return 1e-9 * n * n * (0.0145 * terms + 0.25);
}

template <class T>
NeighborSearch suitable_search(const Samples<T>& points, const Run& run) {
  const double n = double(points.rows()), d = double(points.cols());
  if (d <= 12 && n >= 16 * std::exp2(d)) return NeighborSearch::kdtree;
  if (n > 50000 && brute_core_seconds(points) > 2 * hnsw_core_seconds(n, d) &&
      HnswNeighbors<T>::bytes(points.rows(), points.cols()) < 0.5 * double(run.memory_budget()))
    return NeighborSearch::hnsw;
  return NeighborSearch::brute;
}

template double brute_core_seconds(const Samples<float>&);
template double brute_core_seconds(const Samples<double>&);
template NeighborSearch suitable_search(const Samples<float>&, const Run&);
template NeighborSearch suitable_search(const Samples<double>&, const Run&);

}  // namespace mercer
