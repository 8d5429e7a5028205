// A k-d tree looks at about 2^d cells around a point, so it wants many more points than that; an approximate
// search is for where all pairs would take more than twice as long.
#include "graph/suitable_search.hpp"

#include "graph/hnsw_neighbors.hpp"
#include "graph/search_cost.hpp"
#include "graph/search_trial.hpp"

#include <cmath>

namespace mercer {

template <class T>
NeighborSearch suitable_search(const Samples<T>& points, const Run& run) {
  const double n = double(points.rows()), d = double(points.cols());
  if (d <= 12 && n >= 16 * std::exp2(d)) return NeighborSearch::kdtree;
  const double approximate = hnsw_core_seconds(n, d);
  if (n > 50000 &&
      HnswNeighbors<T>::bytes(points.rows(), points.cols()) < 0.5 * double(run.memory_budget()) &&
      brute_core_seconds(points) > 2 * approximate &&
      tried_share(points, run) * brute_core_seconds(points) > 2 * approximate)
    return NeighborSearch::hnsw;
  return NeighborSearch::brute;
}

template NeighborSearch suitable_search(const Samples<float>&, const Run&);
template NeighborSearch suitable_search(const Samples<double>&, const Run&);

}  // namespace mercer
