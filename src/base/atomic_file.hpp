// AtomicFile: an output that appears whole or not at all. Written beside its destination under a
// temporary name; commit() renames it into place; without commit() the destructor removes it.
// A device or a pipe is written straight into: a rename would replace it; a link is followed.
//
// A process that is killed leaves its temporary file. Whoever writes the same output next removes it: each
// writer holds a lock (flock) on its file from before it has content until it has its name, so a file that
// can be locked has no writer any more.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mercer {

class AtomicFile {
 public:
  /// Throws Error{cannot_create} naming the path and the system's reason.
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, std::size_t size);  ///< throws Error{io}
  void write(std::string_view text) { write(text.data(), text.size()); }
  /// Overwrites bytes already written, for headers known only at the end.
  void write_at(std::size_t offset, const void* data, std::size_t size);
  /// What has been written, for a file that is to be part of another.
  void read_at(std::size_t offset, void* data, std::size_t size) const;
  [[nodiscard]] std::size_t size() const;
  void commit();

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  [[noreturn]] void fail(const char* what) const;
  std::string path_, target_, temporary_;  ///< as it was named, with links followed, until commit()
  int file_ = -1;
};

}  // namespace mercer
