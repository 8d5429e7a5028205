// Runs the fuzzers' targets over kept files: replay FOLDER... runs every FOLDER/TARGET/FILE and the models of
// the zoo, replay TARGET=FILE one file, replay TARGET=FOLDER the files in it. What does not come back, or
// comes back with another exception than an Error, is a finding.
#include "fuzz/model_zoo.hpp"
#include "fuzz/targets.hpp"
#include "fuzz/ways.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <vector>

namespace {

namespace fs = std::filesystem;
using mercer::fuzz::Target;

/// Whether the file did no harm.
bool replay(const Target& target, const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  try {
    target.run(bytes);
    return true;
  } catch (const std::exception& error) {
    std::printf("%s of target %s: %s\n", path.c_str(), std::string(target.name).c_str(), error.what());
    return false;
  }
}

/// The files in a folder, or the one file.
std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code none;
  if (fs::is_regular_file(folder, none)) return {folder};
  for (const auto& entry : fs::directory_iterator(folder, none))
    if (entry.is_regular_file()) out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  mercer::fuzz::Ways::all = true;
  int files = 0, findings = 0;
  bool folders = false;
  const auto run = [&](const Target& target, const fs::path& path) {
    ++files;
    if (!replay(target, path)) ++findings;
  };
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto equals = argument.find('=');
    const Target* alone =
        equals == std::string::npos ? nullptr : mercer::fuzz::find_target(argument.substr(0, equals));
    if (alone != nullptr) {
      for (const fs::path& path : files_in(argument.substr(equals + 1))) run(*alone, path);
      continue;
    }
    folders = true;
    for (const Target& target : mercer::fuzz::targets)
      for (const fs::path& path : files_in(fs::path(argument) / target.name)) run(target, path);
  }
  if (folders)
    for (const std::string& path : mercer::fuzz::save_model_zoo(mercer::fuzz::scratch_folder()))
      run(*mercer::fuzz::find_target("model"), path);
  std::printf("%d files, %d findings\n", files, findings);
  return files == 0 || findings > 0 ? 1 : 0;
}
