// Folders of images: the file beside a copy of itself, and beside one that is known to be good.
#include "fuzz/targets.hpp"

#include <mercer/tensor_file.hpp>

#include <filesystem>

namespace mercer::fuzz {

namespace {

void read_folder(const std::string& ending, Bytes bytes) {
  const std::string folder = scratch_folder() + "/" + ending;
  std::filesystem::create_directories(folder);
  spill(ending + "/1." + ending, bytes);
  spill(ending + "/2." + ending, bytes);
  attempt([&] { (void)read_tensor<float>(folder, small_run()); });
  spill(ending + "/2." + ending, "P2 2 1 255 0 7 ");
  attempt([&] { (void)read_tensor<double>(folder, small_run()); });
}

}  // namespace

void fuzz_pgm(Bytes bytes) { read_folder("pgm", bytes); }
void fuzz_png(Bytes bytes) { read_folder("png", bytes); }

}  // namespace mercer::fuzz
