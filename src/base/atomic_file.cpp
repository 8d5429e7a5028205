// AtomicFile: temporary name, fsync, rename.
#include "base/atomic_file.hpp"

#include <mercer/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

namespace mercer {

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  struct stat info {};
  if (::stat(path_.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
    throw Error(ErrorCode::cannot_create, fmt::format("{}: cannot create: it is a folder", path_),
                "name a file in it");
  if (::stat(path_.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    file_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file_ < 0)
      throw Error(ErrorCode::cannot_create, fmt::format("{}: cannot write: {}", path_, std::strerror(errno)));
    return;
  }
  std::string pattern = path_ + ".part-XXXXXX";
  file_ = ::mkstemp(pattern.data());
  if (file_ < 0)
    throw Error(ErrorCode::cannot_create, fmt::format("{}: cannot create: {}", path_, std::strerror(errno)),
                "does the folder exist, and may you write there?");
  temporary_ = pattern;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(file_, 0666 & ~mask);  // mkstemp makes private files; ours are ordinary ones
}

AtomicFile::~AtomicFile() {
  if (file_ >= 0) ::close(file_);
  if (!committed_ && !temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::fail(const char* what) const {
  throw Error(ErrorCode::io, fmt::format("{}: {}: {}", path_, what, std::strerror(errno)));
}

void AtomicFile::write(const void* data, std::size_t size) {
  const char* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t done = ::write(file_, bytes, size);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail("writing failed");
    bytes += done;
    size -= static_cast<std::size_t>(done);
  }
}

void AtomicFile::write_at(std::size_t offset, const void* data, std::size_t size) {
  const char* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t done = ::pwrite(file_, bytes, size, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail("writing failed");
    bytes += done;
    offset += static_cast<std::size_t>(done);
    size -= static_cast<std::size_t>(done);
  }
}

void AtomicFile::commit() {
  if (::fsync(file_) != 0 && errno != EINVAL && errno != EROFS) fail("writing failed");
  if (::close(file_) != 0) {
    file_ = -1;
    fail("writing failed");
  }
  file_ = -1;
  if (!temporary_.empty() && ::rename(temporary_.c_str(), path_.c_str()) != 0)
    fail("renaming into place failed");
  committed_ = true;
}

}  // namespace mercer
