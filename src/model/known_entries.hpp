// The entries of a table that are known, as CSR in double: all but the NaN of dense data, the stored ones of
// sparse data. Nothing is filled in.
#pragma once

#include <mercer/samples.hpp>
#include <mercer/scaling.hpp>

#include <utility>

namespace mercer {

/// Throws Error{bad_data} for an infinity.
template <class T>
[[nodiscard]] SparseMatrix<double> known_entries(const Samples<T>& samples);

/// How many there are, without making them.
template <class T>
[[nodiscard]] Index count_known(const Samples<T>& samples);

/// Throws Error{bad_data} naming the first row or column without any entry.
void require_something_known(const SparseMatrix<double>& known);

/// The scaling that the known entries of each column ask for, and the same entries scaled by it.
template <class T>
[[nodiscard]] Scaling<T> scaling_of_known(Scale kind, const SparseMatrix<double>& known);
template <class T>
void scale_known(const Scaling<T>& scaling, SparseMatrix<double>& known);

/// A share of the entries, drawn at random, apart from the rest: {rest, hidden}. Every row and every column
/// keeps at least one.
[[nodiscard]] std::pair<SparseMatrix<double>, SparseMatrix<double>> hide_some(
    const SparseMatrix<double>& known, double share, std::uint64_t seed);

}  // namespace mercer
