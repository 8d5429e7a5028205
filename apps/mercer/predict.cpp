// mercer predict: classes of new points by a model of lda or klda; where the points have a label, how many
// are right.
#include "discriminant.hpp"
#include "files.hpp"
#include "model_points.hpp"

#include <mercer/discriminant.hpp>
#include <mercer/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

namespace mercer::app {
namespace {

struct PredictFlags {
  std::string model, data, out, decision = "auto";
  bool json = false;
  ReadFlags read;
  RunFlags run;
};

/// Rows: what the points are; columns: what was predicted.
using Confusion = std::vector<std::vector<Index>>;

Confusion confusion_of(const Label& truth, const Label& found, const std::string& path) {
  std::vector<std::size_t> class_of;
  for (const std::string& name : truth.names) {
    const auto at = std::find(found.names.begin(), found.names.end(), name);
    if (at == found.names.end())
      throw Error(ErrorCode::bad_data,
                  fmt::format("{}: class '{}' of column '{}' is not one the model was fitted on ({})", path,
                              name, truth.column, fmt::join(found.names, ", ")),
                  "leave out those rows, or the column to predict without comparing");
    class_of.push_back(static_cast<std::size_t>(at - found.names.begin()));
  }
  Confusion out(found.names.size(), std::vector<Index>(found.names.size(), 0));
  for (std::size_t i = 0; i < found.codes.size(); ++i)
    ++out[class_of[static_cast<std::size_t>(truth.codes[i])]][static_cast<std::size_t>(found.codes[i])];
  return out;
}

Index wrong(const Confusion& confusion) {
  Index out = 0;
  for (std::size_t i = 0; i < confusion.size(); ++i)
    for (std::size_t j = 0; j < confusion.size(); ++j)
      if (i != j) out += confusion[i][j];
  return out;
}

void print_json(const Label& found, Index dropped, const std::optional<Confusion>& confusion) {
  std::vector<Index> counts(found.names.size(), 0);
  for (const std::int32_t code : found.codes) ++counts[static_cast<std::size_t>(code)];
  nlohmann::ordered_json json = {{"n", found.codes.size()}, {"classes", found.names}, {"predicted", counts}};
  if (dropped > 0) json["left_out"] = dropped;
  if (confusion) {
    json["errors"] = wrong(*confusion);
    json["error"] = double(wrong(*confusion)) / double(std::max<std::size_t>(1, found.codes.size()));
    json["confusion"] = *confusion;
  }
  print(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

template <class T>
void predict(const PredictFlags& flags, const Session& session) {
  ProgressBar bar(!flags.run.quiet);
  const Run run = flags.run.run(session, bar);
  const auto model = load_model<T>(flags.model);
  const auto* discriminant = dynamic_cast<const Discriminant<T>*>(model.get());
  if (discriminant == nullptr)
    throw Error(ErrorCode::usage,
                fmt::format("{} is a {} model, which knows no classes", flags.model, model->method()),
                "predict takes a model of lda or klda");
  const ReadOptions options = flags.read.parsed();
  require_missing_for_new_points(options, flags.model, *model);
  const auto data = read_model_points<T>(flags.data, options, *model, run, flags.run.quiet);
  note_dropped(flags.data, data.dropped, flags.run.quiet);
  session.interrupts.check();
  Label found = discriminant->predict(data.samples, parse_decision(flags.decision), run);
  std::optional<Confusion> confusion;
  if (data.label) confusion = confusion_of(*data.label, found, flags.data);

  const bool numbered = !found.column.empty() && std::all_of(found.column.begin(), found.column.end(),
                                                             [](char c) { return c >= '0' && c <= '9'; });
  if (found.column.empty() || numbered) found.column = "class";  // a number would be no header
  const std::string out = flags.out.empty() && !flags.json ? "-" : flags.out;
  if (!out.empty()) write_table<T>(out, Matrix<T>(data.samples.rows(), 0), {}, found);
  if (flags.json) {
    print_json(found, data.dropped, confusion);
  } else if (confusion && !flags.run.quiet) {
    const auto n = double(std::max<std::size_t>(1, found.codes.size()));
    say(fmt::format("{} of {} points predicted wrongly ({:.2f} %)", wrong(*confusion), found.codes.size(),
                    100 * double(wrong(*confusion)) / n));
  }
}

}  // namespace

Command add_predict(CLI::App& program) {
  auto flags = std::make_shared<PredictFlags>();
  auto* parser = program.add_subcommand("predict", "classes of new points under a model of lda or klda");
  parser->add_option("MODEL", flags->model, "a file written by lda or klda --model")->required();
  parser->add_option("DATA", flags->data, "the new points, with or without their label; '-' is CSV on stdin")
      ->required();
  add_decision(*parser, flags->decision, "Problem");
  flags->read.add_to(*parser, "Reading");
  parser->add_option("--out", flags->out, "the classes: csv, tsv, npy, npz; '-' is CSV on stdout (default)")
      ->type_name("FILE")
      ->group("Results");
  parser->add_flag("--json", flags->json, "counts, and errors where the label is there, as JSON on stdout")
      ->group("Results");
  add_quiet(*parser, flags->run, "Results");
  add_threads(*parser, flags->run, "Running");
  parser->footer("Example: mercer predict wine.mercer new.csv --out classes.csv");

  return {parser, [flags](const Session& session) {
            if (flags->json && is_stream(flags->out))
              throw Error(ErrorCode::usage, "--json and --out - both want standard output",
                          "write the classes to a file");
            require_table_creatable(flags->out);
            with_precision(model_precision(flags->model), [&]<class T>() { predict<T>(*flags, session); });
          }};
}

}  // namespace mercer::app
