// A few eigenpairs of a symmetric operator, and how we know that they are right.
//
//     mercer::EigenRequest request{.count = 10};
//     mercer::Spectrum<double> s = mercer::eigenpairs(op, request);
//     s.values[0], s.vectors.col(0), s.residuals[0], s.missed.probable
#pragma once

#include <mercer/matrix.hpp>
#include <mercer/run.hpp>
#include <mercer/symmetric_operator.hpp>

#include <limits>

namespace mercer {

enum class End { largest, smallest };

/// No eigenvalue beyond the ones returned lies further out than these.
struct MissedBound {
  double rigorous = std::numeric_limits<double>::infinity();  ///< always true, often loose
  double probable = std::numeric_limits<double>::infinity();  ///< true with probability 1 − delta
  double delta = 0;
};

template <class T>
struct Spectrum {
  Vector<double> values;     ///< descending (ascending for End::smallest)
  Block<T> vectors;          ///< n x count, orthonormal, largest-magnitude entry positive
  Vector<double> residuals;  ///< ‖A v − θ v‖₂, measured in double
  MissedBound missed;
  Index passes = 0;  ///< how many times the operator was applied to a block
  bool converged = true;
};

struct EigenRequest {
  Index count = 2;
  End end = End::largest;
  double tolerance = 0;  ///< residual relative to the largest |eigenvalue|; 0: 1e-10 or 1e-5
  bool strict = true;    ///< a tolerance given holds even below what rounding inside the operator allows
  Index block = 0;       ///< vectors a pass; 0: 8 in double, 16 in float
  Index basis = 0;       ///< most vectors kept before a restart; 0: chosen from count
  Index max_passes = 1000;
  bool allow_partial = false;          ///< return what there is instead of throwing not_converged
  bool positive_semidefinite = false;  ///< lets the certificate use the trace
  bool certify = true;                 ///< measure residuals and bounds (the solver's own check stays)
  double delta = 1e-6;                 ///< probability that the probable bound may fail
};

/// Block Krylov with thick restart, on any operator (src/spectral/block_krylov.cpp).
/// `start`: vectors to begin from instead of random ones (random ones are added to them).
template <class T>
[[nodiscard]] Spectrum<T> eigenpairs(const SymmetricOperator<T>& op, const EigenRequest& request,
                                     const Run& run = {}, const Block<T>& start = {});

/// LAPACK, on a matrix whose lower triangle is given. All n pairs, or only the wanted ones when they
/// are few (src/spectral/dense.cpp). Residuals and bounds are left to the caller.
template <class T>
[[nodiscard]] Spectrum<T> dense_eigenpairs(Block<T> matrix, Index count, End end = End::largest,
                                           const Run& run = {});

/// How many eigenvalues of a symmetric matrix lie above `shift`, exactly, by the inertia of
/// A − shift·I (Sylvester; LDLᵀ). The third tier of the certificate, at moderate n.
template <class T>
[[nodiscard]] Index count_eigenvalues_above(const Matrix<T>& matrix, double shift);

}  // namespace mercer
