// The fuzzer: libFuzzer over the target that the environment names, MERCER_FUZZ=csv. Model files are mutated
// part by part, so that most of what is made is a model file still. MERCER_FUZZ_SEEDS=FOLDER writes seeds of
// what programs make (models, graphs) in place of fuzzing.
#include "fuzz/model_mutator.hpp"
#include "fuzz/model_zoo.hpp"
#include "fuzz/targets.hpp"

#include <mercer/generate.hpp>
#include <mercer/neighbors.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

const mercer::fuzz::Target* chosen = nullptr;

void write_seeds(const std::string& folder) {
  using namespace mercer;
  std::filesystem::create_directories(folder + "/model");
  std::filesystem::create_directories(folder + "/graph");
  (void)fuzz::save_model_zoo(folder + "/model");
  const auto points = generate("moons", 12, 1).samples;
  NeighborGraph::build<double>(points, {.count = 4}).save(folder + "/graph/nearest");
  NeighborGraph::build<double>(points, {.radius = 0.6, .disconnected = Disconnected::largest})
      .save(folder + "/graph/radius");
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  if (const char* folder = std::getenv("MERCER_FUZZ_SEEDS")) {
    write_seeds(folder);
    std::exit(0);
  }
  const char* name = std::getenv("MERCER_FUZZ");
  chosen = name != nullptr ? mercer::fuzz::find_target(name) : nullptr;
  if (chosen != nullptr) return 0;
  std::fprintf(stderr, "MERCER_FUZZ names the target:");
  for (const auto& target : mercer::fuzz::targets)
    std::fprintf(stderr, " %s", std::string(target.name).c_str());
  std::fprintf(stderr, "\n");
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen->run({reinterpret_cast<const char*>(data), size});
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned int seed) {
  if (chosen->name != "model") return LLVMFuzzerMutate(data, size, most);
  const std::string made = mercer::fuzz::mutated_model({reinterpret_cast<const char*>(data), size}, seed);
  if (made.empty() || made.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::copy(made.begin(), made.end(), data);
  return made.size();
}
