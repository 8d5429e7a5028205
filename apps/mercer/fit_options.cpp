// The shared options: their names and their help, once.
#include "fit_options.hpp"

#include "files.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace mercer::app {

CLI::Validator seed_number() {
  return CLI::Validator(
      [](const std::string& text) {
        const bool digits = text.find_first_not_of("0123456789") == std::string::npos;
        return digits && !text.empty() && text.size() <= 19
                   ? std::string()
                   : fmt::format("'{}' is no whole number of at most 19 digits", text);
      },
      "");
}

CLI::Validator positive_number(bool or_zero) {
  return {[or_zero](const std::string& text) {
            char* end = nullptr;
            const double value = std::strtod(text.c_str(), &end);
            const bool good = end != text.c_str() && *end == '\0' && std::isfinite(value) &&
                              (value > 0 || (or_zero && value == 0));
            return good ? std::string()
                        : fmt::format("'{}' is not a number {}", text, or_zero ? "of 0 or more" : "above 0");
          },
          ""};
}

void ReadFlags::add_to(CLI::App& parser, const std::string& group) {
  parser.add_option("--label", label, "name or 0-based index of the column that is not a feature")
      ->type_name("COLUMN")
      ->group(group);
  parser.add_option("--missing", missing, "what to do with empty cells and NaN (default error)")
      ->type_name(may_fit ? "error|drop|mean|fit" : "error|drop|mean")
      ->group(group);
  parser.add_flag("--transpose", transpose, "columns are samples")->group(group);
}

ReadOptions ReadFlags::parsed() const {
  const Missing policy = parse_missing(missing);
  if (policy == Missing::fit && !may_fit)
    throw Error(ErrorCode::usage, "--missing fit is for pca, which can estimate gaps", "error, drop or mean");
  return {.label = label, .missing = policy, .transpose = transpose};
}

Run RunFlags::run(const Session& session, ProgressBar& bar) const {
  return {.threads = threads,
          .seed = seed,
          .memory = bytes(),
          .progress = bar.callback(),
          .stop = session.interrupts.token()};
}

void add_precision(CLI::App& parser, std::string& precision, const std::string& group) {
  parser.add_option("--precision", precision, "of the numbers (default double)")
      ->type_name("double|float")
      ->check(CLI::IsMember({"double", "float"}).description(""))
      ->group(group);
}

Precision parse_precision(const std::string& name) {
  return name == "float" ? Precision::float32 : Precision::float64;
}

void add_threads(CLI::App& parser, RunFlags& run, const std::string& group) {
  parser.add_option("--threads", run.threads, "default: all cores")
      ->type_name("N")
      ->check(CLI::Range(1, 4096).description(""))
      ->group(group);
}

void add_memory(CLI::App& parser, RunFlags& run, const std::string& group) {
  parser.add_option("--memory", run.memory, "budget such as 400M or 4G (default half the machine's)")
      ->type_name("SIZE")
      ->group(group);
}

void add_seed(CLI::App& parser, RunFlags& run, const std::string& group) {
  parser.add_option("--seed", run.seed, "of every random choice (default 0)")
      ->type_name("N")
      ->check(seed_number())
      ->group(group);
}

void add_quiet(CLI::App& parser, RunFlags& run, const std::string& group) {
  parser.add_flag("-q,--quiet", run.quiet, "no summary and no progress")->group(group);
}

void FitFlags::add_to(CLI::App& parser, const std::function<void(CLI::App&, const std::string&)>& problem) {
  parser.add_option("DATA", data, "csv, tsv, npy, npz, libsvm (text also .gz); '-' is CSV on stdin")
      ->required();
  const std::string what = "Problem", how = "Running";

  parser.add_option("-k,--components", components, "a count (default 2), or the share of variance to reach")
      ->type_name("N|FRACTION")
      ->group(what);
  problem(parser, what);
  parser.add_option("--center", center, "in feature space (default yes)")
      ->type_name("yes|no")
      ->check(CLI::IsMember({"yes", "no"}).description(""))
      ->group(what);
  parser.add_option("--scale", scale, "of the inputs, remembered by the model (default none)")
      ->type_name("none|center|standardize")
      ->group(what);

  add_common_to(parser);
  parser.add_option("--route", route, "auto (default), dense, stored, tiled; kpca also lowrank")
      ->type_name("ROUTE")
      ->group(how);
  parser.add_option("--residual", residual, "relative to the largest eigenvalue (1e-10; 1e-5 in float)")
      ->type_name("R")
      ->check(positive_number())
      ->group(how);
}

void FitFlags::add_common_to(CLI::App& parser) {
  const std::string reading = "Reading", result = "Results";
  read.add_to(parser, reading);

  parser.add_option("--out", out, "the scores: csv, tsv, npy, npz; '-' is CSV on stdout")
      ->type_name("FILE")
      ->group(result);
  parser.add_flag("--keep-label", keep_label, "append the label column to the scores")->group(result);
  parser.add_option("--model", model, "the fitted model, for transform, info and plot")
      ->type_name("FILE")
      ->group(result);
  parser.add_flag("--json", json, "the report as JSON on stdout")->group(result);
  add_quiet(parser, run, result);
  add_running_to(parser);
}

void FitFlags::add_running_to(CLI::App& parser) {
  const std::string how = "Running";
  parser.add_flag("--explain", explain, "print the plan (route, memory, flops, time) and stop")->group(how);
  add_precision(parser, precision, how);
  add_memory(parser, run, how);
  add_threads(parser, run, how);
  add_seed(parser, run, how);
}

void FitFlags::check() const {
  std::error_code unknown;
  const bool devices = std::filesystem::is_other(out, unknown);
  if (!devices && same_file(out, model))
    throw Error(ErrorCode::usage, fmt::format("--out and --model are both {}", out), "name two files");
  for (const auto& output : {out, model})
    if (!devices && same_file(output, data))
      throw Error(ErrorCode::usage, fmt::format("{} is the data itself and would be overwritten", output),
                  "name another file");
  if (json && is_stream(out))
    throw Error(ErrorCode::usage, "--json and --out - both want standard output",
                "write the scores to a file");
  if (keep_label && read.label.empty())
    throw Error(ErrorCode::usage, "--keep-label needs --label", "name the column to keep");
  if (is_stream(model))
    throw Error(ErrorCode::usage, "a model cannot be written to standard output", "name a file");
  if (!explain) {
    require_table_creatable(out);
    require_creatable(model);
  }
}

}  // namespace mercer::app
