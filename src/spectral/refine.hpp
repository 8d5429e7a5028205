// Bringing eigenpairs found with rough products to full accuracy.
//
// A Krylov space Q built with rough products gives Ritz vectors Q S = [V Y] with A Q S = Q S Θ + F C up to
// the products' error. With the exact image G = A V of the wanted vectors alone, the residuals R = G − V Θ
// are known exactly; they join the basis and Rayleigh-Ritz is done again. Whatever multiplies V is
// exact; the rough images multiply only corrections, which are as small as the error to be corrected.
#pragma once

#include <mercer/symmetric_operator.hpp>

#include "base/random.hpp"

namespace mercer {

template <class T>
struct RoughRitz {
  Block<T>& basis;         ///< its first columns are Q, orthonormal; the others are room to work in
  Block<double> rotation;  ///< S, orthogonal
  Vector<double> values;   ///< Θ, descending
  Block<T> frontier;       ///< F, orthonormal, orthogonal to Q
  Block<double> coupling;  ///< C
  Index wanted = 0;
  double error = 0;  ///< of the rough product of a unit vector
};

/// Room for this many rounds, in which all residuals join, is always enough in practice.
constexpr Index refine_rounds = 5;

template <class T>
struct Refined {
  Block<T> vectors;          ///< the wanted ones, orthonormal
  Vector<double> values;     ///< of sign·A, descending
  Vector<double> residuals;  ///< ‖A v − θ v‖ at most: from the images as they are known, and their error
  bool measured = false;     ///< that error is nothing beside the target
  Block<T> directions;       ///< orthonormal, orthogonal to the vectors: where to go on
  Index passes = 0;          ///< in blocks of 8 vectors
};

/// Until the largest residual is at most `target`, or the room in the basis is used up. The largest
/// eigenvalues of sign·A are meant; the values in `rough` are those of sign·A too.
template <class T>
[[nodiscard]] Refined<T> refine(const SymmetricOperator<T>& op, T sign, RoughRitz<T> rough, double target,
                                Random& random, const Run& run);

/// Rayleigh-Ritz on these orthonormal vectors alone, by one exact product. The directions are the residuals
/// above a quarter of the target, the largest first, at least `fewest` and at most `most`: a residual that is
/// not among them would not be seen again.
template <class T>
[[nodiscard]] Refined<T> exact_ritz(const SymmetricOperator<T>& op, T sign, const BlockView<T>& vectors,
                                    double target, Index fewest, Index most, Random& random, const Run& run);

}  // namespace mercer
