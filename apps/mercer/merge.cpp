// mercer merge: two low-rank models on one basis become the model of all their points.
#include "files.hpp"
#include "fit.hpp"
#include "low_rank.hpp"

#include <memory>

namespace mercer::app {
namespace {

struct MergeFlags : FitFlags {
  std::string first, second;
};

template <class T>
void merge(const MergeFlags& flags, const Session& session) {
  const Stopwatch total;
  ProgressBar bar(!flags.run.quiet);
  const Run run = flags.run.run(session, bar);
  const auto a = load_kernel_pca<T>(flags.first, "cannot be merged"),
             b = load_kernel_pca<T>(flags.second, "cannot be merged");
  const double read_seconds = total.seconds();
  const auto model = KernelPca<T>::merge(as_kernel_pca(*a), as_kernel_pca(*b), run);
  const Stopwatch writing;
  model.save(flags.model);
  print_report(model.report(), read_seconds, writing.seconds(), total.seconds(), 0, flags);
}

}  // namespace

Command add_merge(CLI::App& program) {
  auto flags = std::make_shared<MergeFlags>();
  auto* parser = program.add_subcommand("merge", "two low-rank models on one basis become one");
  parser->add_option("A", flags->first, "written by kpca --route lowrank")->required();
  parser->add_option("B", flags->second, "written by kpca --landmarks A")->required();
  parser->add_option("--model", flags->model, "the model of all points")
      ->type_name("NEW")
      ->required()
      ->group("Results");
  parser->add_flag("--json", flags->json, "the report as JSON on stdout")->group("Results");
  add_quiet(*parser, flags->run, "Results");
  add_threads(*parser, flags->run, "Running");
  parser->footer(
      "B must stand on the basis of A: mercer kpca b.csv --landmarks a.mercer --model b.mercer\n"
      "Example: mercer merge a.mercer b.mercer --model all.mercer");

  return {parser, [flags](const Session& session) {
            flags->check();
            const Precision precision = model_precision(flags->first);
            if (model_precision(flags->second) != precision)
              throw Error(ErrorCode::usage, "one model is in float and the other in double",
                          "fit both with the same --precision");
            with_precision(precision, [&]<class T>() { merge<T>(*flags, session); });
          }};
}

}  // namespace mercer::app
