// What the methods on tables share: read, plan or fit, write, report.
#pragma once

#include "files.hpp"
#include "fit_options.hpp"

#include <mercer/dataset.hpp>
#include <mercer/error.hpp>
#include <mercer/report.hpp>

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mercer::app {

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void print_plan(const Plan& plan, std::string_view method, Index n, Index d, const FitFlags& flags);
/// Of an N-way array.
void print_plan(const Plan& plan, std::string_view method, const std::vector<Index>& shape,
                const FitFlags& flags);

/// A file that was written, if it was, and what it is.
struct Written {
  std::string what, path;
};

/// Adds what only the command line knows (reading, writing, rows left out) and prints the report
/// where the flags want it.
void print_report(Report report, double read_seconds, double write_seconds, double total_seconds,
                  Index dropped, const FitFlags& flags, const std::vector<Written>& more = {});

/// The label of the rows that have scores: a model that leaves rows out says which it kept.
template <class Model, class T>
[[nodiscard]] std::optional<Label> label_of_scores(const Model& model, const Dataset<T>& data) {
  if constexpr (requires { model.rows(); }) return model.label();
  return data.label;
}

/// The scores as they are written. Of a model that leaves rows out, the first column says which rows they
/// are, counted from 0.
template <class T, class Model>
void write_scores(const Model& model, const Dataset<T>& data, const FitFlags& flags) {
  Matrix<T> scores = model.scores();
  std::vector<std::string> names = component_names(model.components());
  if constexpr (requires { model.rows(); }) {
    if (static_cast<Index>(model.rows().size()) < data.samples.rows()) {
      Matrix<T> numbered(scores.rows(), scores.cols() + 1);
      for (Index i = 0; i < scores.rows(); ++i)
        numbered(i, 0) = static_cast<T>(model.rows()[static_cast<std::size_t>(i)]);
      numbered.rightCols(scores.cols()) = scores;
      scores = std::move(numbered);
      names.insert(names.begin(), "row");
    }
  }
  write_table<T>(flags.out, scores, names, flags.keep_label ? label_of_scores(model, data) : std::nullopt);
}

/// Method is Pca, KernelPca or the like; one with a `read` of its own reads the data by it.
template <template <class> class Method, class Options>
void fit_and_write(std::string_view method, const FitFlags& flags, const Options& options,
                   const Session& session, const std::vector<Written>& more = {}) {
  flags.check();
  const auto read_options = flags.read.parsed();
  const Stopwatch total;
  ProgressBar bar(!flags.run.quiet);
  const Run run = flags.run.run(session, bar);

  with_precision(parse_precision(flags.precision), [&]<class T>() {
    const auto data = [&] {
      if constexpr (requires { Method<T>::read(flags.data, read_options, options, run); })
        return Method<T>::read(flags.data, read_options, options, run);
      else
        return read_dataset<T>(flags.data, read_options, run);
    }();
    session.interrupts.check();
    const double read_seconds = total.seconds();
    if (flags.explain) {
      const auto& x = data.samples;
      print_plan(Method<T>::plan(x, options, run), method, x.rows(), x.cols(), flags);
      return;
    }
    const auto model = Method<T>::fit(data, options, run);
    if (!flags.out.empty() && model.components() == 0)
      throw Error(ErrorCode::bad_data,
                  fmt::format("{}: the samples do not vary, so there are no scores to write", flags.data),
                  "leave out --out to see the report");
    const Stopwatch writing;
    if (!flags.model.empty()) model.save(flags.model);
    if (!flags.out.empty()) write_scores(model, data, flags);
    print_report(model.report(), read_seconds, writing.seconds(), total.seconds(), data.dropped, flags, more);
  });
}

}  // namespace mercer::app
