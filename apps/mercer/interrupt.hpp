// Ctrl-C and SIGTERM as a stop token. The handler only writes a byte to a pipe and ends the input,
// which is all that is safe in a handler; a thread waits at the other end and requests the stop. A
// second signal ends the program at once.
#pragma once

#include <stop_token>
#include <thread>

namespace mercer::app {

class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }
  /// True from the moment the signal arrived, even before the token knows.
  [[nodiscard]] bool requested() const;
  /// Throws Error{cancelled} once a signal arrived.
  void check() const;

 private:
  std::stop_source source_;
  std::thread watcher_;
  int read_end_ = -1;
};

}  // namespace mercer::app
