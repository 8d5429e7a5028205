// read_dataset: the format's reader, then what is the same for every format: transposing, missing
// values, the number of features, and the classes of the label.
#include "data/format.hpp"
#include "data/label.hpp"
#include "data/missing.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <new>
#include <numeric>

namespace mercer {

namespace {

template <class T>
Samples<T> transposed(const Samples<T>& samples) {
  if (samples.is_sparse()) return SparseMatrix<T>(SparseMatrix<T>(samples.sparse()).transpose());
  return Matrix<T>(samples.dense().transpose());
}

/// A file that is not there is told before an ending that is not known.
Location locate_input(const std::string& path) {
  try {
    return locate(path);
  } catch (const Error&) {
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) throw;
    throw Error(ErrorCode::no_input, fmt::format("{}: no such file", path), "check the name and the folder");
  }
}

void check_features(Index found, Index expected, const std::string& where) {
  if (expected == 0 || found == expected) return;
  throw Error(ErrorCode::bad_data,
              fmt::format("{}: {} feature{}, expected {}", where, found, found == 1 ? "" : "s", expected),
              "columns that are not features are named with --label");
}

template <class T>
Dataset<T> finished(RawTable<T> table, const ReadOptions& options, const std::string& where) {
  Dataset<T> out;
  if (options.transpose) {
    table.samples = transposed(table.samples);
    table.columns.clear();
    table.label.reset();
  }
  check_features(table.samples.cols(), options.features, where);
  std::vector<Index> rows(static_cast<std::size_t>(table.samples.rows()));
  std::iota(rows.begin(), rows.end(), Index{0});
  if (table.has_missing && options.missing == Missing::drop) {
    rows = complete_rows(table);
    out.dropped = table.samples.rows() - static_cast<Index>(rows.size());
    if (rows.empty())
      throw Error(ErrorCode::bad_data, fmt::format("{}: every row has a missing value; none is left", where),
                  "fill the gaps with --missing mean");
    table.samples = table.samples.select_rows(rows);
  } else if (table.has_missing && options.missing == Missing::mean) {
    table.samples = fill_with_means(table.samples, table.columns, where);
  }
  out.samples = std::move(table.samples);
  out.columns = std::move(table.columns);
  if (table.label) out.label = make_label(*table.label, rows);
  return out;
}

}  // namespace

template <class T>
Dataset<T> read_dataset(const std::string& path, const ReadOptions& options, const Run& run) {
  const Location file = locate_input(path);
  if (options.transpose && !options.label.empty())
    throw Error(ErrorCode::usage, "--label and --transpose exclude each other",
                "transpose the file, or leave the label out");
  try {
    run.report("read", 0);
    auto out = finished(reader_of<T>(file)(file, options, run), options, file.shown());
    run.report("read", 1);
    return out;
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::no_memory, fmt::format("{}: does not fit in memory", file.shown()),
                "--precision float needs half as much");
  }
}

template Dataset<float> read_dataset(const std::string&, const ReadOptions&, const Run&);
template Dataset<double> read_dataset(const std::string&, const ReadOptions&, const Run&);

}  // namespace mercer
