// The fuzzers' targets: each takes bytes as they come from outside and does with them what the library does.
// The same functions run under libFuzzer (libfuzzer_main.cpp) and over kept files (replay_main.cpp).
#pragma once

#include "fuzz/attempt.hpp"

#include <mercer/run.hpp>

#include <array>
#include <string>
#include <string_view>

namespace mercer::fuzz {

using Bytes = std::string_view;

void fuzz_csv(Bytes bytes);
void fuzz_tsv(Bytes bytes);
void fuzz_gz(Bytes bytes);
void fuzz_libsvm(Bytes bytes);
void fuzz_npy(Bytes bytes);
void fuzz_npz(Bytes bytes);
void fuzz_tns(Bytes bytes);
void fuzz_pgm(Bytes bytes);
void fuzz_png(Bytes bytes);
void fuzz_graph(Bytes bytes);
void fuzz_model(Bytes bytes);
void fuzz_kernel(Bytes bytes);
void fuzz_basis(Bytes bytes);
void fuzz_formula(Bytes bytes);
void fuzz_options(Bytes bytes);

struct Target {
  std::string_view name;
  void (*run)(Bytes);
};
inline constexpr std::array<Target, 15> targets{{
    {"csv", fuzz_csv},
    {"tsv", fuzz_tsv},
    {"gz", fuzz_gz},
    {"libsvm", fuzz_libsvm},
    {"npy", fuzz_npy},
    {"npz", fuzz_npz},
    {"tns", fuzz_tns},
    {"pgm", fuzz_pgm},
    {"png", fuzz_png},
    {"graph", fuzz_graph},
    {"model", fuzz_model},
    {"kernel", fuzz_kernel},
    {"basis", fuzz_basis},
    {"formula", fuzz_formula},
    {"options", fuzz_options},
}};

/// Null for a name that is none.
[[nodiscard]] inline const Target* find_target(std::string_view name) {
  for (const Target& target : targets)
    if (target.name == name) return &target;
  return nullptr;
}

/// Work in these targets is small: one thread, little memory.
[[nodiscard]] inline Run small_run() {
  Run run;
  run.threads = 1;
  run.memory = 64'000'000;
  return run;
}

/// Where this process writes what the library then reads: in memory where the machine has such a folder.
[[nodiscard]] const std::string& scratch_folder();
/// Makes the bytes what a file of that name in the scratch folder holds; its path.
const std::string& spill(const std::string& name, Bytes bytes);

}  // namespace mercer::fuzz
