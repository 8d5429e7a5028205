// What goes to the person at the terminal: colour where it is wanted, a progress bar, and words on
// standard error; and stdout with its failures noticed.
#pragma once

#include <mercer/run.hpp>

#include <chrono>
#include <string>
#include <string_view>

namespace mercer::app {

/// A terminal, NO_COLOR unset (https://no-color.org), TERM not "dumb".
[[nodiscard]] bool stderr_takes_colour();

/// Gives a stream that was closed (>&-) a place of its own, where reading from it or writing to it fails:
/// else the next file to be opened would take its number, and a report would be written into a model.
void hold_standard_streams() noexcept;

/// One line on standard error.
void say(std::string_view line);

/// "mercer: MESSAGE" on standard error.
void complain(std::string_view message);

/// Text on standard output; throws Error{io} when that fails.
void print(std::string_view text);
/// Writes out what is buffered; throws Error{io} when that fails.
void flush_stdout();
/// Did the reader of our standard output go away (| head)?
[[nodiscard]] bool stdout_reader_is_gone();

/// A bar on standard error, drawn only on a terminal and only when the work takes a while; removed
/// by the destructor.
class ProgressBar {
 public:
  explicit ProgressBar(bool wanted);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Empty when nothing will be drawn; the bar must outlive it.
  [[nodiscard]] ProgressCallback callback();

 private:
  void draw(std::string_view stage, double fraction);

  using Clock = std::chrono::steady_clock;
  bool wanted_;
  bool drawn_ = false;
  Clock::time_point started_ = Clock::now(), last_ = started_;
};

}  // namespace mercer::app
