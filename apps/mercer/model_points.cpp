// New points for a model: which columns of the table are its features.
#include "model_points.hpp"

#include "files.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <numeric>
#include <optional>

namespace mercer::app {
namespace {

/// Where the model's label column is among the columns, if it is there.
std::optional<Index> find_label(const std::vector<std::string>& columns, Index count,
                                const std::string& name) {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found != columns.end()) return found - columns.begin();
  Index index = -1;
  const char* end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data(), end, index);
  if (error == std::errc{} && rest == end && index >= 0 && index < count) return index;
  return std::nullopt;
}

template <class T>
std::unique_ptr<RowSource<T>> open(const std::string& path, const ReadOptions& options, Index features,
                                   const Run& run) {
  // What stands in columns must be turned in memory.
  if (options.transpose) return rows_of(read_dataset<T>(path, options, run).samples, chunk_rows(features));
  return open_rows<T>(path, options, chunk_rows(features), run);
}

}  // namespace

Index chunk_rows(Index cols) {
  return std::clamp<Index>((Index{1} << 20) / std::max<Index>(1, cols), 1, 8192);
}

template <class T>
ModelPoints<T>::ModelPoints(const std::string& path, const ReadOptions& options, const Model<T>& model,
                            const Run& run)
    : rows_(open<T>(path, options, model.features(), run)), columns_(rows_->columns()) {
  if (options.label.empty() && model.label() && rows_->cols() == model.features() + 1)
    leave_out_label(path, options, model, run);
  const Index cols = picked_.empty() ? rows_->cols() : static_cast<Index>(picked_.size());
  if (cols != model.features())
    throw Error(ErrorCode::bad_data,
                fmt::format("{}: expected {} columns, as the model was fitted on, found {}", path,
                            model.features(), cols),
                "name a column that is not a feature with --label");
  reorder(model.columns());
}

template <class T>
void ModelPoints<T>::leave_out_label(const std::string& path, ReadOptions options, const Model<T>& model,
                                     const Run& run) {
  const auto column = find_label(columns_, rows_->cols(), model.label()->column);
  if (!column) return;
  // Classes may be words, which are no numbers: a text is opened again with its label named. A stream
  // cannot be, and there the label must be a number.
  if (is_text_table(path) && !options.transpose && std::filesystem::is_regular_file(path)) {
    options.label = columns_.empty() ? std::to_string(*column) : columns_[static_cast<std::size_t>(*column)];
    rows_ = open_rows<T>(path, options, chunk_rows(model.features()), run);
    columns_ = rows_->columns();
    return;
  }
  picked_.resize(static_cast<std::size_t>(rows_->cols()));
  std::iota(picked_.begin(), picked_.end(), Index{0});
  picked_.erase(picked_.begin() + *column);
  if (!columns_.empty()) columns_.erase(columns_.begin() + *column);
}

/// Where the columns are the model's in another order.
template <class T>
void ModelPoints<T>::reorder(const std::vector<std::string>& wanted) {
  if (columns_ == wanted ||
      !std::is_permutation(columns_.begin(), columns_.end(), wanted.begin(), wanted.end()))
    return;
  std::vector<Index> order;
  for (const std::string& name : wanted) {
    const auto at = std::find(columns_.begin(), columns_.end(), name) - columns_.begin();
    order.push_back(picked_.empty() ? at : picked_[static_cast<std::size_t>(at)]);
  }
  picked_ = std::move(order);
  columns_ = wanted;
}

template <class T>
Samples<T> ModelPoints<T>::next() {
  const Samples<T> rows = rows_->next();
  if (picked_.empty() || rows.rows() == 0) return rows;
  const Matrix<T> all = rows.to_dense();
  Matrix<T> out(all.rows(), static_cast<Index>(picked_.size()));
  for (std::size_t j = 0; j < picked_.size(); ++j) out.col(static_cast<Index>(j)) = all.col(picked_[j]);
  return out;
}

template class ModelPoints<float>;
template class ModelPoints<double>;

}  // namespace mercer::app
