// The one place that starts threads. OpenMP with dynamic scheduling; exceptions and cancellation
// are carried out of the loop; OpenBLAS inside the loop runs single-threaded by itself.
#pragma once

#include <mercer/matrix.hpp>
#include <mercer/run.hpp>

#include <omp.h>

#include <atomic>
#include <exception>
#include <utility>

namespace mercer {

/// While alive, OpenMP and OpenBLAS called from this thread use run.threads threads.
class ThreadScope {
 public:
  explicit ThreadScope(const Run& run) : before_(omp_get_max_threads()) {
    omp_set_num_threads(run.thread_count());
  }
  ~ThreadScope() { omp_set_num_threads(before_); }
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int before_;
};

/// While alive, what is called from this thread starts no others, whatever number it asks for by itself:
/// CHOLMOD asks for four, and waking them costs more than they do.
class SerialScope {
 public:
  SerialScope() : before_(omp_get_max_active_levels()) { omp_set_max_active_levels(0); }
  ~SerialScope() { omp_set_max_active_levels(before_); }
  SerialScope(const SerialScope&) = delete;
  SerialScope& operator=(const SerialScope&) = delete;

 private:
  ThreadScope one_{Run{.threads = 1}};  // OpenBLAS deals out its work by this number and waits for all parts
  int before_;
};

/// A copy of `run` for work whose bits must not depend on the number of threads: while it lives, our own
/// loops use run's threads, and BLAS and Eigen called outside of them use one.
class SteadyRun {
 public:
  explicit SteadyRun(const Run& run) : run_(run), one_(Run{.threads = 1}) {}
  operator const Run&() const { return run_; }  // NOLINT(google-explicit-constructor)

 private:
  struct Counted : Run {
    explicit Counted(const Run& run) : Run(run) { threads = run.thread_count(); }
  };
  Counted run_;  // counts before the next line changes what there is to count
  ThreadScope one_;
};

/// Thrown by a part that waits for another which has failed: the other's exception is the one to report.
struct AbandonedWork {};

/// body(i) for i in [0, count), in any order, on several threads. A single one is for one thread as any of
/// many is: BLAS would split it by their number, and other threads give other bits.
template <class F>
void parallel_for(Index count, const Run& run, F&& body) {
  if (count == 1) {
    const ThreadScope alone(Run{.threads = 1});
    run.check();
    body(Index{0});
    return;
  }
  std::atomic<bool> give_up{false};
  std::exception_ptr failure;
#pragma omp parallel for schedule(monotonic : dynamic, 1) num_threads(run.thread_count()) if (count > 1)
  for (Index i = 0; i < count; ++i) {
    if (give_up.load(std::memory_order_relaxed)) continue;
    try {
      run.check();
      body(i);
    } catch (const AbandonedWork&) {
      give_up.store(true, std::memory_order_relaxed);
    } catch (...) {
#pragma omp critical(mercer_parallel_failure)
      if (!failure) failure = std::current_exception();
      give_up.store(true, std::memory_order_relaxed);
    }
  }
  if (failure) std::rethrow_exception(failure);
  if (give_up) throw Error(ErrorCode::internal, "work was abandoned for no reason");
}

}  // namespace mercer
