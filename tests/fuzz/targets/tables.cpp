// Tables of every format: read whole and in pieces, with and without label and gaps. Both ways must agree.
#include "fuzz/targets.hpp"

#include <mercer/dataset.hpp>
#include <mercer/row_source.hpp>

#include <stdexcept>

namespace mercer::fuzz {

namespace {

constexpr Index most_columns = 4096, most_entries = Index{1} << 18;

/// Rows and columns of the table read piece by piece.
template <class T>
std::pair<Index, Index> streamed(const std::string& path, const ReadOptions& options) {
  const auto rows = open_rows<T>(path, options, 2, small_run());
  Index count = 0;
  for (int pass = 0; pass < 2; ++pass) {  // once more from the top: the same
    Index here = 0;
    for (auto chunk = rows->next(); chunk.rows() > 0; chunk = rows->next()) here += chunk.rows();
    if (pass == 1 && here != count) throw std::logic_error("another number of rows the second time");
    count = here;
    if (pass == 0) rows->rewind();
  }
  return {count, rows->cols()};
}

template <class T>
void read_both_ways(const std::string& path, const ReadOptions& options) {
  Index rows = -1, cols = -1;
  const bool whole = attempt([&] {
    const Dataset<T> data = read_dataset<T>(path, options, small_run());
    rows = data.samples.rows(), cols = data.samples.cols();
    if (!data.columns.empty() && static_cast<Index>(data.columns.size()) != cols)
      throw std::logic_error("columns and names differ");
    if (data.label && static_cast<Index>(data.label->codes.size()) != rows)
      throw std::logic_error("a label for each row");
    if (cols <= most_columns && rows * cols <= most_entries) (void)data.samples.to_dense();
  });
  if (options.transpose) return;
  const bool pieces = attempt([&] {
    const auto [n, d] = streamed<T>(path, options);
    if (whole && (n != rows || (n > 0 && d != cols)))
      throw std::logic_error("a table of another size when it is read in pieces");
  });
  if (whole != pieces) throw std::logic_error("a table is read one way and refused the other");
}

void read_table(const std::string& path) {
  read_both_ways<double>(path, {});
  read_both_ways<float>(path, {.label = "-1", .missing = Missing::drop});
  read_both_ways<double>(path, {.label = "a", .missing = Missing::mean});
  attempt(
      [&] { (void)read_dataset<double>(path, {.missing = Missing::fit, .transpose = true}, small_run()); });
}

}  // namespace

void fuzz_csv(Bytes bytes) { read_table(spill("table.csv", bytes)); }
void fuzz_tsv(Bytes bytes) { read_table(spill("table.tsv", bytes)); }
void fuzz_gz(Bytes bytes) { read_table(spill("table.csv.gz", bytes)); }
void fuzz_libsvm(Bytes bytes) { read_table(spill("table.libsvm", bytes)); }

}  // namespace mercer::fuzz
