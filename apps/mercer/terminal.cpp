// Terminal output.
#include "terminal.hpp"

#include <mercer/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace mercer::app {
namespace {

void write_stderr(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

[[noreturn]] void stdout_failed() {
  throw Error(ErrorCode::io, fmt::format("standard output: writing failed: {}", std::strerror(errno)));
}

}  // namespace

bool stderr_takes_colour() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* kind = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && (no_colour == nullptr || *no_colour == '\0') && kind != nullptr &&
         std::string_view(kind) != "dumb";
}

void hold_standard_streams() noexcept {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    const int file = ::open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_WRONLY);  // the lowest number
    if (file >= 0 && file != stream) ::close(file);
  }
}

void say(std::string_view line) { write_stderr(fmt::format("{}\n", line)); }

void complain(std::string_view message) {
  const auto name = stderr_takes_colour() ? "\x1b[1;31mmercer:\x1b[0m" : "mercer:";
  write_stderr(fmt::format("{} {}\n", name, message));
}

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) stdout_failed();
}

void flush_stdout() {
  if (std::fflush(stdout) != 0) stdout_failed();
}

bool stdout_reader_is_gone() {
  pollfd out{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return ::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

ProgressBar::ProgressBar(bool wanted) : wanted_(wanted && ::isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (drawn_) write_stderr("\r\x1b[K");
}

ProgressCallback ProgressBar::callback() {
  if (!wanted_) return {};
  return [this](std::string_view stage, double fraction) { draw(stage, fraction); };
}

void ProgressBar::draw(std::string_view stage, double fraction) {
  using namespace std::chrono_literals;
  const auto now = Clock::now();
  if (now - started_ < 300ms || now - last_ < 100ms) return;  // short work needs no bar
  last_ = now;
  drawn_ = true;
  constexpr int width = 30;
  fraction = std::clamp(fraction, 0.0, 1.0);
  const int done = static_cast<int>(fraction * width);
  const auto bar = fmt::format("{:#<{}}{:-<{}}", "", done, "", width - done);
  const bool colour = stderr_takes_colour();
  write_stderr(fmt::format("\r\x1b[K[{}{}{}] {:3.0f} % {}", colour ? "\x1b[36m" : "", bar,
                           colour ? "\x1b[0m" : "", 100 * fraction, stage));
}

}  // namespace mercer::app
