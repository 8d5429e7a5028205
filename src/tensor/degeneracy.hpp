// What can go wrong with CP though the error falls: two components that grow without bound and cancel each
// other, because no best approximation of this rank exists (de Silva and Lim 2008), and swamps, where sweeps
// hardly get on. Said in words, never hidden.
#pragma once

#include "tensor/cp_als.hpp"

#include <string>
#include <vector>

namespace mercer {

/// Pairs of components r < s that cancel each other: cosine of the two rank-one arrays below −0.9, each
/// longer than the whole model.
struct CancellingPair {
  Index first, second;
  double cosine;
};
template <class T>
[[nodiscard]] std::vector<CancellingPair> cancelling_pairs(const Kruskal<T>& model, const Run& run);

/// Sentences for the report; none where all is well. norm: ‖X‖.
template <class T>
[[nodiscard]] std::vector<std::string> degeneracy_warnings(const CpFit<T>& fit, double norm, const Run& run);

}  // namespace mercer
