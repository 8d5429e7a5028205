// Passes over rows that come in chunks: visiting, collecting some of them, taking the scaling from all.
#pragma once

#include <mercer/row_source.hpp>
#include <mercer/run.hpp>
#include <mercer/scaling.hpp>

#include <vector>

namespace mercer {

/// visit(chunk, number of its first row), from the top; returns the number of rows.
template <class T, class Visit>
Index for_each_chunk(RowSource<T>& rows, const Run& run, Visit&& visit) {
  rows.rewind();
  Index seen = 0;
  while (true) {
    run.check();
    const Samples<T> chunk = rows.next();
    if (chunk.rows() == 0) return seen;
    visit(chunk, seen);
    seen += chunk.rows();
  }
}

/// One below the other, all dense or all CSR, of the same width.
template <class T>
[[nodiscard]] Samples<T> stacked(const std::vector<Samples<T>>& parts, Index cols);

/// The rows with these numbers (ascending), with their own memory.
template <class T>
[[nodiscard]] Samples<T> gather_rows(RowSource<T>& rows, const std::vector<Index>& which, const Run& run);

/// Whether every number is 0.
template <class T>
[[nodiscard]] bool is_zero(const Samples<T>& samples);
/// The same of scaled rows.
template <class T>
[[nodiscard]] bool is_zero(RowSource<T>& rows, const Scaling<T>& scaling, const Run& run);

/// What there is to know before anything else, from one pass.
template <class T>
struct RowSurvey {
  Index rows = 0;
  double entries = 0, bytes = 0;  ///< of all rows
  Scaling<T> scaling;
};
/// Throws Error{bad_data} where a value is not finite, naming its row.
template <class T>
[[nodiscard]] RowSurvey<T> survey(RowSource<T>& rows, Scale kind, const Run& run);

}  // namespace mercer
