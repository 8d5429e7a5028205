// Measuring: each thread does a piece of the work as a fit would do it, single-threaded BLAS inside our
// own loop; the better of two runs counts.
#include "plan/machine_rates.hpp"

#include "base/huge_buffer.hpp"
#include "base/linalg.hpp"
#include "base/parallel.hpp"
#include "kernel/tiles.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

namespace mercer {
namespace {

double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Without the first run, which wakes threads and fills caches.
double best_of_two(const auto& work) {
  work();
  const double first = seconds_of(work);
  return std::max(std::min(first, seconds_of(work)), 1e-9);
}

template <class T>
double gemm_rate(const Run& run) {
  constexpr Index n = 256, parts = 16;
  const std::vector<T> a(static_cast<std::size_t>(n * n), T(0.5));
  std::vector<T> c(static_cast<std::size_t>(parts * n * n));
  const double seconds = best_of_two([&] {
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
  const double seconds = best_of_two([&] {
    parallel_for(parts, run, [&](Index p) { tiles.evaluate(0, n, 0, n, out.data() + p * n * n); });
  });
  return double(parts * n * n) / seconds;
}

void measure_memory(const Run& run, MachineRates& rates) {
  constexpr Index parts = 16, length = Index(1) << 19;  // 64 MB in all: beyond the caches
  HugeBuffer<double> memory(static_cast<std::size_t>(parts * length));
  const double bytes = double(parts * length) * sizeof(double);
  const auto part = [&](Index p) { return Eigen::Map<Vector<double>>(memory.data() + p * length, length); };
  const double touched =
      seconds_of([&] { parallel_for(parts, run, [&](Index p) { part(p).setConstant(1); }); });
  Vector<double> sums(parts);
  const double swept =
      best_of_two([&] { parallel_for(parts, run, [&](Index p) { sums[p] = part(p).sum(); }); });
  rates.fresh_bytes = bytes / std::max(touched, 1e-9);
  rates.read_bytes = bytes / swept;
}

}  // namespace

bool MachineRates::plausible() const {
  for (const double rate : {gemm_double, gemm_float, kernel_double, kernel_float, read_bytes, fresh_bytes})
    if (!(rate > 1e4 && rate < 1e18)) return false;
  return true;
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
  return out;
}

}  // namespace mercer
