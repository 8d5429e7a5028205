// Folders of images: the file beside a copy of itself, and beside one that is known to be good.
#include "fuzz/targets.hpp"
#include "fuzz/ways.hpp"
#include "fuzz/wrapped.hpp"

#include <mercer/tensor_file.hpp>

#include <filesystem>

namespace mercer::fuzz {

namespace {

/// Two folders in which one file has the bytes; beside it the first has that file under a second name.
struct Folders {
  explicit Folders(const std::string& ending)
      : name("1." + ending),
        twice(scratch_folder() + "/twice-" + ending),
        good(scratch_folder() + "/good-" + ending) {
    std::filesystem::create_directories(twice);
    std::filesystem::create_directories(good);
    const std::string& image = spill(name, {});
    std::filesystem::create_hard_link(image, twice + "/1." + ending);
    std::filesystem::create_hard_link(image, twice + "/2." + ending);
    std::filesystem::create_hard_link(image, good + "/1." + ending);
    std::filesystem::create_hard_link(spill("good.pgm", "P2 2 1 255 0 7 "), good + "/2.pgm");
  }
  std::string name, twice, good;
};

void read_folder(const Folders& folders, Bytes bytes, const Ways& ways) {
  spill(folders.name, bytes);
  if (ways.at(0)) attempt([&] { (void)read_tensor<float>(folders.twice, small_run()); });
  if (ways.at(1)) attempt([&] { (void)read_tensor<double>(folders.good, small_run()); });
}

}  // namespace

void fuzz_pgm(Bytes bytes) {
  static const Folders folders("pgm");
  read_folder(folders, bytes, Ways(bytes, 2));
}

/// One in eight as it is; libpng refuses nearly all of them for a checksum.
void fuzz_png(Bytes bytes) {
  static const Folders folders("png");
  const std::string sealed = sealed_png(bytes);
  const Ways ways(sealed, 8);  // not drawn alike, or the two draws would be one
  if (ways.at(0)) read_folder(folders, bytes, Ways(bytes, 2));
  if (ways.within(1, 8)) read_folder(folders, sealed, Ways(bytes, 2));
}

}  // namespace mercer::fuzz
