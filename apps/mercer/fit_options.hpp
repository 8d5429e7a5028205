// What every fitting command takes: data, how many components, what to write, how to run.
#pragma once

#include "command.hpp"
#include "terminal.hpp"

#include <mercer/dataset.hpp>
#include <mercer/plan.hpp>
#include <mercer/scaling.hpp>

#include <string>

namespace mercer::app {

/// Refuses what is not a finite number above 0, in words.
[[nodiscard]] CLI::Validator positive_number(bool or_zero = false);

/// Refuses what is not a whole number of at most 19 digits, in words.
[[nodiscard]] CLI::Validator seed_number();

/// Options of commands that read one table.
struct ReadFlags {
  std::string label;
  std::string missing = "error";
  bool transpose = false;
  bool may_fit = false;  ///< the command has a use for --missing fit

  void add_to(CLI::App& parser, const std::string& group);
  [[nodiscard]] ReadOptions parsed() const;
};

/// Options of commands that compute for a while.
struct RunFlags {
  int threads = 0;
  std::uint64_t seed = 0;
  std::string memory;
  bool quiet = false;

  [[nodiscard]] std::size_t bytes() const { return memory.empty() ? 0 : parse_bytes(memory); }
  [[nodiscard]] Run run(const Session& session, ProgressBar& bar) const;
};

struct FitFlags {
  std::string data, out, model;
  std::string components = "2", scale = "none", center = "yes", route = "auto", precision = "double";
  double residual = 0;
  bool keep_label = false, explain = false, json = false;
  ReadFlags read;
  RunFlags run;

  /// `problem`: what the command adds to the group of the same name before the shared rest.
  void add_to(CLI::App& parser, const std::function<void(CLI::App&, const std::string& group)>& problem);
  /// Reading, results and running, for commands with a problem of their own.
  void add_common_to(CLI::App& parser);
  /// Plan, precision, memory, threads and seed.
  void add_running_to(CLI::App& parser);
  /// Throws Error{usage} or Error{cannot_create} for what can be known before reading.
  void check() const;
  [[nodiscard]] bool centered() const { return center == "yes"; }
};

void add_precision(CLI::App& parser, std::string& precision, const std::string& group);
[[nodiscard]] Precision parse_precision(const std::string& name);
void add_threads(CLI::App& parser, RunFlags& run, const std::string& group);
void add_memory(CLI::App& parser, RunFlags& run, const std::string& group);
void add_seed(CLI::App& parser, RunFlags& run, const std::string& group);
void add_quiet(CLI::App& parser, RunFlags& run, const std::string& group);

}  // namespace mercer::app
