// An orthonormal basis for the mode-n fibres of a dense array: the leading left singular vectors of Y₍ₙ₎, by
// the route that costs least.
//
//   gram        eigenvectors of Y₍ₙ₎Y₍ₙ₎ᵀ: quick; singular values below 1e-8 of the largest drown in
//   rounding. triangle    Y₍ₙ₎ᵀ = Q R piece by piece (or Y₍ₙ₎ where that is the tall one), then the SVD of R:
//   twice the
//               work, and all singular values to rounding.
//   randomized  the range of Y₍ₙ₎ from a Gaussian block, power steps while they add something, and
//               Rayleigh-Ritz (Halko, Martinsson, Tropp 2011): for few directions of a large mode.
#pragma once

#include "tensor/leading_vectors.hpp"

#include <mercer/tensor.hpp>

#include <string_view>

namespace mercer {

enum class BasisRoute { gram, triangle, randomized };
[[nodiscard]] std::string_view name_of(BasisRoute route);

/// A mode of `size` entries in `fibers` fibres; rank 0: as many directions as an error asks for.
struct BasisProblem {
  Index size = 1;
  Index fibers = 1;
  Index rank = 0;
  bool precise = false;  ///< small singular values must be told apart
};
[[nodiscard]] BasisRoute choose_basis_route(const BasisProblem& problem);
[[nodiscard]] double basis_flops(const BasisProblem& problem, BasisRoute route);
/// Beyond the array itself.
[[nodiscard]] double basis_bytes(const BasisProblem& problem, BasisRoute route);

/// y is packed. The tail is exact for `triangle`, right to 1e-15 ‖Y‖² otherwise. `gram` turns into `triangle`
/// where the directions asked for reach into rounding; `route` tells which it was.
template <class T>
[[nodiscard]] LeftVectors mode_basis(const TensorView<T>& y, Index mode, const Truncation& truncation,
                                     BasisRoute& route, const Run& run);

}  // namespace mercer
