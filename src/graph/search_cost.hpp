// What searches for neighbours take.
#pragma once

#include <mercer/samples.hpp>

namespace mercer {

/// Seconds of one core for the neighbours of all n points of d features among themselves. All pairs: measured
/// at 20,000 to 200,000 points of 50 to 784 features, 12 to 90 neighbours; a sparse point costs its entries.
template <class T>
[[nodiscard]] double brute_core_seconds(const Samples<T>& points);
/// The same of one row of so many terms among n.
[[nodiscard]] double brute_row_seconds(Index n, double terms);
/// Making the shadows of n points of d features on m axes.
[[nodiscard]] double shadow_seconds(Index n, Index d, Index m);
/// Looking at those pairs of a row that are no farther than its last neighbour, at so many bytes each. There
/// are about twice as many on the way, while the last neighbour is not known yet.
[[nodiscard]] double look_seconds(double pairs, double bytes);
[[nodiscard]] double kdtree_core_seconds(double n, double d);
[[nodiscard]] double hnsw_core_seconds(double n, double d);

}  // namespace mercer
