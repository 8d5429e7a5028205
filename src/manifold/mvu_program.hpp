// Maximum variance unfolding in full (Weinberger, Saul 2004): the semidefinite program over all of K. Only
// the links are constrained; the pairs that share a neighbour, which the first paper adds to keep angles, are
// links already where the neighbourhoods overlap, and would make the program k times as large.
#pragma once

#include "manifold/mvu_links.hpp"

namespace mercer {

struct MvuSolution {
  Block<double> gram;  ///< K of the nodes, in the data's units, centred by their weights
  /// tr K over the largest trace that distances kept exactly allow, less 1; not below −(the solver's
  /// accuracy).
  double excess = 0;
  Index iterations = 0;
  bool converged = true;
};

[[nodiscard]] MvuSolution unfold(const MvuLinks& links, const Run& run);

}  // namespace mercer
