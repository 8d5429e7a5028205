// RowSource<T>: rows of a table that need not fit in memory, a chunk at a time and as often as the
// work needs them: a file (src/data/open_rows.cpp) or samples that are already there.
//
//     auto rows = mercer::open_rows<double>("huge.csv", {.label = "class"});
//     for (auto chunk = rows->next(); chunk.rows() > 0; chunk = rows->next()) use(chunk);
//     rows->rewind();                                                    // once more from the top
#pragma once

#include <mercer/dataset.hpp>

#include <memory>

namespace mercer {

template <class T>
class RowSource {
 public:
  virtual ~RowSource() = default;
  RowSource(const RowSource&) = delete;
  RowSource& operator=(const RowSource&) = delete;

  [[nodiscard]] virtual Index cols() const = 0;  ///< features
  /// Names of the features; empty when there are none.
  [[nodiscard]] virtual const std::vector<std::string>& columns() const = 0;
  /// The column that was named as label and left out, by its name in the file; empty when there is none.
  [[nodiscard]] virtual std::string label_column() const { return {}; }
  /// The next rows, in order; 0 rows at the end. Valid until the next call.
  [[nodiscard]] virtual Samples<T> next() = 0;
  /// Back to the first row. Throws Error{usage} where that is impossible (standard input).
  virtual void rewind() = 0;

  /// Rows left out by Missing::drop since the top.
  [[nodiscard]] virtual Index dropped() const { return 0; }
  /// The share of the table that has been given, for progress; 0 where the whole is not known.
  [[nodiscard]] virtual double fraction() const { return 0; }

 protected:
  RowSource() = default;
};

/// A file in any format that read_dataset knows, with the same meaning of header, label and missing
/// values and the same errors; a label's values are not kept. Rows are read `chunk` at a time (0: about
/// 8 MB of numbers), fewer where some are dropped. npy is mapped, npz unpacked (whole only in Fortran
/// order) and text parsed chunk by chunk, so that memory does not grow with the file. Missing::mean and
/// libsvm without options.features read it twice. Throws Error{usage} for options.transpose.
template <class T>
[[nodiscard]] std::unique_ptr<RowSource<T>> open_rows(const std::string& path,
                                                      const ReadOptions& options = {}, Index chunk = 0,
                                                      const Run& run = {});

/// Samples already in memory; no copy is made.
template <class T>
[[nodiscard]] std::unique_ptr<RowSource<T>> rows_of(const Samples<T>& samples, Index chunk = 0);

}  // namespace mercer
