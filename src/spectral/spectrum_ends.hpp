// The two ends of a symmetric matrix's spectrum, in particular how far it reaches below zero: the smallest
// eigenvalue with its vector, and the largest magnitude.
#pragma once

#include <mercer/symmetric_operator.hpp>

#include <optional>

namespace mercer {

struct SpectrumEnds {
  double smallest = 0;    ///< vᵀAv of the vector: never below the smallest eigenvalue
  double largest = 0;     ///< the largest |eigenvalue|
  Vector<double> vector;  ///< of the smallest, of length 1
  /// No eigenvalue lies below this. Nothing: not known, and what was found may not be the smallest.
  std::optional<double> lower_bound;
  double delta = 0;  ///< but for this chance
};

/// By LAPACK, all of the matrix (both triangles).
[[nodiscard]] SpectrumEnds ends_by_lapack(const Block<double>& matrix, const Run& run);

/// By inverse iteration, for matrices whose n² doubles fit twice. Cholesky's factor of A + sI exists where no
/// eigenvalue lies below −s, to rounding; s begins at `tolerance` and grows until it does. The largest
/// eigenvalue of its inverse is the smallest of A, and is found at once however close the others lie.
[[nodiscard]] SpectrumEnds ends_by_factor(const Block<double>& matrix, double largest, double tolerance,
                                          const Run& run);

/// By products alone, for matrices that do not fit: block Krylov at both ends.
[[nodiscard]] SpectrumEnds ends_by_products(const SymmetricOperator<double>& op, bool positive_semidefinite,
                                            const Run& run);

/// The largest |eigenvalue|, by products.
[[nodiscard]] double largest_magnitude(const SymmetricOperator<double>& op, const Run& run);

}  // namespace mercer
