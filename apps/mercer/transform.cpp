// mercer transform: scores of new points, chunk by chunk, so that memory does not grow with them.
#include "files.hpp"
#include "fit_options.hpp"

#include <mercer/error.hpp>
#include <mercer/model.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>

namespace mercer::app {
namespace {

constexpr Index chunk_rows = 8192;

struct Flags {
  std::string model, data, out = "-";
  ReadFlags read;
  RunFlags run;
};

/// Where the model's label column is among the columns of `data`, if it is there.
template <class T>
std::optional<Index> find_label(const Dataset<T>& data, const std::string& name) {
  const auto found = std::find(data.columns.begin(), data.columns.end(), name);
  if (found != data.columns.end()) return found - data.columns.begin();
  Index index = -1;
  const char* end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data(), end, index);
  if (error == std::errc{} && rest == end && index >= 0 && index < data.samples.cols()) return index;
  return std::nullopt;
}

template <class T>
void drop_column(Dataset<T>& data, Index column) {
  const auto all = data.samples.to_dense();
  Matrix<T> kept(all.rows(), all.cols() - 1);
  kept << all.leftCols(column), all.rightCols(all.cols() - 1 - column);
  data.samples = std::move(kept);
  if (!data.columns.empty()) data.columns.erase(data.columns.begin() + column);
}

/// The columns in the model's order, where they are the same ones in another order.
template <class T>
void reorder_columns(Dataset<T>& data, const std::vector<std::string>& wanted) {
  if (data.columns == wanted || data.samples.is_sparse() ||
      !std::is_permutation(data.columns.begin(), data.columns.end(), wanted.begin(), wanted.end()))
    return;
  const auto before = data.samples.to_dense();
  Matrix<T> after(before.rows(), before.cols());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto from = std::find(data.columns.begin(), data.columns.end(), wanted[i]) - data.columns.begin();
    after.col(static_cast<Index>(i)) = before.col(from);
  }
  data.samples = std::move(after);
  data.columns = wanted;
}

/// The features of the new points; a label column like the model's is left out.
template <class T>
Dataset<T> read_points(const Flags& flags, const Model<T>& model, const Run& run) {
  ReadOptions options = flags.read.parsed();
  if (options.missing == Missing::mean)
    throw Error(ErrorCode::usage,
                "--missing mean would fill gaps with the mean of the new points, not of the training data",
                "use --missing drop, or fill the gaps beforehand");
  if (is_libsvm(flags.data)) options.features = model.features();  // trailing zeros are not written there
  const bool may_have_label = options.label.empty() && model.label().has_value();
  Dataset<T> data;
  try {
    data = read_dataset<T>(flags.data, options, run);
  } catch (const Error& error) {
    // A label made of words is not a number: try again without that column.
    if (error.code() != ErrorCode::bad_data || !may_have_label || is_stream(flags.data)) throw;
    const Error first = error;
    options.label = model.label()->column;
    try {
      data = read_dataset<T>(flags.data, options, run);
    } catch (const Error&) {
      throw first;
    }
  }
  if (may_have_label && !data.label && data.samples.cols() == model.features() + 1)
    if (const auto column = find_label(data, model.label()->column)) drop_column(data, *column);
  if (data.samples.cols() != model.features())
    throw Error(ErrorCode::bad_data,
                fmt::format("{}: expected {} columns, as the model was fitted on, found {}", flags.data,
                            model.features(), data.samples.cols()),
                "name a column that is not a feature with --label");
  reorder_columns(data, model.columns());
  return data;
}

template <class T>
void transform(const Flags& flags, const Session& session) {
  ProgressBar bar(!flags.run.quiet);
  const Run run = flags.run.run(session, bar);
  const auto model = load_model<T>(flags.model);
  const auto data = read_points<T>(flags, *model, run);
  session.interrupts.check();
  if (!flags.run.quiet && !data.columns.empty() && !model->columns().empty() &&
      data.columns != model->columns())
    say(fmt::format("note: the columns of {} are not named like those the model was fitted on", flags.data));

  TableWriter<T> writer(flags.out, model->components(), component_names(model->components()));
  const Index n = data.samples.rows();
  Run chunk_run = run;
  chunk_run.progress = nullptr;
  for (Index first = 0; first < n; first += chunk_rows) {
    const Index count = std::min(chunk_rows, n - first);
    writer.append(model->transform(data.samples.middle_rows(first, count), chunk_run));
    run.report("transform", static_cast<double>(first + count) / static_cast<double>(n));
    run.check();
  }
  writer.finish();
}

}  // namespace

Command add_transform(CLI::App& program) {
  auto flags = std::make_shared<Flags>();
  auto* parser = program.add_subcommand("transform", "scores of new points under a fitted model");
  parser->add_option("MODEL", flags->model, "a file written by --model")->required();
  parser->add_option("DATA", flags->data, "the new points; '-' is CSV on stdin")->required();
  flags->read.add_to(*parser, "Reading");
  parser->add_option("--out", flags->out, "the scores: csv, tsv, npy, npz; '-' is CSV on stdout (default)")
      ->type_name("FILE")
      ->group("Results");
  add_quiet(*parser, flags->run, "Results");
  add_threads(*parser, flags->run, "Running");
  parser->footer("Example: mercer transform digits.mercer new.csv --out scores.csv");

  return {parser, [flags](const Session& session) {
            require_table_creatable(flags->out);
            with_precision(model_precision(flags->model), [&]<class T>() { transform<T>(*flags, session); });
          }};
}

}  // namespace mercer::app
