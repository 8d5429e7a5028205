// Landmarks chosen in input space, as alternatives to pivots chosen by the kernel: uniformly, or spread
// out by k-means++ (Arthur and Vassilvitskii 2007).
#pragma once

#include <mercer/run.hpp>
#include <mercer/samples.hpp>

#include <vector>

namespace mercer {

/// `count` of the numbers 0 … n − 1, each set equally likely; ascending. All of them when count ≥ n.
[[nodiscard]] std::vector<Index> uniform_rows(Index n, Index count, std::uint64_t seed,
                                              std::uint64_t stream = 0);

/// Rows near the centres of `count` clusters: centres drawn with probability proportional to the squared
/// distance from those before (D² sampling) on at most 20 rows a centre, a few of Lloyd's steps, and then
/// the nearest row to each centre, without repetition. Throws Error{usage} for sparse data.
template <class T>
[[nodiscard]] std::vector<Index> kmeans_rows(const Samples<T>& samples, Index count, const Run& run);

}  // namespace mercer
