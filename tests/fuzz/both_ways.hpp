// A table read whole and read in pieces: the same numbers, or refused both ways.
#pragma once

#include "fuzz/targets.hpp"

#include <mercer/dataset.hpp>
#include <mercer/row_source.hpp>

#include <optional>
#include <stdexcept>

namespace mercer::fuzz {

constexpr Index most_columns = 4096, most_entries = Index{1} << 18;

/// Bit by bit but for the sign of zero; gaps are where gaps are.
template <class A, class B>
bool same_numbers(const A& a, const B& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         (a.array() == b.array() || (a.array() != a.array() && b.array() != b.array())).all();
}

/// Twice over the table, `chunk` rows at a time; `whole` is what it must hold, if that is known.
template <class T>
void read_in_pieces(const std::string& path, const ReadOptions& options, Index chunk,
                    const std::optional<Dataset<T>>& whole) {
  const auto rows = open_rows<T>(path, options, chunk, small_run());
  std::optional<Matrix<T>> expected;
  if (whole && whole->samples.cols() <= most_columns &&
      whole->samples.rows() * whole->samples.cols() <= most_entries)
    expected = whole->samples.to_dense();
  if (whole && rows->columns() != whole->columns)
    throw std::logic_error("other names when it is read in pieces");
  Index count = 0;
  for (int pass = 0; pass < 2; ++pass) {  // once more from the top: the same
    Index here = 0;
    for (auto piece = rows->next(); piece.rows() > 0; piece = rows->next()) {
      if (piece.cols() != rows->cols()) throw std::logic_error("rows of another width");
      if (expected && (here + piece.rows() > expected->rows() ||
                       !same_numbers(expected->middleRows(here, piece.rows()), piece.to_dense())))
        throw std::logic_error("other numbers when it is read in pieces");
      here += piece.rows();
    }
    if (pass == 1 && here != count) throw std::logic_error("another number of rows the second time");
    count = here;
    if (pass == 0) rows->rewind();
  }
  if (whole && (count != whole->samples.rows() || (count > 0 && rows->cols() != whole->samples.cols())))
    throw std::logic_error("a table of another size when it is read in pieces");
}

template <class T>
void read_both_ways(const std::string& path, const ReadOptions& options, Index chunk = 2) {
  std::optional<Dataset<T>> data;
  const bool whole = attempt([&] {
    data = read_dataset<T>(path, options, small_run());
    if (!data->columns.empty() && static_cast<Index>(data->columns.size()) != data->samples.cols())
      throw std::logic_error("columns and names differ");
    if (data->label && static_cast<Index>(data->label->codes.size()) != data->samples.rows())
      throw std::logic_error("a label for each row");
  });
  const bool pieces = attempt([&] { read_in_pieces(path, options, chunk, data); });
  if (whole != pieces) throw std::logic_error("a table is read one way and refused the other");
}

}  // namespace mercer::fuzz
