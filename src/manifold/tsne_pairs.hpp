// Sums over the pairs of a point with many others, vectorised through Highway with run-time dispatch.
// w_ij = 1/(1 + ‖y_i − y_j‖²) throughout.
#pragma once

#include "manifold/tsne_affinities.hpp"
#include "manifold/tsne_map.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace mercer {

/// Over all points j of a map, a point that lies where y does among them: w = 1, no force.
struct PairSums {
  double weight = 0;          ///< Σ w
  double repulsion[3] = {};   ///< Σ w²(y − y_j)
  double attraction[3] = {};  ///< Σ p_j w (y − y_j)
};

/// Of one place y against all points; `p` of TsneMap::padded entries, or null where there is no attraction.
template <class T>
[[nodiscard]] PairSums pair_sums(const TsneMap<T>& map, const T* y, const T* p);

/// Σ_j p_j log(1 + ‖y − y_j‖²)
template <class T>
[[nodiscard]] double pair_divergence(const TsneMap<T>& map, const T* y, const T* p);

/// out_i = Σ_j p_ij w_ij (y_i − y_j) for the points [first, last). `pairs`: of a map of two axes in float,
/// the places one after the other (paired_places), so that one fetch brings both coordinates; or empty.
template <class T>
void link_attraction(const TsneMap<T>& map, const SparseAffinities<T>& p,
                     std::span<const std::uint64_t> pairs, Index first, Index last, TsneMap<T>& out);

/// Fills `pairs`, or empties it where there are none.
template <class T>
void paired_places(const TsneMap<T>& map, std::vector<std::uint64_t>& pairs);

/// Σ_i Σ_j p_ij log(1 + ‖y_i − y_j‖²) over i in [first, last).
template <class T>
[[nodiscard]] double link_divergence(const TsneMap<T>& map, const SparseAffinities<T>& p, Index first,
                                     Index last);

}  // namespace mercer
