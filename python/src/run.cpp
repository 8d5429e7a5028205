// How Python's calls are carried out: see run.hpp.
#include "run.hpp"

#include "module.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <vector>

namespace mercer::python {
namespace {

/// What a SIGINT stops; and what it did before.
std::atomic<std::stop_source*> current{nullptr};
struct sigaction before {};

void interrupt(int signal) {
  if (std::stop_source* stop = current.load()) stop->request_stop();
  before.sa_handler(signal);  // Python's own: notes the signal
}

bool raises_on_interrupt_here() {
  const py::module_ signal = py::module_::import("signal"), threading = py::module_::import("threading");
  if (!threading.attr("current_thread")().is(threading.attr("main_thread")())) return false;
  return signal.attr("getsignal")(SIGINT).is(signal.attr("default_int_handler"));
}

constexpr std::chrono::milliseconds between_calls{20};

/// What is going on. Never destroyed: threads that Python does not wait for may outlive everything.
struct Sessions {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Session*> running;
};
Sessions& sessions() {
  static auto* const all = new Sessions;
  return *all;
}

/// GCC's OpenMP waits for ever in a forked child for threads that only its parent has; one thread waits for
/// nobody.
const pid_t home = getpid();
bool is_forked() { return getpid() != home; }

}  // namespace

InterruptGuard::InterruptGuard(std::stop_source& stop) {
  if (!raises_on_interrupt_here()) return;
  outer_ = current.exchange(&stop);
  installed_ = true;
  if (outer_) return;  // a callable kernel that calls us again: the handler is there
  struct sigaction ours {};
  ours.sa_handler = &interrupt;
  sigemptyset(&ours.sa_mask);
  sigaction(SIGINT, &ours, &before);
}

InterruptGuard::~InterruptGuard() {
  if (!installed_) return;
  if (!outer_) sigaction(SIGINT, &before, nullptr);
  current.store(outer_);
}

void stop_all_sessions() {
  Sessions& all = sessions();
  const Unlocked released;
  std::unique_lock lock(all.mutex);
  for (Session* session : all.running) {
    session->abandoned_ = true;
    session->stop_.request_stop();
  }
  // What cannot be stopped, as LAPACK, is not waited for longer.
  all.changed.wait_for(lock, std::chrono::seconds(2), [&] {
    return std::all_of(all.running.begin(), all.running.end(),
                       [](const Session* session) { return session->over_ || !session->abandoned_; });
  });
}

void Session::leave() {
  Sessions& all = sessions();
  std::unique_lock lock(all.mutex);
  over_ = true;
  if (!abandoned_) return;
  all.changed.notify_all();
  lock.unlock();
  wait_for_the_end();
}

Session::~Session() {
  Sessions& all = sessions();
  const std::scoped_lock lock(all.mutex);
  std::erase(all.running, this);
}

Session::Session(const RunSettings& settings) : guard_(stop_), callback_(settings.progress) {
  run_.threads = is_forked() ? 1 : settings.threads;
  run_.seed = settings.seed;
  run_.memory = settings.memory;
  run_.stop = stop_.get_token();
  run_.progress = [this](std::string_view stage, double fraction) { progress(stage, fraction); };
  Sessions& all = sessions();
  const std::scoped_lock lock(all.mutex);
  all.running.push_back(this);
}

void Session::progress(std::string_view stage, double fraction) {
  const auto now = std::chrono::steady_clock::now();
  if (stage == stage_ && fraction < 1 && now - last_ < between_calls) return;
  stage_ = stage;
  last_ = now;
  if (raised_) return;
  const Locked locked;
  try {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!callback_.is_none()) callback_(stage, fraction);
  } catch (...) {  // not through the library: it stops by itself
    raised_ = std::current_exception();
    stop_.request_stop();
  }
}

void Session::rethrow(const std::exception_ptr& failure) {
  raise_what_was_raised();
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  std::rethrow_exception(failure);
}

void bind_run(py::module_& m) {
  // Threads that Python does not wait for (daemon=True) must not go on while it takes everything apart.
  py::module_::import("atexit").attr("register")(py::cpp_function(&stop_all_sessions));
  py::class_<RunSettings>(m, "Run", "Threads, seed, memory budget and progress of one call.")
      .def(py::init([](int threads, std::uint64_t seed, std::size_t memory, py::object progress) {
             return RunSettings{threads, seed, memory, std::move(progress), 0};
           }),
           py::kw_only(), py::arg("threads") = 0, py::arg("seed") = 0, py::arg("memory") = 0,
           py::arg("progress") = py::none())
      .def_readonly("threads", &RunSettings::threads)
      .def_readonly("seed", &RunSettings::seed)
      .def_readonly("memory", &RunSettings::memory)
      .def_readonly("seconds", &RunSettings::seconds, "How long the library worked in the last call.");
  m.def(
      "parse_bytes", [](const std::string& text) { return parse_bytes(text); }, py::arg("text"),
      "\"400M\", \"4G\" or \"123456\" as a number of bytes, in powers of 1000.");
}

}  // namespace mercer::python
