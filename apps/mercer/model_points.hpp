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

/// Rows at a time: enough to keep the cores busy, little enough for wide tables.
[[nodiscard]] Index chunk_rows(Index cols);

template <class T>
class ModelPoints {
 public:
  /// Throws Error{bad_data} when the table does not have the model's number of features.
  ModelPoints(const std::string& path, const ReadOptions& options, const Model<T>& model, const Run& run);

  /// Names of the columns, in the order of next(); empty when there are none.
  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }
  [[nodiscard]] Samples<T> next();
  [[nodiscard]] double fraction() const { return rows_->fraction(); }

 private:
  void leave_out_label(const std::string& path, ReadOptions options, const Model<T>& model, const Run& run);
  void reorder(const std::vector<std::string>& wanted);

  std::unique_ptr<RowSource<T>> rows_;
  std::vector<std::string> columns_;
  std::vector<Index> picked_;  ///< the columns to take, in order; empty: all as they are
};

}  // namespace mercer::app
