// Operators small enough to be written out as matrices and left to LAPACK.
#pragma once

#include <mercer/spectrum.hpp>

namespace mercer {

/// The wanted pairs among all of them.
template <class T>
[[nodiscard]] Spectrum<T> written_out_eigenpairs(const SymmetricOperator<T>& op, const EigenRequest& request,
                                                 double tolerance, const Run& run);

/// The outermost eigenvalue of what is left when the found vectors are projected out.
template <class T>
[[nodiscard]] double exact_missed(const SymmetricOperator<T>& op, const Spectrum<T>& found, End end,
                                  const Run& run);

}  // namespace mercer
