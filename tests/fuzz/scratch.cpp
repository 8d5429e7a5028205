// The folder that the fuzzers' targets write to, removed at the end of the process.
#include "fuzz/targets.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <stdexcept>

namespace mercer::fuzz {

namespace {

class Scratch {
 public:
  Scratch() {
    std::error_code none;
    const std::string memory = "/dev/shm";
    const bool there = std::filesystem::is_directory(memory, none) && ::access(memory.c_str(), W_OK) == 0;
    path = (there ? memory : std::filesystem::temp_directory_path().string()) + "/mercer-fuzz-" +
           std::to_string(::getpid());
    std::filesystem::create_directories(path);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code none;
    std::filesystem::remove_all(path, none);
  }
  std::string path;
};

}  // namespace

const std::string& scratch_folder() {
  static const Scratch scratch;
  return scratch.path;
}

const std::string& spill(const std::string& name, Bytes bytes) {
  struct Spilled {
    std::string path;
    int file = -1;
    std::size_t size = 0;
  };
  static std::map<std::string, Spilled> all;  // files stay open: a target writes the same one every time
  Spilled& one = all[name];
  if (one.file < 0) {
    one.path = scratch_folder() + "/" + name;
    one.file = ::open(one.path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    if (one.file < 0) throw std::runtime_error("cannot write " + one.path);
  }
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t wrote =
        ::pwrite(one.file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (wrote <= 0) std::abort();
    done += static_cast<std::size_t>(wrote);
  }
  if (bytes.size() < one.size && ::ftruncate(one.file, static_cast<off_t>(bytes.size())) != 0) std::abort();
  one.size = bytes.size();
  return one.path;
}

}  // namespace mercer::fuzz
