// The folder that the fuzzers' targets write to, removed at the end of the process.
#include "fuzz/targets.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
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

std::string spill(const std::string& name, Bytes bytes) {
  const std::string path = scratch_folder() + "/" + name;
  const int file = ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  if (file < 0) throw std::runtime_error("cannot write " + path);
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t wrote = ::write(file, bytes.data() + done, bytes.size() - done);
    if (wrote <= 0) std::abort();
    done += static_cast<std::size_t>(wrote);
  }
  ::close(file);
  return path;
}

}  // namespace mercer::fuzz
