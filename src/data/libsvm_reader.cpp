// The reader of libsvm / svmlight text: `target index:value ...` a line, indices from 1 and
// ascending, '#' begins a comment. Gives CSR samples; the target is the label.
#include "data/file_bytes.hpp"
#include "data/format.hpp"
#include "data/number.hpp"
#include "data/text_lines.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <charconv>
#include <limits>

namespace mercer {

namespace {

constexpr std::int64_t largest_index = std::numeric_limits<std::int32_t>::max();

template <class T>
class LibsvmParser {
 public:
  LibsvmParser(const Location& file, const ReadOptions& options)
      : where_(file.shown()), missing_(options.missing) {}

  void parse(std::string_view text, const Run& run) {
    if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
    while (!text.empty()) {
      std::string_view line = take_line(text);
      ++line_number_;
      if ((line_number_ & 0xfff) == 0) run.check();
      line = line.substr(0, line.find('#'));
      if (is_blank_line(line, blanks)) continue;
      parse_line(line);
    }
    if (rows_.size() == 1) throw Error(ErrorCode::bad_data, fmt::format("{}: the file has no rows", where_));
  }

  RawTable<T> table(const ReadOptions& options, std::shared_ptr<const void> owner) {
    RawTable<T> out;
    const auto rows = static_cast<Index>(rows_.size()) - 1;
    const Index cols = std::max<Index>(options.features, width_);
    if (cols == 0) throw Error(ErrorCode::bad_data, fmt::format("{}: no row has a value", where_));
    out.samples = SparseMatrix<T>(Eigen::Map<const SparseMatrix<T>>(
        rows, cols, static_cast<Index>(values_.size()), rows_.data(), columns_.data(), values_.data()));
    out.has_missing = has_missing_;
    if (!targets_.empty()) out.label = RawLabel{"label", std::move(targets_), {}, std::move(owner)};
    return out;
  }

 private:
  void parse_line(std::string_view line) {
    FieldCursor cursor(line, blanks);
    std::int64_t before = 0;
    field_ = 0;
    for (Field f; cursor.next(f);) {
      ++field_;
      const auto colon = f.text.find(':');
      if (field_ == 1) {
        const bool has_target = colon == std::string_view::npos;
        if (rows_.size() == 1) expects_target_ = has_target;
        if (has_target != expects_target_)
          fail(fmt::format(
                   "'{}' {}", f.text,
                   has_target ? "is a target, but the first row has none" : "where the target belongs"),
               "a target in every row or in none");
        if (has_target) {
          add_target(f.text);
          continue;
        }
      }
      if (colon == std::string_view::npos)
        fail(fmt::format("'{}' is not index:value", f.text), "libsvm rows read 'target 1:0.5 7:2'");
      if (f.text.substr(0, colon) == "qid") continue;  // groups rows for ranking; not a feature
      add_entry(f.text, colon, before);
    }
    rows_.push_back(static_cast<std::int64_t>(values_.size()));
  }

  void add_target(std::string_view text) {
    if (!is_missing_token(text)) {
      targets_.push_back(text);
      return;
    }
    if (missing_ != Missing::drop)
      fail(fmt::format("'{}' is not a class", text), "drop such rows with --missing drop");
    has_missing_ = true;
    targets_.emplace_back();
  }

  void add_entry(std::string_view text, std::size_t colon, std::int64_t& before) {
    std::int64_t index = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + colon, index);
    if (parsed.ec != std::errc{} || parsed.ptr != text.data() + colon || index > largest_index || index < 0)
      fail(fmt::format("'{}' is not a column number", text.substr(0, colon)), "columns count from 1");
    if (index == 0) fail("column 0", "libsvm columns count from 1");
    if (index <= before)
      fail(fmt::format("column {} after column {}", index, before), "columns must ascend in a row");
    before = index;
    T value = 0;
    const auto token = text.substr(colon + 1);
    const NumberKind kind = parse_number(token, value);
    if (kind == NumberKind::infinite)
      fail(fmt::format("'{}' is not a finite number in column {}", token, index), "correct or remove it");
    if (kind == NumberKind::not_a_number) {
      if (!is_missing_token(token))
        fail(fmt::format("'{}' is not a number in column {}", token, index), "correct or remove it");
      if (missing_ == Missing::error)
        fail(fmt::format("'{}' is not a number in column {}", token, index),
             "drop such rows with --missing drop");
      has_missing_ = true;
      value = std::numeric_limits<T>::quiet_NaN();
    }
    width_ = std::max<Index>(width_, index);
    columns_.push_back(index - 1);
    values_.push_back(value);
  }

  [[noreturn]] void fail(const std::string& what, const std::string& hint) const {
    throw Error(ErrorCode::bad_data, fmt::format("{}:{}:{}: {}", where_, line_number_, field_, what), hint);
  }

  std::string where_;
  Missing missing_;
  Index line_number_ = 0, field_ = 0, width_ = 0;
  bool expects_target_ = true, has_missing_ = false;
  std::vector<std::int64_t> rows_{0}, columns_;
  std::vector<T> values_;
  std::vector<std::string_view> targets_;
};

}  // namespace

template <class T>
RawTable<T> read_libsvm(const Location& file, const ReadOptions& options, const Run& run) {
  if (!options.label.empty() && options.label != "label" && options.label != "0")
    throw Error(ErrorCode::usage, fmt::format("{}: no label column '{}'", file.shown(), options.label),
                "in libsvm files the label is the first number of a row, called 'label'");
  const FileBytes bytes = file.gzip ? gunzip_file(file.path) : map_file(file.path);
  if (bytes.text.empty())
    throw Error(ErrorCode::bad_data, fmt::format("{}: the file is empty", file.shown()));
  LibsvmParser<T> parser(file, options);
  parser.parse(bytes.text, run);
  return parser.table(options, bytes.owner);
}

template RawTable<float> read_libsvm(const Location&, const ReadOptions&, const Run&);
template RawTable<double> read_libsvm(const Location&, const ReadOptions&, const Run&);

}  // namespace mercer
