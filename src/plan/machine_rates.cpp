// Measuring: each thread does a piece of the work as a fit would do it, single-threaded BLAS inside our
// own loop. Other programs may be running: the best of a few short runs counts, and for arithmetic, where the
// processors were shared, the time that we had of them.
#include "plan/machine_rates.hpp"

#include "base/huge_buffer.hpp"
#include "base/linalg.hpp"
#include "base/parallel.hpp"
#include "kernel/tiles.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>
#include <thread>
#include <vector>

namespace mercer {
namespace {

/// How many processors work on it at once.
double workers(const Run& run) {
  const auto processors = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return std::min(run.thread_count(), processors);
}

double processor_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

double elapsed_seconds(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return std::max(passed, 1e-9);
}

/// What arithmetic takes when nothing else runs.
double seconds_of(const Run& run, const auto& work) {
  const double before = processor_seconds(), passed = elapsed_seconds(work);
  const double ours = (processor_seconds() - before) / workers(run);
  return std::max(std::min(ours, passed), 1e-9);
}

/// Without the first run, which wakes threads and fills caches.
double best_seconds(const Run& run, const auto& work) {
  work();
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 5; ++i) best = std::min(best, seconds_of(run, work));
  return best;
}

template <class T>
double gemm_rate(const Run& run) {
  constexpr Index n = 256, parts = 16;
  const std::vector<T> a(static_cast<std::size_t>(n * n), T(0.5));
  std::vector<T> c(static_cast<std::size_t>(parts * n * n));
  const double seconds = best_seconds(run, [&] {
    parallel_for(parts, run, [&](Index p) {
      linalg::gemm<T>(linalg::Transpose::yes, linalg::Transpose::no, n, n, n, 1, a.data(), n, a.data(), n, 0,
                      c.data() + p * n * n, n);
    });
  });
  return 2.0 * parts * n * n * n / seconds;
}

/// A kernel on few features, so that next to nothing of it is the inner product.
template <class T>
double kernel_rate(const Run& run) {
  constexpr Index n = 256, d = 2, parts = 16;
  Matrix<T> points(n, d);
  for (Index i = 0; i < n; ++i) points.row(i) << T(i % 16), T(i / 16);
  const KernelTiles<T> tiles(Kernel::parse("rbf(gamma=0.01)"), points);
  std::vector<T> out(static_cast<std::size_t>(parts * n * n));
  const double seconds = best_seconds(run, [&] {
    parallel_for(parts, run, [&](Index p) { tiles.evaluate(0, n, 0, n, out.data() + p * n * n); });
  });
  return double(parts * n * n) / seconds;
}

/// By the clock on the wall: processors share the memory, and the time that one had to itself says nothing of
/// all together. Short tries, of which some will not have been interrupted.
void measure_memory(const Run& run, MachineRates& rates) {
  constexpr int tries = 12;
  constexpr Index parts = 16, length = Index(1) << 19;  // 64 MB in all: beyond the caches
  constexpr double bytes = double(parts * length) * sizeof(double);
  HugeBuffer<double> memory(static_cast<std::size_t>(parts * length));
  const auto part = [&](Index p) { return Eigen::Map<Vector<double>>(memory.data() + p * length, length); };
  // Each page once only: it is fresh no more, and a second buffer would get the pages of the first, which a
  // virtual machine has already. So in pieces, and the best of them counts.
  constexpr Index pieces = 4, in_a_piece = parts / pieces;
  double touched = std::numeric_limits<double>::infinity(), swept = touched;
  for (Index piece = 0; piece < pieces; ++piece)
    touched = std::min(touched, elapsed_seconds([&] {
                         parallel_for(in_a_piece, run,
                                      [&](Index p) { part(piece * in_a_piece + p).setConstant(1); });
                       }));
  Vector<double> sums(parts);
  for (int i = 0; i < tries; ++i)
    swept = std::min(
        swept, elapsed_seconds([&] { parallel_for(parts, run, [&](Index p) { sums[p] = part(p).sum(); }); }));
  rates.fresh_bytes = bytes / double(pieces) / touched;
  rates.read_bytes = bytes / swept;
}

}  // namespace

bool MachineRates::plausible() const {
  for (const double rate : {gemm_double, gemm_float, kernel_double, kernel_float, read_bytes, fresh_bytes})
    if (!(rate > 1e4 && rate < 1e18)) return false;
  return true;
}

MachineRates MachineRates::within_reason(double processors) const {
  constexpr double fastest = 1e11, slowest = 1e8;  // bytes a second: of one processor, and of any machine
  MachineRates out = *this;
  out.read_bytes = std::clamp(read_bytes, slowest, fastest * std::max(1.0, processors));
  out.fresh_bytes = std::clamp(fresh_bytes, slowest / 10, out.read_bytes);  // it is written as well
  return out;
}

MachineRates measure_rates(const Run& run) {
  const ThreadScope threads(run);
  Run quiet = run;
  quiet.progress = nullptr;
  MachineRates out;
  out.gemm_double = gemm_rate<double>(quiet);
  out.gemm_float = gemm_rate<float>(quiet);
  out.kernel_double = kernel_rate<double>(quiet);
  out.kernel_float = kernel_rate<float>(quiet);
  measure_memory(quiet, out);
  return out.within_reason(workers(quiet));
}

}  // namespace mercer
