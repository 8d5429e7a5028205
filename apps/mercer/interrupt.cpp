// Signals through a pipe (the "self-pipe trick").
#include "interrupt.hpp"

#include <mercer/error.hpp>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <exception>
#include <utility>

namespace mercer::app {
namespace {

constexpr int exit_interrupted = 130;
constexpr char stop_byte = 's';

// What the handler touches must outlive every object, hence these.
std::atomic<int> write_end{-1};
std::atomic<int> no_input{-1};
std::atomic<int> signals_seen{0};
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void on_signal(int) {
  const int error_before = errno;
  if (signals_seen.fetch_add(1) > 0) _exit(exit_interrupted);
  [[maybe_unused]] const auto written = ::write(write_end.load(), &stop_byte, 1);
  ::dup2(no_input.load(), STDIN_FILENO);  // a read that waits for input, started again, finds its end
  errno = error_before;
}

/// The thread at the other end, if one can be had. It must not be the one that is interrupted.
std::thread watch(std::stop_source source, int read_end) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread watcher;
  try {
    watcher = std::thread([source = std::move(source), read_end]() mutable {
      char byte = 0;
      for (;;) {
        const auto got = ::read(read_end, &byte, 1);
        if (got < 0 && errno == EINTR) continue;
        if (got != 1) break;  // the other end is closed: nothing more to wait for
        source.request_stop();
      }
    });
  } catch (const std::exception&) {  // no memory or no thread: then Ctrl-C just ends the program, as usual
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return watcher;
}

}  // namespace

Interrupts::Interrupts() {
  // A reader that went away (| head) and a file at its largest size show up as a failed write, so that
  // temporary files are removed.
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);

  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;  // then Ctrl-C just ends the program, as usual
  read_end_ = ends[0];
  write_end = ends[1];
  watcher_ = watch(source_, read_end_);
  if (!watcher_.joinable()) return;
  no_input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);

  // No SA_RESTART: a read that waits for input comes back to be started again.
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool Interrupts::requested() const { return signals_seen.load() > 0; }

void Interrupts::check() const {
  if (requested()) throw Error(ErrorCode::cancelled, "interrupted");
}

Interrupts::~Interrupts() {
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
  // Closing the end is what ends the watcher; a byte could get lost.
  if (const int end = write_end.exchange(-1); end >= 0) ::close(end);
  if (watcher_.joinable()) watcher_.join();
  if (read_end_ >= 0) ::close(read_end_);
  if (const int end = no_input.exchange(-1); end >= 0) ::close(end);
}

}  // namespace mercer::app
