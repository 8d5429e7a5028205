// Opening and reading an input file, with the reasons why it cannot be.
#include "data/input_file.hpp"

#include <mercer/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace mercer {

namespace {

[[noreturn]] void fail_to_open(const std::string& path, int reason) {
  if (reason == ENOENT || reason == ENOTDIR)
    throw Error(ErrorCode::no_input, fmt::format("{}: no such file", path), "check the name and the folder");
  throw Error(ErrorCode::no_input, fmt::format("{}: cannot open: {}", path, std::strerror(reason)));
}

}  // namespace

Descriptor open_to_read(const std::string& path, struct stat& info) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  while (file.get() < 0 && errno == EINTR) file = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail_to_open(path, errno);
  if (::fstat(file.get(), &info) != 0) fail_to_open(path, errno);
  if (S_ISDIR(info.st_mode))
    throw Error(ErrorCode::no_input, fmt::format("{}: is a folder, not a file", path), "name a file in it");
  return file;
}

std::size_t read_some(const Descriptor& file, std::size_t offset, char* to, std::size_t count,
                      const std::string& path) {
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got = ::pread(file.get(), to + done, count - done, static_cast<off_t>(offset + done));
    if (got == 0) break;
    if (got > 0)
      done += static_cast<std::size_t>(got);
    else if (errno != EINTR)
      throw Error(ErrorCode::io, fmt::format("{}: reading failed: {}", path, std::strerror(errno)));
  }
  return done;
}

void read_all(const Descriptor& file, std::size_t offset, char* to, std::size_t count,
              const std::string& path) {
  if (const std::size_t got = read_some(file, offset, to, count, path); got < count)
    throw Error(
        ErrorCode::io,
        fmt::format("{}: the file became shorter while it was read: it ends at byte {}", path, offset + got),
        "read it when nothing writes to it");
}

void Unchanged::check(int file, const std::string& path) const {
  struct stat now {};
  if (::fstat(file, &now) != 0)
    throw Error(ErrorCode::io, fmt::format("{}: reading failed: {}", path, std::strerror(errno)));
  const bool same = now.st_size == before_.st_size && now.st_mtim.tv_sec == before_.st_mtim.tv_sec &&
                    now.st_mtim.tv_nsec == before_.st_mtim.tv_nsec;
  if (!same)
    throw Error(ErrorCode::io, fmt::format("{}: the file changed while it was read", path),
                "read it when nothing writes to it");
}

}  // namespace mercer
