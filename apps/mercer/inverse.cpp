// mercer inverse: from scores back to the input space; exact for PCA, by pre-images for kernel PCA (M12).
#include "files.hpp"
#include "fit_options.hpp"
#include "model_points.hpp"
#include "preimage_options.hpp"
#include "tensor_fit.hpp"

#include <mercer/error.hpp>
#include <mercer/model.hpp>
#include <mercer/row_source.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <optional>

namespace mercer::app {
namespace {

struct InverseFlags {
  std::string model, scores, out = "-", label;
  bool json = false;
  PreimageFlags preimage;
  RunFlags run;
};

void report(const InverseFlags& flags, const std::string& method, Index d, const PreimageErrors& errors) {
  if (flags.json) {
    nlohmann::ordered_json json = {{"method", method}, {"n", errors.errors.size()}, {"d", d}};
    errors.put_into(json);
    print(json.dump(2) + "\n");
  } else if (!flags.run.quiet && !errors.is_exact()) {
    say(errors.in_words());
  }
}

template <class T>
void require_columns(const InverseFlags& flags, const Model<T>& model, Index found) {
  if (found == model.components()) return;
  throw Error(ErrorCode::bad_data,
              fmt::format("{}: expected {} columns, one a component, found {}", flags.scores,
                          model.components(), found),
              "name a column that is not a score with --label");
}

/// Of scores whose first row has that number.
template <class T>
Matrix<T> inverse_of(const Model<T>& model, const Matrix<T>& scores, Index first_row, const Run& run) {
  Matrix<T> points = model.inverse(scores, run);
  for (Index i = 0; i < points.rows(); ++i)
    if (!points.row(i).allFinite())
      throw Error(ErrorCode::bad_data,
                  fmt::format("the scores of row {} are too large to come back from", first_row + i),
                  "rows count from 0; are these scores of this model?");
  return points;
}

/// All samples in an array like the one of the fit, which npy and npz can hold.
template <class T>
void inverse_stack(const InverseFlags& flags, const TensorModel<T>& model, const Session& session,
                   const Run& run) {
  const auto scores = read_dataset<T>(flags.scores, {.label = flags.label}, run).samples;
  session.interrupts.check();
  require_columns(flags, model, scores.cols());
  const Tensor<T> samples = model.inverse_tensor(scores.to_dense(), run);
  session.interrupts.check();
  write_tensor<T>(flags.out, samples.view());
  if (flags.json)
    print(nlohmann::ordered_json{{"method", model.method()}, {"shape", samples.shape()}}.dump(2) + "\n");
}

template <class T>
void inverse(const InverseFlags& flags, const CLI::App& parser, const Session& session) {
  ProgressBar bar(!flags.run.quiet);
  const Run run = flags.run.run(session, bar);
  const auto model = load_model<T>(flags.model);
  if (const auto* tensor = dynamic_cast<const TensorModel<T>*>(model.get())) {
    PreimageFlags::refuse_for(
        parser, model->method(),
        model->report().kernel.empty() ? "which is linear" : "whose cores come back in the default way");
    if (is_tensor_output(flags.out)) {
      inverse_stack(flags, *tensor, session, run);
      return;
    }
  }
  const auto scores = open_rows<T>(flags.scores, {.label = flags.label}, chunk_rows(model->features()), run);
  session.interrupts.check();
  require_columns(flags, *model, scores->cols());

  PreimageErrors errors;
  std::optional<Preimage<T>> back;
  if (const auto* kernel_pca = dynamic_cast<const KernelPca<T>*>(model.get())) {
    back.emplace(*kernel_pca, flags.preimage.parsed(), run);
    errors.preimage = name_of(back->method());
  } else if (model->method() == "pca") {
    PreimageFlags::refuse_for(parser, model->method());
  }
  Run chunk_run = run;
  chunk_run.progress = nullptr;
  const auto come_back = [&](const Matrix<T>& z) {
    const auto before = static_cast<Index>(errors.errors.size());
    Preimages<T> found{{}, Vector<double>::Zero(z.rows()), 0};
    if (back)
      found = back->find(z, {}, chunk_run, before);
    else
      found.points = inverse_of(*model, z, before, chunk_run);
    errors.add(found);
    return std::move(found.points);
  };

  auto chunk = scores->next();  // before anything is written: most errors are in the first rows
  TableWriter<T> writer(flags.out, model->features(), model->columns());
  for (; chunk.rows() > 0; chunk = scores->next()) {
    session.interrupts.check();  // an interrupted stream looks like one that ended
    writer.append(come_back(chunk.to_dense()));
    run.report("inverse", scores->fraction());
    run.check();
  }
  session.interrupts.check();
  writer.finish();
  report(flags, model->method(), model->features(), errors);
}

}  // namespace

Command add_inverse(CLI::App& program) {
  auto flags = std::make_shared<InverseFlags>();
  auto* parser = program.add_subcommand("inverse", "from scores back to the input space");
  parser->add_option("MODEL", flags->model, "a file written by --model")->required();
  parser->add_option("SCORES", flags->scores, "one column a component; '-' is CSV on stdin")->required();
  flags->preimage.add_to(*parser, "Pre-images of kernel PCA");
  parser->add_option("--label", flags->label, "name or 0-based index of the column that is not a score")
      ->type_name("COLUMN")
      ->group("Reading");
  parser->add_option("--out", flags->out, "the points: csv, tsv, npy, npz; '-' is CSV on stdout (default)")
      ->type_name("FILE")
      ->group("Results");
  parser->add_flag("--json", flags->json, "how far each point is from its scores, as JSON on stdout")
      ->group("Results");
  add_quiet(*parser, flags->run, "Results");
  add_memory(*parser, flags->run, "Running");
  add_threads(*parser, flags->run, "Running");
  parser->footer(
      "PCA comes back exactly; tucker, cp and svd2d as a stack when FILE is npy, npz or tns. Kernel PCA's\n"
      "scores name a point P of feature space, perhaps of no input: a pre-image z has its image near P, and\n"
      "its error is |phi(z) - P|^2. exact: linear, cosine; fixed-point: rbf, matern, rq;\n"
      "distances: also poly; ridge: any.\n"
      "Example: mercer inverse wine.mercer scores.csv --out wine-again.csv");

  return {parser, [flags, parser](const Session& session) {
            if (flags->json && is_stream(flags->out))
              throw Error(ErrorCode::usage, "--json and --out - both want standard output",
                          "write the points to a file");
            (void)flags->preimage.parsed();  // before anything is read
            if (!is_sparse_tensor_file(flags->out)) require_table_creatable(flags->out);
            with_precision(model_precision(flags->model),
                           [&]<class T>() { inverse<T>(*flags, *parser, session); });
          }};
}

}  // namespace mercer::app
