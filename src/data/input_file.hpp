// Opening an input file, and the one place that turns the system's reasons (no such file, a folder,
// no permission) into our errors.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <utility>

namespace mercer {

/// A file descriptor that is closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int file) : file_(file) {}
  ~Descriptor() {
    if (file_ >= 0) ::close(file_);
  }
  Descriptor(Descriptor&& other) noexcept : file_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return file_; }
  int release() { return std::exchange(file_, -1); }

 private:
  int file_;
};

/// Throws Error{no_input} saying why it cannot; a folder is no input.
[[nodiscard]] Descriptor open_to_read(const std::string& path, struct stat& info);

}  // namespace mercer
