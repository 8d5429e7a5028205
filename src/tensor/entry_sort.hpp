// Sorts the entries of a sparse tensor where they lie.
#pragma once

#include <mercer/matrix.hpp>

#include <cstdint>
#include <vector>

namespace mercer {

/// Reorders entry e = (index[0][e], index[1][e], ...; values[e]) so that the entries ascend, the first index
/// deciding first. sizes[l] is one more than the largest index[l] may be. A most-significant-digit radix sort
/// in place: beside the entries only buffers of a few MB are needed. The same input gives the same order for
/// any number of threads, also among entries at the same place.
template <class T>
void sort_entries(std::vector<std::vector<std::uint32_t>*> index, const std::vector<Index>& sizes,
                  std::vector<T>& values);

}  // namespace mercer
