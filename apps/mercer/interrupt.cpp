// Signals through a pipe (the "self-pipe trick").
#include "interrupt.hpp"

#include <mercer/error.hpp>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace mercer::app {
namespace {

constexpr int exit_interrupted = 130;
constexpr char stop_byte = 's', quit_byte = 'q';

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

}  // namespace

Interrupts::Interrupts() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;  // then Ctrl-C just ends the program, as usual
  write_end = ends[1];
  no_input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);

  // The watcher must not be the one that is interrupted.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  watcher_ = std::thread([this, read_end = ends[0]] {
    char byte = 0;
    while (true) {
      const auto got = ::read(read_end, &byte, 1);
      if (got < 0 && errno == EINTR) continue;
      if (got != 1 || byte == quit_byte) break;
      source_.request_stop();
    }
    ::close(read_end);
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);

  // No SA_RESTART: a read that waits for input comes back to be started again.
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // A reader that went away (| head) shows up as a failed write, so that temporary files are removed.
  ::signal(SIGPIPE, SIG_IGN);
}

bool Interrupts::requested() const { return signals_seen.load() > 0; }

void Interrupts::check() const {
  if (requested()) throw Error(ErrorCode::cancelled, "interrupted");
}

Interrupts::~Interrupts() {
  if (!watcher_.joinable()) return;
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
  [[maybe_unused]] const auto written = ::write(write_end.load(), &quit_byte, 1);
  watcher_.join();
  ::close(write_end.exchange(-1));
  ::close(no_input.exchange(-1));
}

}  // namespace mercer::app
