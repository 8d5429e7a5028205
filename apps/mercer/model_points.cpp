// New points for a model: which columns of the table are its features.
#include "model_points.hpp"

#include "files.hpp"
#include "terminal.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
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

/// The model's label among columns that are one more than its features.
template <class T>
std::optional<Index> label_among(const std::vector<std::string>& columns, Index count,
                                 const Model<T>& model) {
  if (!model.label() || count != model.features() + 1) return std::nullopt;
  return find_label(columns, count, model.label()->column);
}

std::string name_or_number(const std::vector<std::string>& columns, Index column) {
  return columns.empty() ? std::to_string(column) : columns[static_cast<std::size_t>(column)];
}

void require_width(const std::string& path, Index found, Index expected) {
  if (found == expected) return;
  throw Error(
      ErrorCode::bad_data,
      fmt::format("{}: expected {} columns, as the model was fitted on, found {}", path, expected, found),
      "name a column that is not a feature with --label");
}

/// The first row with a NaN, or -1.
template <class T>
Index first_gap(const Samples<T>& points) {
  constexpr Index strip = 1024;
  for (Index i0 = 0; i0 < points.rows(); i0 += strip) {
    const Matrix<T> rows = points.dense_rows(i0, std::min(strip, points.rows() - i0));
    for (Index i = 0; i < rows.rows(); ++i)
      if (rows.row(i).array().isNaN().any()) return i0 + i;
  }
  return -1;
}

/// Can the table be opened a second time, once its columns are known?
bool can_be_opened_twice(const std::string& path, const ReadOptions& options) {
  std::error_code none;
  return !options.transpose && std::filesystem::is_regular_file(path, none);
}

}  // namespace

template <class T>
void require_missing_for_new_points(const ReadOptions& options, const std::string& model_path,
                                    const Model<T>& model) {
  if (options.missing == Missing::mean)
    throw Error(ErrorCode::usage,
                "--missing mean would fill gaps with the mean of the new points, not of the training data",
                "use --missing drop, or fill the gaps beforehand");
  if (options.missing == Missing::fit && !model.takes_gaps())
    throw Error(ErrorCode::usage, fmt::format("{} was fitted on a table without gaps", model_path),
                "fit it with --missing fit, or use --missing drop");
}

template <class T>
void require_no_gaps(const std::string& path, const Samples<T>& points) {
  const Index row = first_gap(points);
  if (row < 0) return;
  throw Error(ErrorCode::bad_data,
              fmt::format("{}: row {} has a missing value, and every row must come back", path, row),
              "fill the gap, or leave the row out of every file; --missing is for the points to fit on");
}

template <class T>
void note_other_names(const std::string& path, const std::vector<std::string>& columns, const Model<T>& model,
                      bool quiet) {
  if (!quiet && !columns.empty() && !model.columns().empty() && columns != model.columns())
    say(fmt::format("note: the columns of {} are not named like those the model was fitted on", path));
}

void note_dropped(const std::string& path, Index dropped, bool quiet) {
  if (!quiet && dropped > 0)
    say(fmt::format("note: {} row{} of {} with missing values left out", dropped, dropped == 1 ? "" : "s",
                    path));
}

Index chunk_rows(Index cols) {
  return std::clamp<Index>((Index{1} << 20) / std::max<Index>(1, cols), 1, 8192);
}

void ColumnChoice::leave_out(Index column, Index count) {
  picked.resize(static_cast<std::size_t>(count));
  std::iota(picked.begin(), picked.end(), Index{0});
  picked.erase(picked.begin() + column);
  if (!names.empty()) names.erase(names.begin() + column);
}

void ColumnChoice::reorder(const std::vector<std::string>& wanted) {
  if (names == wanted || !std::is_permutation(names.begin(), names.end(), wanted.begin(), wanted.end()))
    return;
  std::vector<Index> order;
  for (const std::string& name : wanted) {
    const auto at = std::find(names.begin(), names.end(), name) - names.begin();
    order.push_back(picked.empty() ? at : picked[static_cast<std::size_t>(at)]);
  }
  picked = std::move(order);
  names = wanted;
}

