// Repulsion by Barnes and Hut (1986; for t-SNE van der Maaten 2014): a cell of points that is narrow for its
// distance counts as one point.
#pragma once

#include "manifold/tsne_tree.hpp"

namespace mercer {

/// Cells are taken whole where width² < θ²(d² + softening): w = 1/(1 + d²) changes over lengths of 1, so that
/// a cell much narrower than that is one point from wherever it is seen, from inside too.
inline constexpr double barnes_hut_softening = 0.1;

/// force_i = Σ_j w²(y_i − y_j) for the tree's sorted points [first, last), whose numbers in `force` are the
/// map's; returns Σ_i Σ_j w, each point with itself among them. `first` is a multiple of TsneMap::vector.
/// A vector of neighbouring points walks together, and opens what any of them must open.
template <class T>
[[nodiscard]] double barnes_hut(const TsneTree<T>& tree, Index first, Index last, double angle,
                                TsneMap<T>& force);

}  // namespace mercer
