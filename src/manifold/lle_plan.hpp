// What a fit of LLE will cost, and which neighbourhoods it can use.
#pragma once

#include <mercer/lle.hpp>

namespace mercer {

/// Throws Error{usage} for options that make no sense, Error{no_memory} where M alone does not fit.
template <class T>
[[nodiscard]] Plan plan_lle(const Samples<T>& samples, const LleOptions& options, const Run& run);

/// Throws Error{bad_data} naming the first point with too few neighbours (of a radius, they vary).
void require_neighborhoods(const NeighborLists& lists, const LleOptions& options);

}  // namespace mercer
