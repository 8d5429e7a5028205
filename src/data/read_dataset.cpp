// read_dataset: the format's reader, then what is the same for every format: transposing, missing
// values, the number of features, and the classes of the label.
#include "base/memory.hpp"
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
Samples<T> transposed(const Samples<T>& samples, const std::string& where, const Run& run) {
  if (!samples.is_sparse()) return Matrix<T>(samples.dense().transpose());
  // A column without entries takes no room in the file, but as a row it takes some in memory.
  const double bytes = 2.0 * sizeof(Index) * double(samples.cols());
  if (bytes > double(run.memory_budget()))
    throw Error(
        ErrorCode::no_memory,
        fmt::format("{}: transposed it has {} rows, which need {}, and the memory budget is {}", where,
                    samples.cols(), format_bytes(bytes), format_bytes(double(run.memory_budget()))),
        "raise --memory");
  return SparseMatrix<T>(samples.sparse().transpose());
}

template <class T>
Dataset<T> finished(RawTable<T> table, const ReadOptions& options, const std::string& where, const Run& run) {
  Dataset<T> out;
  if (options.transpose) {
    table.samples = transposed(table.samples, where, run);
    table.columns.clear();
    table.label.reset();
  }
  require_features(table.samples.cols(), options.features, where);
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
    ColumnMeans means;
    means.add(table, where);
    means.check(table.columns, where);
    table.samples = means.fill(table.samples);
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
    auto out = finished(reader_of<T>(file)(file, options, run), options, file.shown(), run);
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
