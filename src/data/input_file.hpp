// Opening and reading an input file, and the one place that turns the system's reasons (no such file, a
// folder, no permission, a disk that fails) into our errors. Files are read and not mapped: see
// docs/architecture.md.
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

/// Up to `count` bytes from `offset`: fewer only where the file ends. Throws Error{io}.
[[nodiscard]] std::size_t read_some(const Descriptor& file, std::size_t offset, char* to, std::size_t count,
                                    const std::string& path);
/// All of them; throws Error{io} where the file has become shorter.
void read_all(const Descriptor& file, std::size_t offset, char* to, std::size_t count,
              const std::string& path);

/// A regular file as it was when it was opened. Whoever has read it, or goes back to read it again, asks
/// whether it is still that: rows of before and after a change are no table.
class Unchanged {
 public:
  explicit Unchanged(const struct stat& info) : before_(info) {}
  /// Throws Error{io} where it has changed.
  void check(const Descriptor& file, const std::string& path) const { check(file.get(), path); }
  void check(int file, const std::string& path) const;

 private:
  struct stat before_;
};

}  // namespace mercer
