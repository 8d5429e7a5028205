// Parsing libsvm rows.
#include "data/libsvm_rows.hpp"
#include "base/csr.hpp"

#include "data/number.hpp"
#include "data/text_lines.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace mercer {

namespace {

constexpr std::int64_t largest_index = std::numeric_limits<std::int32_t>::max();

std::string_view without_comment(std::string_view line) { return line.substr(0, line.find('#')); }

}  // namespace

template <class T>
bool LibsvmRows<T>::is_row(std::string_view line) {
  return !is_blank_line(without_comment(line), blanks);
}

template <class T>
void LibsvmRows<T>::parse(std::string_view text, const Run& run) {
  while (!text.empty()) {
    const std::string_view line = without_comment(take_line(text));
    ++line_number_;
    if ((line_number_ & 0xfff) == 0) run.check();
    if (!is_blank_line(line, blanks)) parse_line(line);
  }
}

template <class T>
RawTable<T> LibsvmRows<T>::take(Index cols, std::shared_ptr<const void> owner) {
  RawTable<T> out;
  out.samples = csr_copy<T>(rows(), cols, starts_.data(), columns_.data(), values_.data());
  out.has_missing = has_missing_;
  if (!targets_.empty()) out.label = RawLabel{"label", std::move(targets_), {}, std::move(owner)};
  has_missing_ = false;
  starts_.assign(1, 0);
  columns_.clear();
  values_.clear();
  targets_.clear();
  return out;
}

template <class T>
void LibsvmRows<T>::parse_line(std::string_view line) {
  FieldCursor cursor(line, blanks);
  std::int64_t before = 0;
  field_ = 0;
  for (Field f; cursor.next(f);) {
    ++field_;
    const auto colon = f.text.find(':');
    if (field_ == 1) {
      const bool has_target = colon == std::string_view::npos;
      if (!expects_target_) expects_target_ = has_target;
      if (has_target != *expects_target_)
        fail(fmt::format("'{}' {}", f.text,
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
  starts_.push_back(static_cast<std::int64_t>(values_.size()));
}

template <class T>
void LibsvmRows<T>::add_target(std::string_view text) {
  if (!is_missing_token(text)) {
    targets_.push_back(text);
    return;
  }
  if (missing_ != Missing::drop)
    fail(fmt::format("'{}' is not a class", text), "drop such rows with --missing drop");
  has_missing_ = true;
  targets_.emplace_back();
}

template <class T>
void LibsvmRows<T>::add_entry(std::string_view text, std::size_t colon, std::int64_t& before) {
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

template <class T>
void LibsvmRows<T>::fail(const std::string& what, const std::string& hint) const {
  throw Error(ErrorCode::bad_data, fmt::format("{}:{}:{}: {}", where_, line_number_, field_, what), hint);
}

void require_libsvm_label(const std::string& label, const std::string& where) {
  if (label.empty() || label == "label" || label == "0") return;
  throw Error(ErrorCode::usage, fmt::format("{}: no label column '{}'", where, label),
              "in libsvm files the label is the first number of a row, called 'label'");
}

template class LibsvmRows<float>;
template class LibsvmRows<double>;

}  // namespace mercer
