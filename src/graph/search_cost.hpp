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
/// Finding the axes of points of d features, by one thread, and making the shadows of n of them on m axes.
[[nodiscard]] double axes_seconds(Index d);
[[nodiscard]] double shadow_seconds(Index n, Index d, Index m);
/// Looking at one pair closely, at so many bytes that a cache may not hold.
[[nodiscard]] double look_seconds(double bytes);
[[nodiscard]] double kdtree_core_seconds(double n, double d);
[[nodiscard]] double hnsw_core_seconds(double n, double d);

}  // namespace mercer
