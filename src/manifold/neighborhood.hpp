// A point and its neighbours written out, for the small dense problem that each point poses: in double,
// sparse rows over the columns that they use alone.
#pragma once

#include <mercer/samples.hpp>

#include <cstdint>
#include <span>

namespace mercer {

/// out = x_j − x, a row for each of the neighbours j among `points`; x is row `i` of `others` (of the same
/// form, dense or sparse, and often the same samples).
template <class T>
void neighbor_differences(const Samples<T>& points, std::span<const std::int32_t> neighbors,
                          const Samples<T>& others, Index i, Matrix<double>& out);

/// Eigenpairs of the Gram matrix C Cᵀ of these rows, the largest first. As many as rows; those beyond the
/// number of columns have the eigenvalue 0, none has one below.
struct LocalSpectrum {
  Vector<double> values;
  Block<double> vectors;
};
void local_spectrum(const Matrix<double>& rows, LocalSpectrum& out);

/// Barycentric coordinates of the origin among the rows C: the w with Σw = 1 that solves (CCᵀ + r·tr(CCᵀ) I)
/// w ∝ 1.
[[nodiscard]] Vector<double> barycentric_weights(const Matrix<double>& rows, double regularization);

}  // namespace mercer
