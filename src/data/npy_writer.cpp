// The writer of .npy: float32 or float64 rows in C order; a label becomes the last column.
#include "data/npy_stream.hpp"
#include "data/row_sink.hpp"

namespace mercer {

template <class T>
NpyStream<T>::NpyStream(AtomicFile& file, Index cols) : file_(file), cols_(cols) {
  file_.write(std::string(npy_written_header, ' '));
}

template <class T>
void NpyStream<T>::append(const MatrixView<T>& rows) {
  const auto width = static_cast<std::size_t>(rows.cols()) * sizeof(T);
  rows_ += rows.rows();
  if (rows.outerStride() == rows.cols()) {
    file_.write(rows.data(), width * static_cast<std::size_t>(rows.rows()));
    return;
  }
  for (Index i = 0; i < rows.rows(); ++i) file_.write(rows.data() + i * rows.outerStride(), width);
}

template <class T>
void NpyStream<T>::append(const MatrixView<T>& rows, const std::vector<T>& last_column) {
  Matrix<T> wide(rows.rows(), rows.cols() + 1);
  wide.leftCols(rows.cols()) = rows;
  for (Index i = 0; i < rows.rows(); ++i) wide(i, rows.cols()) = last_column[static_cast<std::size_t>(i)];
  append(wide);
}

template <class T>
void NpyStream<T>::close() {
  const std::string header = format_npy_header(sizeof(T) == 4 ? "<f4" : "<f8", {rows_, cols_});
  file_.write_at(0, header.data(), header.size());
}

template class NpyStream<float>;
template class NpyStream<double>;

namespace {

template <class T>
class NpySink final : public RowSink<T> {
 public:
  NpySink(const Location& file, TableShape shape)
      : shape_(std::move(shape)),
        file_(file.path),
        stream_(file_, shape_.cols + (shape_.label != nullptr ? 1 : 0)) {}

  void append(const MatrixView<T>& rows) override {
    if (shape_.label == nullptr) {
      stream_.append(rows);
      return;
    }
    std::vector<T> numbers(static_cast<std::size_t>(rows.rows()));
    for (T& number : numbers) number = static_cast<T>(shape_.number_of(row_++));
    stream_.append(rows, numbers);
  }

  void finish() override {
    stream_.close();
    file_.commit();
  }

 private:
  TableShape shape_;
  AtomicFile file_;
  NpyStream<T> stream_;
  Index row_ = 0;
};

}  // namespace

template <class T>
std::unique_ptr<RowSink<T>> make_npy_sink(const Location& file, TableShape shape) {
  return std::make_unique<NpySink<T>>(file, std::move(shape));
}

template std::unique_ptr<RowSink<float>> make_npy_sink(const Location&, TableShape);
template std::unique_ptr<RowSink<double>> make_npy_sink(const Location&, TableShape);

}  // namespace mercer
