// The rows of libsvm / svmlight text as CSR: `target index:value ...` a line, indices from 1 and
// ascending, '#' begins a comment. Text may come in pieces of whole lines; line numbers go on.
#pragma once

#include "data/raw_table.hpp"

namespace mercer {

template <class T>
class LibsvmRows {
 public:
  LibsvmRows(std::string where, Missing missing) : where_(std::move(where)), missing_(missing) {}

  /// Adds the rows of these lines.
  void parse(std::string_view text, const Run& run);
  /// What was added since the last take, `cols` wide; `owner` keeps the text that the targets are in.
  [[nodiscard]] RawTable<T> take(Index cols, std::shared_ptr<const void> owner = nullptr);

  [[nodiscard]] Index rows() const { return static_cast<Index>(starts_.size()) - 1; }
  /// The largest column seen so far, counted from 1, taken rows included.
  [[nodiscard]] Index width() const { return width_; }

  /// Does a line hold a row?
  [[nodiscard]] static bool is_row(std::string_view line);

 private:
  void parse_line(std::string_view line);
  void add_target(std::string_view text);
  void add_entry(std::string_view text, std::size_t colon, std::int64_t& before);
  [[noreturn]] void fail(const std::string& what, const std::string& hint) const;

  std::string where_;
  Missing missing_;
  Index line_number_ = 0, field_ = 0, width_ = 0;
  std::optional<bool> expects_target_;  ///< as the first row has it
  bool has_missing_ = false;
  std::vector<std::int64_t> starts_{0}, columns_;
  std::vector<T> values_;
  std::vector<std::string_view> targets_;
};

/// Throws Error{usage} for a label that is not the target.
void require_libsvm_label(const std::string& label, const std::string& where);

extern template class LibsvmRows<float>;
extern template class LibsvmRows<double>;

}  // namespace mercer
