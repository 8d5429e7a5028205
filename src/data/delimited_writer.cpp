// The writer of csv, tsv, txt and dat. Numbers in the shortest form that reads back to the same bits.
#include "data/row_sink.hpp"
#include "data/text_lines.hpp"
#include "data/text_output.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

namespace mercer {

namespace {

constexpr std::size_t flush_size = std::size_t{1} << 20;

template <class T>
class DelimitedSink final : public RowSink<T> {
 public:
  DelimitedSink(const Location& file, TableShape shape)
      : shape_(std::move(shape)),
        delimiter_(file.ending == "csv"   ? ','
                   : file.ending == "tsv" ? '\t'
                                          : blanks),
        output_(file) {
    const bool label_alone = shape_.cols == 0 && shape_.label != nullptr;
    if (shape_.columns.empty() && !label_alone) return;
    for (std::size_t i = 0; i < shape_.columns.size(); ++i) put_text(shape_.columns[i], i == 0);
    if (shape_.label != nullptr) put_text(shape_.label->column, shape_.columns.empty());
    buffer_.push_back('\n');
  }

  void append(const MatrixView<T>& rows) override {
    for (Index i = 0; i < rows.rows(); ++i, ++row_) {
      const T* values = rows.data() + i * rows.outerStride();
      for (Index j = 0; j < rows.cols(); ++j) {
        if (j > 0) buffer_.push_back(delimiter_);
        fmt::format_to(std::back_inserter(buffer_), FMT_COMPILE("{}"), values[j]);
      }
      if (shape_.label != nullptr) put_text(shape_.class_of(row_), rows.cols() == 0);
      buffer_.push_back('\n');
      if (buffer_.size() >= flush_size) flush();
    }
  }

  void finish() override {
    flush();
    output_.finish();
  }

 private:
  void put_text(std::string_view text, bool first) {
    if (!first) buffer_.push_back(delimiter_);
    const bool plain = !text.empty() && text.front() != '#' && trimmed(text).size() == text.size() &&
                       text.find_first_of("\"\r\n") == std::string_view::npos &&
                       text.find(delimiter_) == std::string_view::npos &&
                       (delimiter_ != blanks || text.find('\t') == std::string_view::npos);
    if (plain) {
      buffer_.append(text);
      return;
    }
    buffer_.push_back('"');
    for (const char c : text) {
      if (c == '"') buffer_.push_back('"');
      buffer_.push_back(c);
    }
    buffer_.push_back('"');
  }

  void flush() {
    output_.write(std::string_view(buffer_.data(), buffer_.size()));
    buffer_.clear();
  }

  TableShape shape_;
  char delimiter_;
  TextOutput output_;
  fmt::memory_buffer buffer_;
  Index row_ = 0;
};

}  // namespace

template <class T>
std::unique_ptr<RowSink<T>> make_delimited_sink(const Location& file, TableShape shape) {
  return std::make_unique<DelimitedSink<T>>(file, std::move(shape));
}

template std::unique_ptr<RowSink<float>> make_delimited_sink(const Location&, TableShape);
template std::unique_ptr<RowSink<double>> make_delimited_sink(const Location&, TableShape);

}  // namespace mercer
