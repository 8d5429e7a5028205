// Fits kernel PCA a few times in one process and prints what it took, as one line of JSON:
//     mercer_bench x.npy COMPONENTS KERNEL REPEATS [float]
// The first fit of a process is "cold" (fresh memory, sleeping threads); the later ones are warm.
#include <mercer/mercer.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

template <class T>
void run(const char* path, long components, const char* kernel, int repeats) {
  const auto data = mercer::read_dataset<T>(path);
  std::vector<double> seconds;
  mercer::Report report;
  for (int i = 0; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const auto model =
        mercer::KernelPca<T>::fit(data, {.components = components, .kernel = mercer::Kernel::parse(kernel)});
    const auto scores = model.scores();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    report = model.report();
  }
  fmt::print("{{\"seconds\": [{}], \"stages\": {{", fmt::join(seconds, ", "));
  for (std::size_t i = 0; i < report.seconds.size(); ++i)
    fmt::print("{}\"{}\": {}", i ? ", " : "", report.seconds[i].first, report.seconds[i].second);
  fmt::print("}}, \"passes\": {}, \"peak_bytes\": {}, \"eigenvalues\": [{:.17g}], \"residual\": {}}}\n",
             report.passes, report.peak_bytes, fmt::join(report.gram_eigenvalues, ", "),
             report.residuals.maxCoeff() / report.gram_eigenvalues[0]);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fputs("usage: mercer_bench x.npy COMPONENTS KERNEL REPEATS [float]\n", stderr);
    return 2;
  }
  try {
    const long components = std::atol(argv[2]);
    const int repeats = std::atoi(argv[4]);
    if (argc > 5)
      run<float>(argv[1], components, argv[3], repeats);
    else
      run<double>(argv[1], components, argv[3], repeats);
  } catch (const mercer::Error& e) {
    std::fprintf(stderr, "mercer_bench: %s\n", e.what());
    return static_cast<int>(e.code());
  }
}
