// The layout of --help.
#include "help.hpp"

#include <fmt/format.h>

#include <iterator>

namespace mercer::app {
namespace {

/// Where the explanations begin.
constexpr std::size_t column = 35;

void add_row(std::string& out, const std::string& left, const std::string& right) {
  if (left.size() + 4 > column) {  // too wide: the explanation goes to a line of its own
    fmt::format_to(std::back_inserter(out), "  {}\n{:{}}{}\n", left, "", column, right);
  } else {
    fmt::format_to(std::back_inserter(out), "  {:{}}{}\n", left, column - 2, right);
  }
}

std::string name_of(const CLI::Option& option) {
  std::string name;
  for (const auto& letter : option.get_snames()) name += "-" + letter + ", ";
  for (const auto& word : option.get_lnames()) name += "--" + word;
  if (option.get_type_size() != 0 && !option.get_type_name().empty()) name += " " + option.get_type_name();
  return name;
}

}  // namespace

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const {
  std::string out = fmt::format("usage: {}", name);
  const auto positionals = app->get_options([](const CLI::Option* o) { return o->get_positional(); });
  const auto commands = app->get_subcommands([](const CLI::App*) { return true; });
  if (!commands.empty()) out += " COMMAND ...";
  for (const auto* p : positionals)
    out += p->get_required() ? " " + p->get_name(true) : " [" + p->get_name(true) + "]";
  out += " [options]\n";
  if (!app->get_description().empty()) out += app->get_description() + "\n";

  if (!commands.empty()) out += "\nCommands:\n";
  for (const auto* command : commands) add_row(out, command->get_name(), command->get_description());
  out += "\n";
  for (const auto* p : positionals) add_row(out, p->get_name(true), p->get_description());

  for (const auto& group : app->get_groups()) {
    const auto options = app->get_options([&](const CLI::Option* o) {
      return o->get_group() == group && o->nonpositional() && !group.empty();
    });
    if (options.empty() || (options.size() == 1 && options[0] == app->get_help_ptr())) continue;
    out += group + ":\n";
    for (const auto* option : options) add_row(out, name_of(*option), option->get_description());
  }
  if (!app->get_footer().empty()) out += "\n" + app->get_footer() + "\n";
  return out;
}

}  // namespace mercer::app
