// mercer tune: which kernel, which width, how many components? A table, a picture, and the command to run.
#include "files.hpp"
#include "fit_options.hpp"
#include "kernels.hpp"

#include <mercer/error.hpp>
#include <mercer/plot.hpp>
#include <mercer/tune.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>

namespace mercer::app {
namespace {

struct TuneFlags {
  std::string data, scale = "none", by = "auto", plot;
  std::vector<std::string> kernels;
  Index components = 0, folds = 5, rows = 600, permutations = 20;
  bool json = false;
  ReadFlags read;
  RunFlags run;
};

/// As a shell reads it back: within single quotes only a quote itself is special.
std::string quoted(const std::string& word) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || std::string("._-/=:").find(c) != std::string::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// The fit that this advice leads to.
std::string command_for(const TuneFlags& flags, const Tuning& t) {
  auto text = fmt::format("mercer kpca {} --kernel {} -k {}", quoted(flags.data),
                          quoted(t.trials.front().kernel.to_string()), t.components);
  if (!flags.read.label.empty()) text += " --label " + quoted(flags.read.label);
  if (flags.scale != "none") text += " --scale " + flags.scale;
  if (flags.read.missing != "error") text += " --missing " + flags.read.missing;
  if (flags.read.transpose) text += " --transpose";
  return text;
}

void print_json(const TuneFlags& flags, const Tuning& t, Index n, Index d) {
  nlohmann::ordered_json json = {{"command", "tune"},
                                 {"n", n},
                                 {"d", d},
                                 {"rows", t.rows},
                                 {"folds", t.folds},
                                 {"by", name_of(t.by)},
                                 {"kernel", t.trials.front().kernel.to_string()},
                                 {"components", t.components},
                                 {"swept_with", t.swept_with}};
  auto trials = nlohmann::ordered_json::array();
  for (const Trial& trial : t.trials) {
    nlohmann::ordered_json entry = {{"kernel", trial.kernel.to_string()},
                                    {"width", trial.width},
                                    {"error", trial.error},
                                    {"spread", trial.spread}};
    if (trial.accuracy) entry["accuracy"] = *trial.accuracy;
    if (trial.alignment) entry["alignment"] = *trial.alignment;
    trials.push_back(std::move(entry));
  }
  json["trials"] = std::move(trials);
  const auto list = [](const Vector<double>& v) { return std::vector<double>(v.begin(), v.end()); };
  json["component_rules"] = {{"share", t.advice.by_share ? nlohmann::ordered_json(*t.advice.by_share)
                                                         : nlohmann::ordered_json(nullptr)},
                             {"parallel", t.advice.by_parallel},
                             {"knee", t.advice.by_knee},
                             {"variances", list(t.advice.eigenvalues)},
                             {"permuted", list(t.advice.permuted)}};
  json["notes"] = t.notes;
  json["run"] = command_for(flags, t);
  print(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

void print_words(const TuneFlags& flags, const Tuning& t) {
  const bool classes = t.trials.front().accuracy.has_value();
  std::size_t widest = 6;
  for (const Trial& trial : t.trials) widest = std::max(widest, trial.kernel.to_string().size());
  std::string text = fmt::format("{:<{}}  {:>15}{}\n", "kernel", widest, "held-out error",
                                 classes ? "  accuracy  alignment" : "");
  for (const Trial& trial : t.trials) {
    text += fmt::format("{:<{}}  {:>6.2f} % ± {:>4.2f}", trial.kernel.to_string(), widest, 100 * trial.error,
                        100 * trial.spread);
    if (classes) text += fmt::format("  {:>6.1f} %  {:>9.3f}", 100 * *trial.accuracy, *trial.alignment);
    text += "\n";
  }
  text += fmt::format(
      "\nranked by {} with {} component{}, {} rows, {} folds; the error is that of pre-images, over the "
      "variance\n",
      name_of(t.by), t.swept_with, t.swept_with == 1 ? "" : "s", t.rows, t.folds);
  const std::string by_share = t.advice.by_share ? fmt::to_string(*t.advice.by_share)
                                                 : fmt::format("more than {}", t.advice.eigenvalues.size());
  text +=
      fmt::format("components {} by a share of 90 % of variance, {} by parallel analysis, {} by the knee\n",
                  by_share, t.advice.by_parallel, t.advice.by_knee);
  for (const std::string& note : t.notes) text += fmt::format("note       {}\n", note);
  if (!flags.plot.empty()) text += fmt::format("picture    {}\n", flags.plot);
  text += fmt::format("chosen     {}\n", command_for(flags, t));
  print(text);
}

void tune_and_report(const TuneFlags& flags, const TuneOptions& options, const Session& session) {
  ProgressBar bar(!flags.run.quiet);
  const Run run = flags.run.run(session, bar);
  const auto data = read_dataset<double>(flags.data, flags.read.parsed(), run);
  session.interrupts.check();
  const Tuning t = tune(data, options, run);
  if (!flags.plot.empty()) plot::sweep(flags.plot, t);
  if (flags.json)
    print_json(flags, t, data.samples.rows(), data.samples.cols());
  else
    print_words(flags, t);
}

}  // namespace

Command add_tune(CLI::App& program) {
  auto flags = std::make_shared<TuneFlags>();
  auto* parser = program.add_subcommand("tune", "which kernel, which width, how many components?");
  parser->add_option("DATA", flags->data, "csv, tsv, npy, npz, libsvm (text also .gz); '-' is CSV on stdin")
      ->required();
  const std::string what = "Problem", results = "Results", how = "Running";
  parser->add_option("--kernel", flags->kernels, "may be repeated (default: five common ones)")
      ->type_name("SPEC")
      ->take_all()
      ->expected(1)
      ->group(what);
  parser->add_option("-k,--components", flags->components, "default: as parallel analysis says")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000).description(""))
      ->group(what);
  parser->add_option("--by", flags->by, "default accuracy with --label, else error")
      ->type_name("error|accuracy|alignment")
      ->group(what);
  parser->add_option("--scale", flags->scale, "of the inputs (default none)")
      ->type_name("none|center|standardize")
      ->group(what);
  flags->read.add_to(*parser, "Reading");
  parser->add_option("--plot", flags->plot, "the sweep as a picture: svg, png, pdf")
      ->type_name("FILE")
      ->group(results);
  parser->add_flag("--json", flags->json, "as JSON on stdout")->group(results);
  add_quiet(*parser, flags->run, results);
  parser->add_option("--folds", flags->folds, "of the cross-validation (default 5)")
      ->type_name("N")
      ->group(how);
  parser->add_option("--rows", flags->rows, "at most so many, drawn at random (default 600)")
      ->type_name("N")
      ->group(how);
  parser->add_option("--permutations", flags->permutations, "of parallel analysis (default 20)")
      ->type_name("N")
      ->check(CLI::Range(1, 10000).description(""))
      ->group(how);
  add_memory(*parser, flags->run, how);
  add_threads(*parser, flags->run, how);
  add_seed(*parser, flags->run, how);
  parser->footer(
      "Widths left open (rbf, gamma=median, gamma=auto, length=1) are swept around the median heuristic.\n"
      "Kernels are compared by how well held-out points come back from their scores.\n"
      "Example: mercer tune wine.csv --label class --scale standardize --plot sweep.svg");

  return {parser, [flags](const Session& session) {
            TuneOptions options{.components = flags->components,
                                .scale = parse_scale(flags->scale),
                                .by = parse_tune_by(flags->by),
                                .folds = flags->folds,
                                .rows = flags->rows,
                                .permutations = flags->permutations};
            for (const std::string& text : flags->kernels) options.kernels.push_back(parse_kernel(text));
            if (!flags->plot.empty()) plot::require_picture(flags->plot);
            require_creatable(flags->plot);
            tune_and_report(*flags, options, session);
          }};
}

}  // namespace mercer::app
