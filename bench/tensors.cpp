// Our side of bench/tensors.py: one operation on one array, a few times; prints one line of JSON.
//     tensor_bench mode|mttkrp|st-hosvd|sweep FILE --mode N --rank R --repeats N
// FILE: x.npy, or x.tns for a sparse array. "check" is a number that the peers compute too.
#include <mercer/mercer.hpp>

#include "tensor/kruskal.hpp"
#include "tensor/mttkrp.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace {

using mercer::Block;
using mercer::Index;

struct Flags {
  std::string operation, data;
  Index mode = 0, rank = 16;
  int repeats = 5;
};

double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Entry (i, r) of the matrix of a mode, the same in the peers' scripts.
Block<double> matrix_of(Index mode, Index rows, Index rank) {
  return Block<double>::NullaryExpr(rows, rank, [mode](Index i, Index r) {
    return std::cos(double(i + 1) * double(r + 1) * 0.7 + double(mode));
  });
}

std::vector<mercer::Matrix<double>> padded_factors(const mercer::Shape& shape, Index rank) {
  std::vector<mercer::Matrix<double>> out;
  for (std::size_t n = 0; n < shape.size(); ++n)
    out.push_back(mercer::padded_rows<double>(matrix_of(static_cast<Index>(n), shape[n], rank)));
  return out;
}

void print(const std::vector<double>& seconds, double check, double bytes) {
  fmt::print("{{\"seconds\": [{}], \"check\": {}, \"bytes\": {}}}\n", fmt::join(seconds, ", "), check, bytes);
}

std::vector<double> repeated(int times, const auto& work) {
  std::vector<double> out;
  for (int i = 0; i < times; ++i) out.push_back(seconds_of(work));
  return out;
}

void mttkrp(mercer::Mttkrp<double>& data, const Flags& flags, double bytes) {
  const auto factors = padded_factors(data.shape(), flags.rank);
  mercer::Matrix<double> out;
  const auto seconds = repeated(flags.repeats, [&] {
    data.all_changed();
    data.product(flags.mode, factors, out, {});
  });
  print(seconds, out.leftCols(flags.rank).norm(), bytes);
}

/// A sweep is what ten sweeps more take, over ten: starts and the last measurement fall out.
void sweep(const auto& x, const Flags& flags, double bytes) {
  const auto fit = [&](Index sweeps) {
    return mercer::Cp<double>::fit(x, {.rank = flags.rank,
                                       .starts = 1,
                                       .start = mercer::CpStart::random,
                                       .iterations = sweeps,
                                       .tolerance = 1e-300,
                                       .line_search = false,
                                       .core_consistency = false,
                                       .allow_partial = true});
  };
  double error = 0;
  const auto seconds =
      repeated(flags.repeats, [&] { error = fit(1).report().decomposition->relative_error; });
  const auto more = repeated(flags.repeats, [&] { error = fit(11).report().decomposition->relative_error; });
  std::vector<double> each;
  for (std::size_t i = 0; i < seconds.size(); ++i) each.push_back((more[i] - seconds[i]) / 10);
  print(each, error, bytes);
}

void sparse(const Flags& flags) {
  const auto x = mercer::read_sparse_tensor<double>(flags.data);
  const double bytes = double(x.stored()) * (8 + 4 * double(x.order()));  // as coordinates
  if (flags.operation == "mttkrp") {
    mttkrp(*mercer::sparse_mttkrp<double>(x), flags, bytes);
  } else if (flags.operation == "sweep") {
    sweep(x, flags, bytes);
  } else {
    throw mercer::Error(mercer::ErrorCode::usage, flags.operation + " is for dense arrays");
  }
}

void dense(const Flags& flags) {
  const auto x = mercer::read_tensor<double>(flags.data);
  const double bytes = double(x.count()) * sizeof(double);
  if (flags.operation == "mttkrp") {
    mttkrp(*mercer::dense_mttkrp<double>(x), flags, bytes);
  } else if (flags.operation == "sweep") {
    sweep(x, flags, bytes);
  } else if (flags.operation == "mode") {
    const Block<double> a = matrix_of(flags.mode, x.size(flags.mode), flags.rank);
    double size = 0;
    const auto seconds = repeated(
        flags.repeats, [&] { size = mercer::mode_product<double>(x, flags.mode, a, true).values().norm(); });
    print(seconds, size, bytes);
  } else {
    double error = 0;
    const mercer::Shape ranks(x.shape().size(), flags.rank);
    const auto seconds = repeated(flags.repeats, [&] {
      error = mercer::Tucker<double>::fit(x, {.ranks = ranks}).report().decomposition->relative_error;
    });
    print(seconds, error, bytes);
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program("Our side of bench/tensors.py", "tensor_bench");
  Flags flags;
  program.add_option("OPERATION", flags.operation)
      ->required()
      ->check(CLI::IsMember({"mode", "mttkrp", "st-hosvd", "sweep"}));
  program.add_option("FILE", flags.data)->required();
  program.add_option("--mode", flags.mode);
  program.add_option("--rank", flags.rank);
  program.add_option("--repeats", flags.repeats);
  CLI11_PARSE(program, argc, argv);
  try {
    mercer::is_sparse_tensor_file(flags.data) ? sparse(flags) : dense(flags);
  } catch (const mercer::Error& error) {
    std::fprintf(stderr, "tensor_bench: %s\n", error.what());
    return static_cast<int>(error.code());
  }
}
