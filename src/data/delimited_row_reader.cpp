// csv, tsv, txt and dat in pieces: the layout from the first lines, then so many lines at a time
// through the same parser that reads whole files.
#include "data/delimited_layout.hpp"
#include "data/delimited_rows.hpp"
#include "data/line_stream.hpp"
#include "data/row_reader.hpp"

namespace mercer {

namespace {

template <class T>
class DelimitedRowReader final : public RowReader<T> {
 public:
  DelimitedRowReader(const Location& file, const ReadOptions& options, const Run& run)
      : where_(file.shown()), missing_(options.missing), run_(run), lines_(file) {
    run_.progress = nullptr;  // the parser's is of one piece; whoever asks for the rows reports
    const std::string_view beginning = first_lines();
    layout_ = find_layout(beginning, file.ending, options.label, where_);
    body_ = static_cast<std::size_t>(layout_.body.data() - beginning.data());
    first_line_ = layout_.body_line;
    lines_.skip(body_);
    for (Index i = 0; i < static_cast<Index>(layout_.names.size()); ++i)
      if (i != layout_.label) columns_.push_back(layout_.names[static_cast<std::size_t>(i)]);
  }

  [[nodiscard]] Index cols() const override { return layout_.features(); }
  [[nodiscard]] const std::vector<std::string>& columns() const override { return columns_; }
  [[nodiscard]] std::string label_column() const override { return layout_.label_name(); }

  RawTable<T> read(Index most) override {
    const auto piece =
        lines_.ahead(most, [&](std::string_view line) { return !is_blank_line(line, layout_.delimiter); });
    layout_.body = piece.text;
    auto rows = parse_rows<T>(layout_, missing_, where_, run_);
    layout_.body_line += piece.lines;
    lines_.skip(piece.text.size());

    RawTable<T> out;
    out.samples = std::move(rows.values);
    out.has_missing = rows.has_missing;
    if (layout_.label >= 0) out.label = RawLabel{{}, std::move(rows.labels), {}, std::move(rows.owner)};
    return out;
  }

  [[nodiscard]] bool can_rewind() const override { return lines_.can_rewind(); }
  void rewind() override {
    lines_.rewind();
    (void)first_lines();
    lines_.skip(body_);
    layout_.body_line = first_line_;
  }
  [[nodiscard]] double fraction() const override { return lines_.fraction(); }

 private:
  /// Enough to find the layout from; a comment at the top may be long.
  std::string_view first_lines() {
    return lines_
        .ahead(layout_lines,
               [](std::string_view line) {
                 return !is_blank_line(line, '\t') && trimmed(line).substr(0, 1) != "#";
               })
        .text;
  }

  std::string where_;
  Missing missing_;
  Run run_;
  LineStream lines_;
  DelimitedLayout layout_;
  std::size_t body_ = 0;
  Index first_line_ = 1;
  std::vector<std::string> columns_;
};

}  // namespace

template <class T>
std::unique_ptr<RowReader<T>> open_delimited(const Location& file, const ReadOptions& options,
                                             const Run& run) {
  return std::make_unique<DelimitedRowReader<T>>(file, options, run);
}

template std::unique_ptr<RowReader<float>> open_delimited(const Location&, const ReadOptions&, const Run&);
template std::unique_ptr<RowReader<double>> open_delimited(const Location&, const ReadOptions&, const Run&);

}  // namespace mercer
