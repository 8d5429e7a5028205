// Where the points of a t-SNE map begin: small, so that nothing is far apart yet (Kobak and Linderman 2021).
#pragma once

#include <mercer/tsne.hpp>

#include "manifold/tsne_affinities.hpp"

#include <optional>

namespace mercer {

/// The standard deviation of the first axis.
inline constexpr double tsne_start_size = 1e-4;

/// The map that was given; or PCA's components, those of the normalised Laplacian of `p` (which must be there
/// for it), or normal noise by run.seed; axes that the data does not have are noise too. n x components.
template <class T>
[[nodiscard]] Matrix<T> tsne_start(const Samples<T>& points, const TsneOptions& options,
                                   const std::optional<SparseAffinities<float>>& p, const Run& run);

}  // namespace mercer
