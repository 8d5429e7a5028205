// Chooses between the whole semidefinite program and the reduced one, and counts what each costs.
#pragma once

#include <mercer/mvu.hpp>

namespace mercer {

struct MvuPlan {
  bool whole = true;
  Index basis = 0;  ///< eigenvectors of the Laplacian, where not whole
  Index rank = 0;   ///< dimensions in which points are moved: more than the map's, so that folds can open
  Plan plan;
};

/// Throws Error{usage} for options that make no sense.
void require_sensible(const MvuOptions& options);
/// For n nodes and no more links than that. Throws Error{no_memory} where neither fits.
[[nodiscard]] MvuPlan plan_mvu(Index n, double links, const MvuOptions& options, const Run& run);

}  // namespace mercer
