// Our side of the comparison; each command prints one line of JSON:
//     mercer_bench rates                     what this machine can do: the floors are made of it
//     mercer_bench fit x.npy [options]       fits a few times in one process
//     mercer_bench transform model new.npy   transforms a few times in one process
// The first of a process is "cold" (fresh memory, sleeping threads); the later ones are warm.
#include <mercer/mercer.hpp>

#include "base/parallel.hpp"
#include "kernel/elementwise.hpp"
#include "plan/machine_rates.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

namespace {

struct Flags {
  std::string data, model, precision = "double", route = "auto", kernel = "rbf(gamma=auto)", memory;
  long components = 2, rank = 0;
  double residual = 0;
  int repeats = 1;

  [[nodiscard]] mercer::Run run() const {
    return {.memory = memory.empty() ? 0 : mercer::parse_bytes(memory)};
  }
};

double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double best_of_five(const auto& work) {
  work();
  double best = seconds_of(work);
  for (int i = 0; i < 4; ++i) best = std::min(best, seconds_of(work));
  return best;
}

/// Exponentials a second, and nothing else: the planner's rate is that of whole elements of a kernel
/// matrix as we make them, which no floor should be.
template <class T>
double exp_rate() {
  constexpr mercer::Index parts = 16, length = 1 << 12, sweeps = 64;
  std::vector<T> x(parts * length, T(1));
  const double seconds = best_of_five([&] {
    mercer::parallel_for(parts, {}, [&](mercer::Index p) {
      for (mercer::Index i = 0; i < sweeps; ++i)
        mercer::elementwise::exp_scaled(x.data() + p * length, length, T(-0.5));
    });
  });
  return double(parts * length * sweeps) / seconds;
}

/// Bytes a second from a buffer so large that no cache holds a part of it worth mentioning.
double read_rate() {
  constexpr mercer::Index parts = 64, length = 1 << 20;
  const mercer::Vector<double> x = mercer::Vector<double>::Ones(parts * length);
  mercer::Vector<double> sums(parts);
  const double seconds = best_of_five([&] {
    mercer::parallel_for(parts, {}, [&](mercer::Index p) { sums[p] = x.segment(p * length, length).sum(); });
  });
  return double(parts * length) * sizeof(double) / seconds;
}

void rates() {
  const auto r = mercer::measure_rates({});
  fmt::print(
      "{{\"gemm_double\": {}, \"gemm_float\": {}, \"exp_double\": {}, \"exp_float\": {}, "
      "\"read_bytes\": {}, \"fresh_bytes\": {}}}\n",
      r.gemm_double, r.gemm_float, exp_rate<double>(), exp_rate<float>(), read_rate(), r.fresh_bytes);
}

/// The report of each fit with the scores, as a user would ask for them.
template <class T>
void fit(const Flags& flags) {
  const auto data = mercer::read_dataset<T>(flags.data);
  const mercer::KernelPcaOptions options{.components = flags.components,
                                         .kernel = mercer::Kernel::parse(flags.kernel),
                                         .residual = flags.residual,
                                         .route = mercer::parse_route(flags.route),
                                         .lowrank = {.rank = flags.rank}};
  std::vector<double> seconds;
  std::vector<std::string> reports;
  for (int i = 0; i < flags.repeats; ++i) {
    seconds.push_back(seconds_of([&] {
      const auto model = mercer::KernelPca<T>::fit(data, options, flags.run());
      const auto scores = model.scores();
      reports.push_back(model.report().to_json());
    }));
  }
  fmt::print("{{\"seconds\": [{}], \"reports\": [{}]}}\n", fmt::join(seconds, ", "),
             fmt::join(reports, ", "));
}

template <class T>
void transform(const Flags& flags) {
  const auto model = mercer::load_model<T>(flags.model);
  const auto points = mercer::read_dataset<T>(flags.data);
  std::vector<double> seconds;
  double sum = 0;
  for (int i = 0; i < flags.repeats; ++i)
    seconds.push_back(seconds_of([&] { sum = double(model->transform(points.samples).cwiseAbs().sum()); }));
  fmt::print("{{\"seconds\": [{}], \"sum\": {}}}\n", fmt::join(seconds, ", "), sum);
}

void parse_and_run(int count, char** arguments) {
  CLI::App program("Our side of bench/compare.py", "mercer_bench");
  program.require_subcommand(1);
  Flags flags;
  program.add_subcommand("rates", "of this machine")->callback(rates);

  auto* fitting = program.add_subcommand("fit", "kernel PCA, a few times");
  fitting->add_option("DATA", flags.data)->required();
  fitting->add_option("--components", flags.components);
  fitting->add_option("--kernel", flags.kernel);
  fitting->add_option("--precision", flags.precision)->check(CLI::IsMember({"double", "float"}));
  fitting->add_option("--route", flags.route);
  fitting->add_option("--residual", flags.residual);
  fitting->add_option("--memory", flags.memory);
  fitting->add_option("--rank", flags.rank);
  fitting->add_option("--repeats", flags.repeats);
  fitting->callback([&] { flags.precision == "float" ? fit<float>(flags) : fit<double>(flags); });

  auto* transforming = program.add_subcommand("transform", "new points, a few times");
  transforming->add_option("MODEL", flags.model)->required();
  transforming->add_option("DATA", flags.data)->required();
  transforming->add_option("--repeats", flags.repeats);
  transforming->callback([&] {
    mercer::with_precision(mercer::model_precision(flags.model), [&]<class T>() { transform<T>(flags); });
  });
  try {
    program.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    std::exit(program.exit(error));
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    parse_and_run(argc, argv);
  } catch (const mercer::Error& error) {
    std::fprintf(stderr, "mercer_bench: %s\n", error.what());
    return static_cast<int>(error.code());
  } catch (const std::bad_alloc&) {
    std::fputs("mercer_bench: out of memory\n", stderr);
    return static_cast<int>(mercer::ErrorCode::no_memory);
  }
}
