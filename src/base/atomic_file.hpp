// AtomicFile: an output that appears whole or not at all. Written beside its destination under a
// temporary name; commit() renames it into place; without commit() the destructor removes it.
// A device or a pipe is written straight into: a rename would replace it.
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
  void commit();

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Where the bytes are until commit(): for libraries that write files by name.
  [[nodiscard]] const std::string& temporary_path() const { return temporary_; }

 private:
  [[noreturn]] void fail(const char* what) const;
  std::string path_, temporary_;
  int file_ = -1;
  bool committed_ = false;
};

}  // namespace mercer
