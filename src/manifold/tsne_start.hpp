// Where the points of a t-SNE map begin: small, so that nothing is far apart yet (Kobak and Linderman 2021).
#pragma once

#include <mercer/tsne.hpp>

#include "manifold/tsne_map.hpp"

namespace mercer {

/// The standard deviation of the first axis.
inline constexpr double tsne_start_size = 1e-4;

/// PCA's or the Laplacian's components, or normal noise by run.seed; axes that the data does not have are
/// noise too.
template <class T>
[[nodiscard]] TsneMap<T> tsne_start(const Samples<T>& points, const TsneOptions& options, const Run& run);

}  // namespace mercer
