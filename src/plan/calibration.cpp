// How fast is this machine? A short GEMM and a short sweep through memory, once a process.
#include "base/linalg.hpp"
#include "base/parallel.hpp"
#include "plan/planner.hpp"

#include <algorithm>
#include <chrono>

namespace mercer {
namespace {

struct Rates {
  double gemm_flops;      ///< double, a second
  double bytes_a_second;  ///< reading memory
};

double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Rates measure(const Run& run) {
  const ThreadScope threads(run);
  const Index n = 512;
  const Block<double> a = Block<double>::Constant(n, n, 0.5);
  Block<double> c(n, n);
  const auto multiply = [&] { c = linalg::transposed_times<double>(a, a); };
  multiply();  // wakes the threads
  const double gemm = std::min(seconds_of(multiply), seconds_of(multiply));

  const Index parts = 16, length = Index(1) << 19;  // 64 MB in all: beyond the caches
  const Vector<double> memory = Vector<double>::Constant(parts * length, 1.0);
  Vector<double> sums(parts);
  const auto sweep = [&] {
    parallel_for(parts, run, [&](Index p) { sums[p] = memory.segment(p * length, length).sum(); });
  };
  const double swept = std::min(seconds_of(sweep), seconds_of(sweep));
  return {2.0 * n * n * n / gemm, double(parts * length) * 8 / swept};
}

}  // namespace

void estimate_seconds(Plan& plan, const Problem& problem, const Run& run) {
  static const Rates rates = measure(run);
  const bool single = problem.precision == Precision::float32 && plan.route != Route::dense;
  const double n = double(problem.size);
  const double arithmetic = plan.flops / (rates.gemm_flops * (single ? 1.9 : 1));
  const double passes =
      plan.route == Route::stored ? 40 * n * n / 2 * (single ? 4 : 8) / rates.bytes_a_second : 0;
  plan.seconds = (plan.route == Route::dense ? 3 : 1.2) * arithmetic + passes / 2;  // LAPACK is half BLAS-2
}

}  // namespace mercer
