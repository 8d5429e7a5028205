// mercer update: more points join a low-rank model.
#include "files.hpp"
#include "fit.hpp"
#include "low_rank.hpp"
#include "model_points.hpp"

#include <memory>

namespace mercer::app {
namespace {

struct UpdateFlags : FitFlags {
  std::string before;
  Index max_rank = 0;
};

/// The new points, with the model's columns in its order; read as often as the work needs them.
template <class T>
std::unique_ptr<RowSource<T>> open_points(const UpdateFlags& flags, const Model<T>& model, const Run& run) {
  ReadOptions options = flags.read.parsed();
  if (options.missing == Missing::mean)
    throw Error(ErrorCode::usage,
                "--missing mean would fill gaps with the mean of the new points, not of those before",
                "use --missing drop, or fill the gaps beforehand");
  if (is_libsvm(flags.data)) options.features = model.features();  // trailing zeros are not written there
  if (comes_once(flags.data))
    return rows_of(read_model_points(flags.data, options, model, run, flags.run.quiet).samples);
  auto points = std::make_unique<ModelPoints<T>>(flags.data, options, model, run);
  note_other_names(flags.data, points->columns(), model, flags.run.quiet);
  return points;
}

template <class T>
void update(const UpdateFlags& flags, const Session& session) {
  const Stopwatch total;
  ProgressBar bar(!flags.run.quiet);
  const Run run = flags.run.run(session, bar);
  const auto before = load_kernel_pca<T>(flags.before, "takes in no more points");
  const auto points = open_points<T>(flags, *before, run);
  session.interrupts.check();
  const double read_seconds = total.seconds();
  const auto model = as_kernel_pca(*before).update(*points, {.max_rank = flags.max_rank}, run);
  session.interrupts.check();  // an interrupted stream looks like one that ended
  const Stopwatch writing;
  if (!flags.out.empty()) write_scores<T>(flags.out, model, *points, run);
  model.save(flags.model);
  print_report(model.report(), read_seconds, writing.seconds(), total.seconds(), points->dropped(), flags);
}

}  // namespace

Command add_update(CLI::App& program) {
  auto flags = std::make_shared<UpdateFlags>();
  auto* parser = program.add_subcommand("update", "more points join a low-rank model");
  parser->add_option("MODEL", flags->before, "written by kpca --route lowrank")->required();
  parser->add_option("DATA", flags->data, "the new points; '-' is CSV on stdin")->required();
  flags->read.add_to(*parser, "Reading");
  const std::string result = "Results";
  parser->add_option("--model", flags->model, "the model of all points")
      ->type_name("NEW")
      ->required()
      ->group(result);
  parser->add_option("--out", flags->out, "scores of the new points")->type_name("FILE")->group(result);
  parser->add_flag("--json", flags->json, "the report as JSON on stdout")->group(result);
  add_quiet(*parser, flags->run, result);
  const std::string how = "Running";
  parser
      ->add_option("--max-rank", flags->max_rank,
                   "let the basis grow to so many landmarks (default: it stays)")
      ->type_name("R")
      ->check(CLI::Range(Index(1), Index(1000000000)).description(""))
      ->group(how);
  add_memory(*parser, flags->run, how);
  add_threads(*parser, flags->run, how);
  add_seed(*parser, flags->run, how);
  parser->footer("Example: mercer update monday.mercer tuesday.csv --model both.mercer");

  return {parser, [flags](const Session& session) {
            flags->check();
            with_precision(model_precision(flags->before), [&]<class T>() { update<T>(*flags, session); });
          }};
}

}  // namespace mercer::app
