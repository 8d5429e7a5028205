// Trials: a case is fitted, and what the model says is compared with the truth.
#pragma once

#include "check_spectrum.hpp"
#include "fit_case.hpp"

#include <mercer/model.hpp>

namespace certify {

/// Runs the case and everything that is claimed of its model; never throws.
[[nodiscard]] Outcome try_case(const FitCase& c);

/// One file a family of methods.
void try_kernel_pca(const FitCase& c, Outcome& out);
void try_pca(const FitCase& c, Outcome& out);  ///< also of basis functions, random features, tables with gaps
void try_discriminant(const FitCase& c, Outcome& out);
void try_map(const FitCase& c, Outcome& out);

// What they share.

[[nodiscard]] mercer::Run run_of(const FitCase& c, int threads);
template <class T>
[[nodiscard]] mercer::Samples<T> samples_of(const FitCase& c, const mercer::Matrix<double>& rows);
/// A few new points: near the rows of the data, one that is a row, one further away.
[[nodiscard]] mercer::Matrix<double> new_points(const FitCase& c);
/// Rows as the model sees them: cast, and scaled as it remembers; checks the scaling itself.
template <class T>
[[nodiscard]] RealMatrix scaled_rows(Outcome& out, const mercer::Matrix<double>& rows,
                                     const mercer::Matrix<double>& fitted, mercer::Scale kind,
                                     const mercer::Scaling<T>* remembered);
/// The model written and read again says and does the same, to the bit.
template <class T>
void check_saved(Outcome& out, const mercer::Model<T>& model, const mercer::Samples<T>& points);
/// Two models are the same to the bit.
template <class T>
void check_same(Outcome& out, const std::string& claim, const mercer::Model<T>& a, const mercer::Model<T>& b,
                const mercer::Samples<T>& points);

template <class T>
[[nodiscard]] RealMatrix widened(const mercer::Matrix<T>& m) {
  return m.template cast<Real>();
}

}  // namespace certify
