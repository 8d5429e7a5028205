// What the demo's examples share: where they write, how they speak.
#pragma once

#include "files.hpp"
#include "fit_options.hpp"

#include <mercer/mercer.hpp>
#include <mercer/plot.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <string>
#include <vector>

namespace mercer::app {

using Data = Dataset<double>;
using Scores = Matrix<double>;

/// Where the demo writes, and what it has written.
class Demo {
 public:
  Demo(std::string folder, const Session& session) : folder_(std::move(folder)) {
    run.stop = session.interrupts.token();
  }

  [[nodiscard]] std::string path(const std::string& name) {
    written_.push_back(name);
    return (folder_ / name).string();
  }
  /// Fits, saves model and scores, gives the model.
  template <class Method, class Options>
  Method fit(const std::string& name, const Data& data, const Options& options) {
    auto model = Method::fit(data, options, run);
    model.save(path(name + ".mercer"));
    write_table<double>(path(name + "-scores.csv"), model.scores(), component_names(model.components()),
                        data.label);
    return model;
  }
  void title(const std::string& text) const { print(fmt::format("\n{}\n", text)); }
  void line(const std::string& text) const { print(fmt::format("  {}\n", text)); }
  void list_written() {
    line(fmt::format("-> {}", fmt::join(written_, "  ")));
    written_.clear();
    flush_stdout();
    run.check();
  }

  Run run;

 private:
  std::filesystem::path folder_;
  std::vector<std::string> written_;
};

inline plot::Style styled(std::string title, std::vector<std::string> axes = {}) {
  plot::Style style;
  style.title = std::move(title);
  style.axes = std::move(axes);
  return style;
}

/// In the source tree, or beside the installed program.
[[nodiscard]] std::string example_file(const std::string& name);

/// The swiss roll by every method.
void unrolled(Demo& demo);
// The examples of N-way arrays.
void mixtures(Demo& demo);
void digit_cores(Demo& demo);

}  // namespace mercer::app
