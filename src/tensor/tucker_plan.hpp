// What Tucker's decomposition of an array will take: options checked, modes in the cheapest order, flops and
// bytes; before anything is allocated.
#pragma once

#include "tensor/mode_basis.hpp"

#include <mercer/tucker.hpp>

#include <limits>
#include <string>
#include <vector>

namespace mercer {

/// No error below this can be promised: rounding of the array itself. "Exact rank" means to this error.
template <class T>
inline constexpr double least_error = 64 * double(std::numeric_limits<T>::epsilon());
/// Below this error a Gram matrix cannot tell singular values from rounding.
inline constexpr double precise_error = 1e-6;
/// A sparse fit whose number of sweeps is not given.
/// Of a sparse array where no sweeps were asked for: none, unless a mode has no Gram matrix to begin from.
[[nodiscard]] Index sweeps_for_large_modes(const Shape& shape);

/// One mode's turn in a sequentially truncated HOSVD.
struct TuckerStep {
  Index mode = 0;
  BasisRoute route = BasisRoute::gram;
};

struct TuckerProblem {
  Shape shape;
  Shape ranks;  ///< as given, and none larger than the others allow; empty: by error
  Index sample_mode = 0;
  bool precise = false;
  bool sequential = true;  ///< ST-HOSVD
  Index sweeps = 0;
  std::size_t item = 8;            ///< bytes of an element
  std::vector<std::string> notes;  ///< what the options did not say
};

/// Throws Error{usage} for options that make no sense for this shape.
[[nodiscard]] TuckerProblem tucker_problem(const Shape& shape, const TuckerOptions& options,
                                           double least_error, std::size_t item);

/// The modes' turns: the order with the fewest operations (ranks that are not known count as a quarter of the
/// sizes); for a plain HOSVD, which has none, any.
[[nodiscard]] std::vector<TuckerStep> tucker_steps(const TuckerProblem& problem);

/// Throws Error{no_memory} where the budget does not suffice.
[[nodiscard]] Plan plan_tucker(const TuckerProblem& problem, const std::vector<TuckerStep>& steps,
                               const Run& run);
[[nodiscard]] Plan plan_sparse_tucker(const TuckerProblem& problem, Index stored, const Run& run);
/// Throws Error{no_memory} for that many bytes where the budget does not suffice.
void require_budget(double bytes, const Run& run, const std::string& what);

/// Once the core is there: its copies in double while the scores' basis is made, those of the projected
/// samples, and where sweeps follow what they began from.
[[nodiscard]] double finishing_bytes(double core, double samples, bool sweeps);

}  // namespace mercer
