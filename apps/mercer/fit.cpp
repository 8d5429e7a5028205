// The plan and the report of a fit, for people or as JSON.
#include "fit.hpp"

#include "terminal.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace mercer::app {

namespace {

void print_plan(const Plan& plan, nlohmann::ordered_json json, const FitFlags& flags) {
  if (!flags.json) {
    print(plan.to_string());
    return;
  }
  json["precision"] = flags.precision;
  json["plan"] = {{"route", name_of(plan.route)},
                  {"problem", plan.problem},
                  {"reason", plan.reason},
                  {"bytes", std::llround(plan.bytes)},
                  {"flops", std::llround(plan.flops)},
                  {"seconds", plan.seconds},
                  {"budget", plan.budget},
                  {"rejected", plan.rejected}};
  print(json.dump(2) + "\n");
}

}  // namespace

void print_plan(const Plan& plan, std::string_view method, Index n, Index d, const FitFlags& flags) {
  print_plan(plan, {{"method", method}, {"n", n}, {"d", d}}, flags);
}

void print_plan(const Plan& plan, std::string_view method, const std::vector<Index>& shape,
                const FitFlags& flags) {
  print_plan(plan, {{"method", method}, {"shape", shape}}, flags);
}

void print_report(Report report, double read_seconds, double write_seconds, double total_seconds,
                  Index dropped, const FitFlags& flags, const std::vector<Written>& more) {
  auto& stages = report.seconds;
  std::erase_if(stages, [](const auto& stage) { return stage.first == "total"; });
  stages.insert(stages.begin(), {"read", read_seconds});
  stages.emplace_back("write", write_seconds);
  stages.emplace_back("total", total_seconds);
  report.peak_bytes = std::max(report.peak_bytes, peak_memory());
  if (dropped > 0)
    report.notes.push_back(
        fmt::format("{} row{} with missing values left out", dropped, dropped == 1 ? "" : "s"));

  const auto with_newline = [](std::string text) {
    if (text.empty() || text.back() != '\n') text += '\n';
    return text;
  };
  if (flags.json) {
    print(with_newline(report.to_json()));
    return;
  }
  if (flags.run.quiet) return;
  auto text = with_newline(report.to_string());
  std::vector<Written> files{{"scores", flags.out}, {"model", flags.model}};
  files.insert(files.end(), more.begin(), more.end());
  for (const auto& [what, path] : files)
    if (!path.empty() && !is_stream(path)) text += fmt::format("{:<10} {}\n", what, path);
  if (is_stream(flags.out)) {
    text.pop_back();
    say(text);
  } else {
    print(text);
  }
}

}  // namespace mercer::app
