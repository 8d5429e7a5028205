// ModelPoints: the rows of a table as a model wants them, chunk by chunk: without a label column like the
// model's, and with the columns in the model's order.
#pragma once

#include <mercer/dataset.hpp>
#include <mercer/model.hpp>
#include <mercer/row_source.hpp>

#include <memory>
#include <string>
#include <vector>

namespace mercer::app {

/// Throws Error{usage} for a --missing that new points cannot have: the mean is not that of the training
/// data, and only some models take gaps as they are.
template <class T>
void require_missing_for_new_points(const ReadOptions& options, const std::string& model_path,
                                    const Model<T>& model);

/// Throws Error{bad_data} naming the first row with a gap.
template <class T>
void require_no_gaps(const std::string& path, const Samples<T>& points);

/// On standard error, unless quiet: the table's columns have other names than the model's; rows were left
/// out.
template <class T>
void note_other_names(const std::string& path, const std::vector<std::string>& columns, const Model<T>& model,
                      bool quiet);
void note_dropped(const std::string& path, Index dropped, bool quiet);

/// Rows at a time: enough to keep the cores busy, little enough for wide tables.
[[nodiscard]] Index chunk_rows(Index cols);

/// Which columns of a table are taken, in which order.
struct ColumnChoice {
  std::vector<std::string> names;  ///< of those taken; empty when there are none
  std::vector<Index> picked;       ///< empty: all as they are

  void leave_out(Index column, Index count);
  /// In the order of `wanted`, where that is what they are called.
  void reorder(const std::vector<std::string>& wanted);
  [[nodiscard]] Index count(Index cols) const {
    return picked.empty() ? cols : static_cast<Index>(picked.size());
  }
  template <class T>
  [[nodiscard]] Samples<T> of(const Samples<T>& rows) const;
};

template <class T>
class ModelPoints final : public RowSource<T> {
 public:
  /// Throws Error{bad_data} when the table does not have the model's number of features.
  ModelPoints(const std::string& path, const ReadOptions& options, const Model<T>& model, const Run& run);

  [[nodiscard]] Index cols() const override { return choice_.count(rows_->cols()); }
  [[nodiscard]] const std::vector<std::string>& columns() const override { return choice_.names; }
  [[nodiscard]] Samples<T> next() override { return choice_.of(rows_->next()); }
  void rewind() override { rows_->rewind(); }
  [[nodiscard]] Index dropped() const override { return rows_->dropped(); }
  [[nodiscard]] double fraction() const override { return rows_->fraction(); }

 private:
  void leave_out_label(const std::string& path, ReadOptions options, const Model<T>& model, const Run& run);

  std::unique_ptr<RowSource<T>> rows_;
  ColumnChoice choice_;
};

/// The whole table, with what it says in a column like the model's label; notes other names.
template <class T>
[[nodiscard]] Dataset<T> read_model_points(const std::string& path, ReadOptions options,
                                           const Model<T>& model, const Run& run, bool quiet);

/// Scores of all rows, from the top, written as they come.
template <class T>
void write_scores(const std::string& path, const Model<T>& model, RowSource<T>& rows, const Run& run);

}  // namespace mercer::app
