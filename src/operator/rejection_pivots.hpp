// Pivots of RPCholesky without a factor of all points. Rows are proposed with probability ∝ k(x, x), which is
// never less than what remains of it, E_ii; one is taken with probability E_ii/k_ii, so that those taken are
// drawn ∝ E_ii, as if the diagonal of E were known everywhere (Epperly, Tropp, Webber, arXiv 2410.03969).
// Only proposed rows are ever looked at: about r·tr K/tr E of them, instead of all n.
#pragma once

#include <mercer/kernel.hpp>
#include <mercer/run.hpp>

#include <optional>
#include <vector>

namespace mercer {

/// `rank` rows in the order in which they were drawn; nothing when that would take more than about
/// `most_proposals`, because little remains of the kernel matrix.
template <class T>
[[nodiscard]] std::optional<std::vector<Index>> draw_by_rejection(const Kernel& kernel,
                                                                  const Samples<T>& samples, Index rank,
                                                                  Index most_proposals, const Run& run);

}  // namespace mercer
