// Dataset: samples with their column names and, where a column was named as label, the classes;
// and the readers and writers of files. The format follows from the file's ending
// (csv, tsv, txt, dat, npy, npz, npz:array, libsvm, svm; text formats also with .gz), '-' is CSV
// on stdin or stdout.
//
//     auto iris = mercer::read_dataset<double>("iris.csv", {.label = "species"});
//     iris.samples.rows(), iris.label->names, iris.label->codes
#pragma once

#include <mercer/run.hpp>
#include <mercer/samples.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mercer {

/// A column that is not a feature. Classes are numbered in the order of `names`: sorted, as
/// numbers when all of them are numbers. A model that was fitted in passes, updated or merged knows
/// of its label the column alone.
struct Label {
  std::string column;                    ///< its name in the file
  std::vector<std::string> names = {};   ///< distinct values
  std::vector<std::int32_t> codes = {};  ///< one a row, index into names
  /// The column as numbers when every value is one (a colour scale); otherwise empty.
  std::vector<double> values = {};
};

/// Classes from words, one a sample; numbered as in a file.
[[nodiscard]] Label make_label(std::string column, const std::vector<std::string>& values);

template <class T>
struct Dataset {
  Samples<T> samples;
  std::vector<std::string> columns;  ///< one a feature; empty when the file has no names
  std::optional<Label> label;
  Index dropped = 0;  ///< rows left out by Missing::drop
};

/// fit: gaps stay (NaN, or not stored in sparse data) for a method that estimates them, such as MissingPca.
enum class Missing { error, drop, mean, fit };
[[nodiscard]] Missing parse_missing(std::string_view name);

struct ReadOptions {
  /// Column name or 0-based index (negative: from the end), or an array of an npz; empty: none.
  std::string label = {};
  Missing missing = Missing::error;
  bool transpose = false;  ///< columns are samples
  Index features = 0;      ///< expected number of features (libsvm widens to it); 0: any
};

/// Reads a whole file. npy of the same type is memory-mapped, not copied.
template <class T>
[[nodiscard]] Dataset<T> read_dataset(const std::string& path, const ReadOptions& options = {},
                                      const Run& run = {});

/// Rows x columns of numbers, with names, and optionally a label column at the end (which may be all).
/// Written to a temporary file and renamed, so that a failed run leaves nothing behind. npz holds
/// the arrays `data`, `columns` and the label under its own name; npy has the label as last column.
template <class T>
void write_table(const std::string& path, const Samples<T>& rows,
                 const std::vector<std::string>& columns = {},
                 const std::optional<Label>& label = std::nullopt);

/// Writes a table bit by bit in the same formats and with the same promise (text and npy; npz is
/// assembled at finish()). finish() renames the file into place; without it nothing remains.
template <class T>
class TableWriter {
 public:
  TableWriter(const std::string& path, Index cols, const std::vector<std::string>& columns = {});
  ~TableWriter();
  TableWriter(TableWriter&&) noexcept;
  TableWriter& operator=(TableWriter&&) noexcept;
  void append(const MatrixView<T>& rows);
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mercer