template <class T>
Samples<T> ColumnChoice::of(const Samples<T>& rows) const {
  if (picked.empty() || rows.rows() == 0) return rows;
  const Matrix<T> all = rows.to_dense();
  Matrix<T> out(all.rows(), static_cast<Index>(picked.size()));
  for (std::size_t j = 0; j < picked.size(); ++j) out.col(static_cast<Index>(j)) = all.col(picked[j]);
  return out;
}

template <class T>
ModelPoints<T>::ModelPoints(const std::string& path, const ReadOptions& options, const Model<T>& model,
                            const Run& run)
    : rows_(open<T>(path, options, model.features(), run)) {
  choice_.names = rows_->columns();
  if (options.label.empty()) leave_out_label(path, options, model, run);
  require_width(path, ModelPoints::cols(), model.features());
  choice_.reorder(model.columns());
}

template <class T>
void ModelPoints<T>::leave_out_label(const std::string& path, ReadOptions options, const Model<T>& model,
                                     const Run& run) {
  const auto column = label_among(choice_.names, rows_->cols(), model);
  if (!column) return;
  // Classes may be words, which are no numbers: a text is opened again with its label named. A stream
  // cannot be, and there the label must be a number.
  if (is_text_table(path) && can_be_opened_twice(path, options)) {
    options.label = name_or_number(choice_.names, *column);
    rows_ = open_rows<T>(path, options, chunk_rows(model.features()), run);
    choice_.names = rows_->columns();
    return;
  }
  choice_.leave_out(*column, rows_->cols());
}

template <class T>
Dataset<T> read_model_points(const std::string& path, ReadOptions options, const Model<T>& model,
                             const Run& run, bool quiet) {
  if (is_libsvm(path)) options.features = model.features();  // trailing zeros are not written there
  if (options.label.empty() && model.label() && can_be_opened_twice(path, options)) {
    const auto rows = open<T>(path, options, model.features(), run);
    if (const auto column = label_among(rows->columns(), rows->cols(), model))
      options.label = name_or_number(rows->columns(), *column);
  }
  Dataset<T> data = read_dataset<T>(path, options, run);
  ColumnChoice choice{std::move(data.columns), {}};
  if (options.label.empty())
    if (const auto column = label_among(choice.names, data.samples.cols(), model))
      choice.leave_out(*column, data.samples.cols());
  require_width(path, choice.count(data.samples.cols()), model.features());
  choice.reorder(model.columns());
  data.samples = choice.of(data.samples);
  data.columns = std::move(choice.names);
  note_other_names(path, data.columns, model, quiet);
  return data;
}

template <class T>
void write_scores(const std::string& path, const Model<T>& model, RowSource<T>& rows, const Run& run) {
  TableWriter<T> writer(path, model.components(), component_names(model.components()));
  Run chunk_run = run;
  chunk_run.progress = nullptr;
  rows.rewind();
  for (auto chunk = rows.next(); chunk.rows() > 0; chunk = rows.next()) {
    writer.append(model.transform(chunk, chunk_run));
    run.report("scores", rows.fraction());
    run.check();
  }
  writer.finish();
}

template class ModelPoints<float>;
template class ModelPoints<double>;
template void require_missing_for_new_points(const ReadOptions&, const std::string&, const Model<float>&);
template void require_missing_for_new_points(const ReadOptions&, const std::string&, const Model<double>&);
template void require_no_gaps(const std::string&, const Samples<float>&);
template void require_no_gaps(const std::string&, const Samples<double>&);
template void note_other_names(const std::string&, const std::vector<std::string>&, const Model<float>&,
                               bool);
template void note_other_names(const std::string&, const std::vector<std::string>&, const Model<double>&,
                               bool);
template Dataset<float> read_model_points(const std::string&, ReadOptions, const Model<float>&, const Run&,
                                          bool);
template Dataset<double> read_model_points(const std::string&, ReadOptions, const Model<double>&, const Run&,
                                           bool);
template void write_scores(const std::string&, const Model<float>&, RowSource<float>&, const Run&);
template void write_scores(const std::string&, const Model<double>&, RowSource<double>&, const Run&);

}  // namespace mercer::app
