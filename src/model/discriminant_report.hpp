// What the report of a discriminant says of its directions.
#pragma once

#include <mercer/discriminant.hpp>

#include "spectral/discriminant.hpp"

namespace mercer {

/// Throws Error{usage} for a ridge, route or scale that kernel discriminants do not have.
void require_options(const KernelDiscriminantOptions& options);

/// Throws Error{bad_data} when the class means are equal up to rounding: there is no direction then.
void require_distinct_means(const Block<double>& means, const Block<double>& between,
                            const std::vector<Index>& sizes, double epsilon);

/// How many directions there can be, and how many are wanted; throws Error{usage} below 0.
[[nodiscard]] Index wanted_directions(Index asked, std::size_t classes);

/// λ as eigenvalues, their shares of tr (N + μI)⁻¹M, residuals; n, sizes, ridge.
void fill_discriminant_report(Report& report, const DiscriminantDirections& found, Vector<double> residuals,
                              Index requested, std::vector<Index> sizes, double ridge);

/// Directions scaled so that the pooled variance of the scores within classes is 1 but for the ridge:
/// αᵀ(N + μI)α = n − c.
[[nodiscard]] double score_scale(Index n, std::size_t classes);

}  // namespace mercer
