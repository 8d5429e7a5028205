// Opening inputs: mmap where the file allows it, read() or zlib otherwise. The one place that turns
// the system's reasons (no such file, a folder, no permission) into our errors.
#include "data/file_bytes.hpp"

#include <mercer/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace mercer {

namespace {

class Descriptor {
 public:
  explicit Descriptor(int file) : file_(file) {}
  ~Descriptor() {
    if (file_ >= 0) ::close(file_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return file_; }
  int release() { return std::exchange(file_, -1); }

 private:
  int file_;
};

[[noreturn]] void fail_to_open(const std::string& path, int reason) {
  if (reason == ENOENT || reason == ENOTDIR)
    throw Error(ErrorCode::no_input, fmt::format("{}: no such file", path), "check the name and the folder");
  throw Error(ErrorCode::no_input, fmt::format("{}: cannot open: {}", path, std::strerror(reason)));
}

int open_to_read(const std::string& path, struct stat& info) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail_to_open(path, errno);
  if (::fstat(file.get(), &info) != 0) fail_to_open(path, errno);
  if (S_ISDIR(info.st_mode))
    throw Error(ErrorCode::no_input, fmt::format("{}: is a folder, not a file", path), "name a file in it");
  return file.release();
}

FileBytes owned(std::string text) {
  auto owner = std::make_shared<const std::string>(std::move(text));
  return {*owner, owner};
}

FileBytes read_to_end(int file, const std::string& name) {
  std::string text;
  std::size_t used = 0;
  for (;;) {
    if (text.size() - used < (1U << 16)) text.resize(std::max<std::size_t>(1U << 20, 2 * text.size()));
    const ssize_t got = ::read(file, text.data() + used, text.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      throw Error(ErrorCode::io, fmt::format("{}: reading failed: {}", name, std::strerror(errno)));
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  text.resize(used);
  return owned(std::move(text));
}

}  // namespace

FileBytes map_file(const std::string& path) {
  struct stat info {};
  const Descriptor file(open_to_read(path, info));
  if (!S_ISREG(info.st_mode)) return read_to_end(file.get(), path);
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size == 0) return {};
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (memory == MAP_FAILED) return read_to_end(file.get(), path);  // some file systems cannot map
  ::madvise(memory, size, MADV_WILLNEED);
  std::shared_ptr<const void> owner(memory, [size](void* p) { ::munmap(p, size); });
  return {std::string_view(static_cast<const char*>(memory), size), std::move(owner)};
}

FileBytes gunzip_file(const std::string& path) {
  struct stat info {};
  Descriptor file(open_to_read(path, info));
  const auto close_gz = [](gzFile_s* f) { ::gzclose(f); };
  const std::unique_ptr<gzFile_s, decltype(close_gz)> gz(::gzdopen(file.get(), "rb"), close_gz);
  if (!gz) throw Error(ErrorCode::io, fmt::format("{}: cannot start zlib", path));
  file.release();  // gzclose closes it
  ::gzbuffer(gz.get(), 1U << 18);

  std::string text;
  std::size_t used = 0;
  for (;;) {
    if (text.size() - used < (1U << 18)) text.resize(std::max<std::size_t>(1U << 20, 2 * text.size()));
    const std::size_t room = std::min<std::size_t>(text.size() - used, 1U << 30);
    const int got = ::gzread(gz.get(), text.data() + used, static_cast<unsigned>(room));
    int status = Z_OK;
    const char* reason = ::gzerror(gz.get(), &status);
    if (got < 0 || (got == 0 && status != Z_OK && status != Z_STREAM_END))
      throw Error(ErrorCode::bad_data, fmt::format("{}: damaged gzip file: {}", path, reason),
                  "is it complete? make or fetch it again");
    if (got == 0) break;
    if (used == 0 && ::gzdirect(gz.get()) != 0)
      throw Error(ErrorCode::bad_data, fmt::format("{}: not a gzip file", path), "drop .gz from its name");
    used += static_cast<std::size_t>(got);
  }
  text.resize(used);
  return owned(std::move(text));
}

FileBytes read_standard_input() { return read_to_end(STDIN_FILENO, "stdin"); }

}  // namespace mercer
