// What a CP fit may be asked for, and what it will need; found out before anything is allocated.
#pragma once

#include <mercer/cp.hpp>

namespace mercer {

/// Throws Error{usage}: a rank that no array of this shape has, tolerances and counts that make no sense.
void require_sensible(const Shape& shape, const CpOptions& options);

struct CpProblem {
  Shape shape;
  bool sparse = false;
  double stored = 0;      ///< entries that are kept
  bool weighted = false;  ///< gaps or weights
  std::size_t element = sizeof(double);
};
inline constexpr double usual_cp_sweeps = 50;  ///< of which a plan's flops are
/// Throws Error{no_memory} where the budget does not allow it.
[[nodiscard]] Plan plan_cp(const CpProblem& problem, const CpOptions& options, const Run& run);

}  // namespace mercer
