// Lengths of shortest paths in a graph of neighbours (Dijkstra 1959), several sources at once.
#pragma once

#include <mercer/matrix.hpp>
#include <mercer/run.hpp>

#include <span>

namespace mercer {

/// lengths(s, v) = the length of the shortest path from sources[s] to v along the links of a symmetric matrix
/// (NeighborGraph::symmetric: stored zeros are links of length 0); ∞ where there is none. The same bits for
/// any number of threads, and for any other sources beside it.
template <class T>
void shortest_paths(const SparseMatrix<double>& graph, std::span<const Index> sources, MatrixRef<T> lengths,
                    const Run& run = {});

}  // namespace mercer
