// mercer transform: scores of new points, chunk by chunk, so that memory does not grow with them.
#include "files.hpp"
#include "fit_options.hpp"
#include "model_points.hpp"
#include "tensor_fit.hpp"

#include <mercer/model.hpp>

#include <memory>

namespace mercer::app {
namespace {

struct TransformFlags {
  std::string model, data, out = "-";
  ReadFlags read;
  RunFlags run;
};

template <class T>
ModelPoints<T> open_points(const TransformFlags& flags, const Model<T>& model, const Run& run) {
  ReadOptions options = flags.read.parsed();
  require_missing_for_new_points(options, flags.model, model);
  if (is_libsvm(flags.data)) options.features = model.features();  // trailing zeros are not written there
  return ModelPoints<T>(flags.data, options, model, run);
}

/// Errors of what is done with the data name their file.
template <class F>
auto of_file(const std::string& path, F&& work) {
  try {
    return std::forward<F>(work)();
  } catch (const Error& e) {
    if (e.code() != ErrorCode::bad_data) throw;
    throw Error(e.code(), path + ": " + e.message(), e.hint());
  }
}

/// New samples as an array like the one of the fit: a stack of images, a sparse tensor.
template <class T>
void transform_stack(const TransformFlags& flags, const TensorModel<T>& model, const Session& session,
                     const Run& run) {
  for (const auto& [name, given] :
       {std::pair{"--label", !flags.read.label.empty()}, std::pair{"--transpose", flags.read.transpose},
        std::pair{"--missing",
                  flags.read.missing != "error" && !(flags.read.missing == "fit" && model.takes_gaps())}})
    if (given)
      throw Error(ErrorCode::usage, fmt::format("{} is for tables, and {} is an array", name, flags.data),
                  "leave it out: a cp model that was fitted with --missing fit takes gaps by itself");
  Shape shape = model.shape();
  shape[static_cast<std::size_t>(model.sample_mode())] = 0;
  const Stack<T> x(flags.data, run, shape);
  session.interrupts.check();
  const Matrix<T> scores = of_file(flags.data, [&] {
    return x.visit([&](const auto& values) { return model.transform_tensor(values, run); });
  });
  session.interrupts.check();
  write_table<T>(flags.out, scores, score_names(model.report()));
}

template <class T>
void transform(const TransformFlags& flags, const Session& session) {
  ProgressBar bar(!flags.run.quiet);
  const Run run = flags.run.run(session, bar);
  const auto model = load_model<T>(flags.model);
  if (const auto* tensor = dynamic_cast<const TensorModel<T>*>(model.get());
      tensor != nullptr && holds_stack(flags.data, *tensor)) {
    transform_stack(flags, *tensor, session, run);
    return;
  }
  auto points = open_points<T>(flags, *model, run);
  session.interrupts.check();
  note_other_names(flags.data, points.columns(), *model, flags.run.quiet);

  auto chunk = points.next();  // before anything is written: most errors are in the first rows
  TableWriter<T> writer(flags.out, model->components(), score_names(model->report()));
  Run chunk_run = run;
  chunk_run.progress = nullptr;
  for (Index first = 0; chunk.rows() > 0; first += chunk.rows(), chunk = points.next()) {
    session.interrupts.check();  // an interrupted stream looks like one that ended
    writer.append(counting_rows_from(first, [&] { return model->transform(chunk, chunk_run); }));
    run.report("transform", points.fraction());
    run.check();
  }
  session.interrupts.check();
  writer.finish();
  note_dropped(flags.data, points.dropped(), flags.run.quiet);
}

}  // namespace

Command add_transform(CLI::App& program) {
  auto flags = std::make_shared<TransformFlags>();
  flags->read.may_fit = true;
  auto* parser = program.add_subcommand("transform", "scores of new points under a fitted model");
  parser->add_option("MODEL", flags->model, "a file written by --model")->required();
  parser->add_option("DATA", flags->data, "the new points, or a stack of samples; '-' is CSV on stdin")
      ->required();
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
