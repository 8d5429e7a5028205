// How --help looks: usage, what the command is for, options in groups, an example; on one screen.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace mercer::app {

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

}  // namespace mercer::app
