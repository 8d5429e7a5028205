// RowSink: the one interface of the writers. Rows arrive in blocks; finish() puts the file in
// place. A label, when given, is written along with the rows, in each format's own way.
#pragma once

#include "data/format.hpp"

#include <memory>

namespace mercer {

template <class T>
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual void append(const MatrixView<T>& rows) = 0;
  virtual void finish() = 0;
};

/// What is the same for all rows.
struct TableShape {
  Index cols = 0;
  std::vector<std::string> columns;  ///< empty: none
  const Label* label = nullptr;      ///< outlives the sink

  [[nodiscard]] const std::string& class_of(Index row) const {
    return label->names[static_cast<std::size_t>(label->codes[static_cast<std::size_t>(row)])];
  }
  /// The label as a number: its value, or the number of its class where classes are words.
  [[nodiscard]] double number_of(Index row) const {
    const auto i = static_cast<std::size_t>(row);
    return label->values.empty() ? static_cast<double>(label->codes[i]) : label->values[i];
  }
};

/// Throws Error{usage} for formats that cannot be written row by row.
template <class T>
[[nodiscard]] std::unique_ptr<RowSink<T>> make_sink(const Location& file, TableShape shape);

template <class T>
[[nodiscard]] std::unique_ptr<RowSink<T>> make_delimited_sink(const Location& file, TableShape shape);
template <class T>
[[nodiscard]] std::unique_ptr<RowSink<T>> make_npy_sink(const Location& file, TableShape shape);
template <class T>
[[nodiscard]] std::unique_ptr<RowSink<T>> make_npz_sink(const Location& file, TableShape shape);
/// libsvm is written whole: only a table's stored entries go out.
template <class T>
void write_libsvm(const Location& file, const Samples<T>& rows, const TableShape& shape);

}  // namespace mercer
