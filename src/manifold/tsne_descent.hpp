// The descent of t-SNE: momentum, gains (Jacobs 1988), early exaggeration.
#pragma once

#include "manifold/tsne_forces.hpp"

#include <vector>

namespace mercer {

struct TsneCourse {
  std::vector<double> history;  ///< KL every 50 iterations
  double divergence = 0;        ///< at the end
  bool fell = true;             ///< from the end of the exaggeration on
};

/// Moves the map. `rate`: of the gradient that TsneForces gives, a quarter of KL's.
template <class T>
TsneCourse descend(TsneForces<T>& forces, const TsneOptions& options, double rate, TsneMap<T>& map,
                   const Run& run);

}  // namespace mercer
