// libsvm in pieces. How wide the table is stands nowhere in the file: where the caller does not say,
// a first pass finds the largest column.
#include "data/libsvm_rows.hpp"
#include "data/line_stream.hpp"
#include "data/row_reader.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

namespace mercer {

namespace {

template <class T>
class LibsvmRowReader final : public RowReader<T> {
 public:
  LibsvmRowReader(const Location& file, const ReadOptions& options, const Run& run)
      : where_(file.shown()),
        missing_(options.missing),
        run_(run),
        lines_(file),
        rows_(where_, missing_),
        cols_(options.features) {
    require_libsvm_label(options.label, where_);
    const auto first = lines_.ahead(1, LibsvmRows<T>::is_row);
    if (first.text.empty()) throw Error(ErrorCode::bad_data, fmt::format("{}: the file is empty", where_));
    if (first.rows == 0) throw Error(ErrorCode::bad_data, fmt::format("{}: the file has no rows", where_));
    skip_mark();
    if (cols_ == 0) find_width();
  }

  [[nodiscard]] Index cols() const override { return cols_; }
  [[nodiscard]] const std::vector<std::string>& columns() const override { return no_names_; }
  [[nodiscard]] std::string label_column() const override { return "label"; }
  /// The width says nothing about how much is stored.
  [[nodiscard]] Index usual_chunk() const override { return 4096; }

  RawTable<T> read(Index most) override {
    parse(most);
    if (rows_.width() > cols_) require_features(rows_.width(), cols_, where_);
    return rows_.take(cols_);
  }

  [[nodiscard]] bool can_rewind() const override { return lines_.can_rewind(); }
  void rewind() override {
    lines_.rewind();
    skip_mark();
    rows_ = LibsvmRows<T>(where_, missing_);
  }
  [[nodiscard]] double fraction() const override { return lines_.fraction(); }

 private:
  /// Over the byte order mark, if there is one.
  void skip_mark() {
    if (lines_.ahead(1, LibsvmRows<T>::is_row).text.substr(0, 3) == "\xef\xbb\xbf") lines_.skip(3);
  }

  void parse(Index most) {
    const auto piece = lines_.ahead(most, LibsvmRows<T>::is_row);
    rows_.parse(piece.text, run_);
    lines_.skip(piece.text.size());
  }

  void find_width() {
    if (!lines_.can_rewind())
      throw Error(ErrorCode::usage, fmt::format("{}: how many columns a stream has is not known", where_),
                  "save it to a file first");
    for (;;) {
      parse(usual_chunk());
      if (rows_.rows() == 0) break;
      (void)rows_.take(rows_.width());
    }
    cols_ = rows_.width();
    if (cols_ == 0) throw Error(ErrorCode::bad_data, fmt::format("{}: no row has a value", where_));
    rewind();
  }

  std::string where_;
  Missing missing_;
  Run run_;
  LineStream lines_;
  LibsvmRows<T> rows_;
  Index cols_;
  std::vector<std::string> no_names_;
};

}  // namespace

template <class T>
std::unique_ptr<RowReader<T>> open_libsvm(const Location& file, const ReadOptions& options, const Run& run) {
  return std::make_unique<LibsvmRowReader<T>>(file, options, run);
}

template std::unique_ptr<RowReader<float>> open_libsvm(const Location&, const ReadOptions&, const Run&);
template std::unique_ptr<RowReader<double>> open_libsvm(const Location&, const ReadOptions&, const Run&);

}  // namespace mercer
