// Bringing eigenpairs found with rough products to full accuracy.
//
// A Krylov space built with rough products gives Ritz vectors U = [V Y] with A U = U Θ + F C up to the
// products' error. With the exact image G = A V of the wanted vectors alone, the residuals R = G − V Θ
// are known exactly; they join the basis and Rayleigh-Ritz is done again. Whatever multiplies V is
// exact; the rough images multiply only corrections, which are as small as the error to be corrected.
#pragma once

#include <mercer/symmetric_operator.hpp>

#include "base/random.hpp"

namespace mercer {

template <class T>
struct RoughRitz {
  Block<T> vectors;        ///< U, orthonormal; the first `wanted` are V
  Vector<double> values;   ///< Θ, descending
  Block<T> frontier;       ///< F, orthonormal, orthogonal to U
  Block<double> coupling;  ///< C
  Index wanted = 0;
};

template <class T>
struct Refined {
  Block<T> vectors;          ///< the wanted ones, orthonormal
  Vector<double> values;     ///< of sign·A, descending
  Vector<double> residuals;  ///< ‖A v − θ v‖, from the images as they are known
  Block<T> directions;       ///< orthonormal, orthogonal to the vectors: where to go on
  Index passes = 0;          ///< in blocks of 8 vectors
};

/// Until the largest residual is at most `target`, or a few rounds have passed. The largest eigenvalues
/// of sign·A are meant; the values in `rough` are those of sign·A too.
template <class T>
[[nodiscard]] Refined<T> refine(const SymmetricOperator<T>& op, T sign, RoughRitz<T> rough, double target,
                                Random& random, const Run& run);

}  // namespace mercer
