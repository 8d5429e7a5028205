// What every fit on a neighbourhood graph begins with: the points scaled, the graph, and the points that are
// in it.
#pragma once

#include <mercer/neighbors.hpp>
#include <mercer/samples.hpp>
#include <mercer/scaling.hpp>

namespace mercer {

template <class T>
struct ManifoldData {
  Scaling<T> scaling;
  Samples<T> points;  ///< scaled; those in the graph alone, in its order
  NeighborGraph graph;
  Index given = 0;  ///< rows of the data before any were left out

  /// As plans are made, once the graph is known: so many neighbours, in the mean square, of each point.
  [[nodiscard]] NeighborOptions as_found() const;
};

/// Throws Error{bad_data} for no or unusable points, for points that are all equal, and as
/// NeighborGraph::build does.
template <class T>
[[nodiscard]] ManifoldData<T> manifold_data(const Samples<T>& samples, Scale scale,
                                            const NeighborOptions& neighbors, const Run& run);
/// With a graph that is there already (of the points as `scale` scales them).
template <class T>
[[nodiscard]] ManifoldData<T> manifold_data(const Samples<T>& samples, Scale scale, NeighborGraph graph,
                                            const Run& run);

/// Throws Error{bad_data} where all points are equal.
template <class T>
void require_different(const Samples<T>& points);

}  // namespace mercer
