// How Python's calls are carried out: the interpreter lock is released while the library works, Ctrl-C and
// exceptions of a progress callback stop it, and what was raised is what comes out.
//
//     return work(settings, [&](const Run& run) { return KernelPca<T>::fit(samples, options, run); });
#pragma once

#include "interpreter_lock.hpp"

#include <mercer/run.hpp>

#include <pybind11/pybind11.h>

#include <chrono>
#include <exception>
#include <string>
#include <type_traits>

namespace mercer::python {

namespace py = pybind11;

/// mercer._mercer.Run: made in Python from n_jobs, random_state, memory and progress.
struct RunSettings {
  int threads = 0;
  std::uint64_t seed = 0;
  std::size_t memory = 0;
  py::object progress = py::none();  ///< called with (stage, fraction)
  mutable double seconds = 0;        ///< of work in the last call; told with the lock held
};

/// While alive, SIGINT asks the work to stop at once, and then does what Python has it do. Only where that is
/// to raise KeyboardInterrupt, and only on the main thread: elsewhere Python's signals do not arrive.
class InterruptGuard {
 public:
  explicit InterruptGuard(std::stop_source& stop);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  bool installed_ = false;
  std::stop_source* outer_ = nullptr;  ///< of work that this one is part of
};

/// One call: the library's Run, and what has been raised meanwhile. Made and destroyed with the lock held.
class Session {
 public:
  explicit Session(const RunSettings& settings);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  [[nodiscard]] const Run& run() const { return run_; }
  /// What a callback raised in the last moment, when the work was done already.
  void raise_what_was_raised() const {
    if (raised_) std::rethrow_exception(raised_);
  }
  /// Raises what Python raised while the library worked, or else the library's own failure.
  [[noreturn]] void rethrow(const std::exception_ptr& failure);
  /// Where the library's work is over, without the lock. Does not come back if the interpreter is ending.
  void leave();

 private:
  friend void stop_all_sessions();
  void progress(std::string_view stage, double fraction);

  bool abandoned_ = false, over_ = false;  ///< guarded by the list of sessions
  std::stop_source stop_;
  InterruptGuard guard_;
  py::object callback_;
  Run run_;
  std::exception_ptr raised_;
  std::string stage_;
  std::chrono::steady_clock::time_point last_{};
};

/// Notes how long it lived.
class Timed {
 public:
  explicit Timed(double& seconds) : seconds_(seconds) {}
  ~Timed() { seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Tells the settings, which calls on several threads may share, when the lock is held again.
class Told {
 public:
  Told(const RunSettings& settings, const double& seconds) : settings_(settings), seconds_(seconds) {}
  ~Told() { settings_.seconds = seconds_; }
  Told(const Told&) = delete;
  Told& operator=(const Told&) = delete;

 private:
  const RunSettings& settings_;
  const double& seconds_;
};

/// Says when the work is over, however it ends.
class Left {
 public:
  explicit Left(Session& session) : session_(session) {}
  ~Left() { session_.leave(); }
  Left(const Left&) = delete;
  Left& operator=(const Left&) = delete;

 private:
  Session& session_;
};

/// f(run) without the interpreter lock.
template <class F>
auto work(const RunSettings& settings, F&& f) {
  double seconds = 0;
  const Told told(settings, seconds);
  Session session(settings);
  const auto unlocked = [&] {
    const Unlocked released;
    const Left left(session);
    const Timed timed(seconds);
    return f(session.run());
  };
  try {
    if constexpr (std::is_void_v<decltype(unlocked())>) {
      unlocked();
      session.raise_what_was_raised();
    } else {
      auto result = unlocked();
      session.raise_what_was_raised();
      return result;
    }
  } catch (...) {
    session.rethrow(std::current_exception());
  }
}

}  // namespace mercer::python
