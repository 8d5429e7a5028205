// mercer lda: linear discriminants (mission row M9), and the options it shares with klda.
#include "discriminant.hpp"
#include "fit.hpp"

#include <mercer/discriminant.hpp>

#include <memory>

namespace mercer::app {

void DiscriminantFlags::add_to(CLI::App& parser,
                               const std::function<void(CLI::App&, const std::string&)>& problem) {
  const std::string what = "Problem";
  parser.add_option("DATA", data, "csv, tsv, npy, npz, libsvm (text also .gz); '-' is CSV on stdin")
      ->required();
  parser.add_option("-k,--components", directions, "how many directions (default all: classes - 1)")
      ->type_name("N")
      ->check(CLI::Range(Index(1), Index(1000000)).description(""))
      ->group(what);
  problem(parser, what);
  parser.add_option("--scale", scale, "of the inputs, remembered by the model (default none)")
      ->type_name("none|center|standardize")
      ->group(what);
  add_common_to(parser);
  parser.get_option("--label")->description("the column of classes: name or 0-based index; needed");
}

void add_decision(CLI::App& parser, std::string& decision, const std::string& group) {
  parser.add_option("--decide", decision, "by threshold (auto for two classes) or nearest centroid")
      ->type_name("auto|threshold|centroid")
      ->check(CLI::IsMember({"auto", "threshold", "centroid"}).description(""))
      ->group(group);
}

Command add_lda(CLI::App& program) {
  struct Flags : DiscriminantFlags {
    double ridge = 0;
  };
  auto flags = std::make_shared<Flags>();
  auto* parser = program.add_subcommand("lda", "linear discriminants: directions that tell classes apart");
  flags->add_to(*parser, [&](CLI::App& app, const std::string& group) {
    app.add_option("--ridge", flags->ridge, "added to the scatter within classes (default 0)")
        ->type_name("MU")
        ->check(positive_number(true))
        ->group(group);
  });
  parser->footer("Example: mercer lda wine.csv --label class --model wine.mercer --out scores.csv");

  return {parser, [flags](const Session& session) {
            require_label(*flags, "lda");
            const LinearDiscriminantOptions options{
                .components = flags->directions, .ridge = flags->ridge, .scale = parse_scale(flags->scale)};
            fit_and_write<LinearDiscriminant>("lda", *flags, options, session);
          }};
}

void require_label(const FitFlags& flags, const std::string& method) {
  if (flags.read.label.empty())
    throw Error(ErrorCode::usage, method + " needs the classes of the samples",
                "name their column with --label");
}

}  // namespace mercer::app
