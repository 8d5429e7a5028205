// The program: finds the command, runs it, and turns every way of failing into an exit code and a
// sentence that says what to do.
#include "command.hpp"
#include "help.hpp"
#include "interrupt.hpp"
#include "suggest.hpp"
#include "terminal.hpp"
#include "waiting.hpp"

#include <mercer/error.hpp>
#include <mercer/version.hpp>

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace mercer::app {
namespace {

constexpr int exit_usage = static_cast<int>(ErrorCode::usage);
constexpr int exit_no_memory = static_cast<int>(ErrorCode::no_memory);
constexpr int exit_bug = static_cast<int>(ErrorCode::internal);

/// A wrong command line: what is wrong, and where to look it up.
int usage_failure(const std::string& message, const std::string& command) {
  complain(fmt::format("{} (see 'mercer {}--help')", message, command.empty() ? "" : command + " "));
  return exit_usage;
}

/// By the system's own call: anything else might need memory.
int out_of_memory() noexcept {
  constexpr std::string_view words =
      "mercer: out of memory (give the fit a budget, such as --memory 2G, or use --precision float)\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, words.data(), words.size());
  return exit_no_memory;
}

int end_as_a_bug() noexcept {
  constexpr std::string_view words = "mercer: this is a bug (please report it with the command you typed)\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, words.data(), words.size());
  return exit_bug;
}

/// Where an exception must not leave, as in destructors: nlohmann::json's, for one, asks for memory. The next
/// run that writes the same files removes the temporary ones.
[[noreturn]] void end_at_once() noexcept {
  try {
    if (const auto failure = std::current_exception()) std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    _exit(out_of_memory());
  } catch (...) {  // the same as without one
  }
  _exit(end_as_a_bug());
}

int run_command(const Command& command, const Interrupts& interrupts) {
  try {
    command.run({interrupts});
    flush_stdout();
    return 0;
  } catch (const Error& error) {
    if (interrupts.requested()) {
      complain("interrupted");
      return static_cast<int>(ErrorCode::cancelled);
    }
    if (error.code() == ErrorCode::io && stdout_reader_is_gone()) {
      ::signal(SIGPIPE, SIG_DFL);  // end quietly, as programs in a pipe do
      ::raise(SIGPIPE);
    }
    complain(error.what());
    return static_cast<int>(error.code());
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::filesystem::filesystem_error& error) {
    complain(fmt::format("{}: {}", error.path1().string(), error.code().message()));
    return static_cast<int>(ErrorCode::io);
  } catch (const std::exception& error) {
    complain(fmt::format("this is a bug in mercer {}: {} (please report it with the command you typed)",
                         version, error.what()));
    return exit_bug;
  }
}

/// What the first option that the command does not have was probably meant to be.
std::string option_meant(const CLI::App& command, int count, char** arguments) {
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  for (int i = 2; i < count; ++i) {
    const std::string argument = arguments[i], name = argument.substr(0, argument.find('='));
    if (name == "--") break;
    if (name.rfind("--", 0) == 0 && std::find(known.begin(), known.end(), name) == known.end())
      return did_you_mean(name, known);
  }
  return "";
}

int parse_and_run(int count, char** arguments) {
  CLI::App program("Kernel PCA and its family: fast, exact, certified. 'mercer COMMAND --help' says more.",
                   "mercer");
  program.formatter(std::make_shared<HelpFormatter>());
  program.set_help_flag("-h, --help", "this text");
  program.set_version_flag("--version", fmt::format("mercer {}", version), "the version");
  program.footer(
      "Data: csv, tsv, npy, npz, libsvm (also .gz), '-' is stdin; arrays: npy, npz, tns, a folder of "
      "images.\n"
      "Example: mercer kpca digits.csv.gz --label 64 -k 2 --out scores.csv --model digits.mercer");
  const std::vector<Command> commands = {
      add_pca(program),          add_kpca(program),    add_basis_pca(program), add_lda(program),
      add_klda(program),         add_isomap(program),  add_lle(program),       add_hlle(program),
      add_laplacian(program),    add_mvu(program),     add_tsne(program),      add_tucker(program),
      add_cp(program),           add_svd2d(program),   add_transform(program), add_predict(program),
      add_update(program),       add_merge(program),   add_inverse(program),   add_denoise(program),
      add_tune(program),         add_compare(program), add_info(program),      add_plot(program),
      add_check_kernel(program), add_kernels(program), add_convert(program),   add_generate(program),
      add_demo(program)};

  const std::string first = count > 1 ? arguments[1] : "";
  if (first.empty()) return usage_failure("no command given", "");
  std::vector<std::string> names;
  const CLI::App* named = nullptr;
  for (const Command& command : commands) {
    names.push_back(command.parser->get_name());
    if (names.back() == first) named = command.parser;
  }
  if (first[0] != '-' && named == nullptr)
    return usage_failure(fmt::format("there is no command '{}'{}", first, did_you_mean(first, names)), "");

  try {
    program.parse(count, arguments);
  } catch (const CLI::Success& success) {  // --help, --version
    program.exit(success);
    return std::fflush(stdout) == 0 ? 0 : static_cast<int>(ErrorCode::io);
  } catch (const CLI::ParseError& error) {
    const std::string meant = named != nullptr ? option_meant(*named, count, arguments) : "";
    return usage_failure(error.what() + meant, named != nullptr ? first : "");
  }

  for (const auto& command : commands)
    if (command.parser->parsed()) {
      const Interrupts interrupts;
      return run_command(command, interrupts);
    }
  return usage_failure("no command given", "");
}

}  // namespace

static int main_or_bug(int count, char** arguments) noexcept {
  std::set_terminate(end_at_once);
  try {
    return parse_and_run(count, arguments);
  } catch (const std::bad_alloc&) {  // even for a message
    return out_of_memory();
  } catch (...) {
    return end_as_a_bug();
  }
}

}  // namespace mercer::app

int main(int count, char** arguments) {
  mercer::app::hold_standard_streams();
  mercer::app::wait_passively(arguments);
  return mercer::app::main_or_bug(count, arguments);
}
