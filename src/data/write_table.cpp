// write_table and TableWriter: both feed a RowSink, one all at once, the other as rows come. Sparse
// rows are written out densely a block at a time, so memory does not grow with the table.
#include "data/row_sink.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace mercer {

namespace {

bool is_libsvm(const Location& file) { return file.ending == "libsvm" || file.ending == "svm"; }

TableShape checked_shape(Index cols, const std::vector<std::string>& columns, const Label* label) {
  if (cols < 1 && label == nullptr)
    throw Error(ErrorCode::usage, "a table without columns cannot be written");
  if (!columns.empty() && static_cast<Index>(columns.size()) != cols)
    throw Error(ErrorCode::usage, fmt::format("{} column names for {} columns", columns.size(), cols));
  return {cols, columns, label};
}

}  // namespace

template <class T>
std::unique_ptr<RowSink<T>> make_sink(const Location& file, TableShape shape) {
  if (file.ending == "npy") return make_npy_sink<T>(file, std::move(shape));
  if (file.ending == "npz") return make_npz_sink<T>(file, std::move(shape));
  if (is_libsvm(file))
    throw Error(ErrorCode::usage, fmt::format("{}: libsvm files cannot be written row by row", file.path),
                "write .csv, .tsv, .npy or .npz, then convert it");
  return make_delimited_sink<T>(file, std::move(shape));
}

template <class T>
void write_table(const std::string& path, const Samples<T>& rows, const std::vector<std::string>& columns,
                 const std::optional<Label>& label) {
  const Location file = locate(path);
  const TableShape shape = checked_shape(rows.cols(), columns, label ? &*label : nullptr);
  if (label && static_cast<Index>(label->codes.size()) != rows.rows())
    throw Error(ErrorCode::usage, fmt::format("{} labels for {} rows", label->codes.size(), rows.rows()));
  if (is_libsvm(file)) return write_libsvm(file, rows, shape);
  const auto sink = make_sink<T>(file, shape);
  const Index block = std::max<Index>(1, (Index{1} << 18) / std::max<Index>(1, rows.cols()));
  for (Index first = 0; first < rows.rows(); first += block) {
    const Index count = std::min(block, rows.rows() - first);
    if (rows.is_sparse())
      sink->append(rows.dense_rows(first, count));
    else
      sink->append(rows.dense().middleRows(first, count));
  }
  sink->finish();
}

template <class T>
struct TableWriter<T>::Impl {
  std::string path;
  Index cols;
  std::unique_ptr<RowSink<T>> sink;
};

template <class T>
TableWriter<T>::TableWriter(const std::string& path, Index cols, const std::vector<std::string>& columns)
    : impl_(std::make_unique<Impl>(
          Impl{path, cols, make_sink<T>(locate(path), checked_shape(cols, columns, nullptr))})) {}

template <class T>
TableWriter<T>::~TableWriter() = default;
template <class T>
TableWriter<T>::TableWriter(TableWriter&&) noexcept = default;
template <class T>
TableWriter<T>& TableWriter<T>::operator=(TableWriter&&) noexcept = default;

template <class T>
void TableWriter<T>::append(const MatrixView<T>& rows) {
  if (rows.cols() != impl_->cols)
    throw Error(ErrorCode::usage, fmt::format("{}: rows of {} columns in a table of {}", impl_->path,
                                              rows.cols(), impl_->cols));
  if (impl_->sink == nullptr)
    throw Error(ErrorCode::usage, fmt::format("{}: the table is finished", impl_->path));
  impl_->sink->append(rows);
}

template <class T>
void TableWriter<T>::finish() {
  if (impl_->sink == nullptr) return;
  impl_->sink->finish();
  impl_->sink.reset();
}

template std::unique_ptr<RowSink<float>> make_sink(const Location&, TableShape);
template std::unique_ptr<RowSink<double>> make_sink(const Location&, TableShape);
template void write_table(const std::string&, const Samples<float>&, const std::vector<std::string>&,
                          const std::optional<Label>&);
template void write_table(const std::string&, const Samples<double>&, const std::vector<std::string>&,
                          const std::optional<Label>&);
template class TableWriter<float>;
template class TableWriter<double>;

}  // namespace mercer
