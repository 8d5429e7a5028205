// The last part of unfolding many points: coordinates of the nodes themselves are moved until every link has
// its length and the variance is the largest (Weinberger et al. 2007 by conjugate gradients on the penalty
// alone; here the penalty's weight stays moderate and multipliers make the lengths exact, Burer, Monteiro
// 2003).
#pragma once

#include "manifold/mvu_reduced.hpp"

namespace mercer {

struct RefinedMap {
  Index steps = 0, rounds = 0;
  double change = 0;       ///< root mean square of (δ − d²)/d², very short links aside, at the end
  bool converged = false;  ///< the last round ended by itself, or the lengths are kept
};

/// `map`: coordinates over √unit of the nodes, of any number of dimensions, improved in place.
RefinedMap refine(const MvuLinks& links, const MvuBasis& basis, Matrix<double>& map, const Run& run);

}  // namespace mercer
