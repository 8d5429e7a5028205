// mercer inverse: from scores back to the input space, for the methods that can.
#include "files.hpp"
#include "fit_options.hpp"
#include "model_points.hpp"

#include <mercer/error.hpp>
#include <mercer/model.hpp>
#include <mercer/row_source.hpp>

#include <fmt/format.h>

#include <memory>

namespace mercer::app {
namespace {

struct Flags {
  std::string model, scores, out = "-", label;
  RunFlags run;
};

template <class T>
void inverse(const Flags& flags, const Session& session) {
  ProgressBar bar(!flags.run.quiet);
  const Run run = flags.run.run(session, bar);
  const auto model = load_model<T>(flags.model);
  const auto scores = open_rows<T>(flags.scores, {.label = flags.label}, chunk_rows(model->features()), run);
  session.interrupts.check();
  if (scores->cols() != model->components())
    throw Error(ErrorCode::bad_data,
                fmt::format("{}: expected {} columns, one a component, found {}", flags.scores,
                            model->components(), scores->cols()),
                "name a column that is not a score with --label");

  auto chunk = scores->next();  // before anything is written: most errors are in the first rows
  TableWriter<T> writer(flags.out, model->features(), model->columns());
  Run chunk_run = run;
  chunk_run.progress = nullptr;
  for (; chunk.rows() > 0; chunk = scores->next()) {
    session.interrupts.check();  // an interrupted stream looks like one that ended
    writer.append(model->inverse(chunk.to_dense(), chunk_run));
    run.report("inverse", scores->fraction());
    run.check();
  }
  session.interrupts.check();
  writer.finish();
}

}  // namespace

Command add_inverse(CLI::App& program) {
  auto flags = std::make_shared<Flags>();
  auto* parser = program.add_subcommand("inverse", "from scores back to the input space (pca)");
  parser->add_option("MODEL", flags->model, "a file written by --model")->required();
  parser->add_option("SCORES", flags->scores, "one column a component; '-' is CSV on stdin")->required();
  parser->add_option("--label", flags->label, "name or 0-based index of the column that is not a score")
      ->type_name("COLUMN")
      ->group("Reading");
  parser->add_option("--out", flags->out, "the points: csv, tsv, npy, npz; '-' is CSV on stdout (default)")
      ->type_name("FILE")
      ->group("Results");
  add_quiet(*parser, flags->run, "Results");
  add_threads(*parser, flags->run, "Running");
  parser->footer("Example: mercer inverse wine.mercer scores.csv --out wine-again.csv");

  return {parser, [flags](const Session& session) {
            require_table_creatable(flags->out);
            with_precision(model_precision(flags->model), [&]<class T>() { inverse<T>(*flags, session); });
          }};
}

}  // namespace mercer::app
