// AtomicFile: temporary name, lock, fsync, rename.
#include "base/atomic_file.hpp"

#include <mercer/error.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

namespace mercer {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view temporary_mark = ".part-";
constexpr std::size_t random_letter_count = 6, longest_name = 255;

/// What temporary files of an output begin with; a name may not be longer than the system takes.
std::string temporary_beginning(const fs::path& target) {
  const std::string name = target.filename().string();
  return name.substr(0, longest_name - temporary_mark.size() - random_letter_count) +
         std::string(temporary_mark);
}

std::string beside(const fs::path& target, const std::string& name) {
  const fs::path folder = target.parent_path();
  return folder.empty() ? name : (folder / name).string();
}

/// Drawn by the system: a seed of ours would give two processes the same names.
std::string random_letters() {
  static constexpr std::string_view alphabet = "abcdefghijklmnopqrstuvwxyz0123456789";
  unsigned char bytes[random_letter_count] = {};
  if (::getentropy(bytes, sizeof bytes) != 0) bytes[0] = static_cast<unsigned char>(::getpid());
  std::string out;
  for (const unsigned char byte : bytes) out += alphabet[byte % alphabet.size()];
  return out;
}

bool is_still(int file, const std::string& name) {
  struct stat open {
  }, named{};
  return ::fstat(file, &open) == 0 && ::stat(name.c_str(), &named) == 0 && open.st_ino == named.st_ino &&
         open.st_dev == named.st_dev;
}

/// Only files that nobody holds: see the top of the header.
void remove_if_abandoned(const std::string& name) {
  const int file = ::open(name.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return;
  if (::flock(file, LOCK_EX | LOCK_NB) == 0 && is_still(file, name)) ::unlink(name.c_str());
  ::close(file);
}

/// What killed runs have left of this output. A folder that cannot be listed is no reason not to write.
/// (std::filesystem's iterator ends the process where it is refused memory.)
void remove_leftovers(const fs::path& target) {
  const std::string beginning = temporary_beginning(target);
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(beside(target, ".").c_str()), &::closedir);
  if (!folder) return;
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (name.size() == beginning.size() + random_letter_count && name.starts_with(beginning))
      remove_if_abandoned(beside(target, std::string(name)));
  }
}

/// The file that a link leads to, which is to be replaced and not the link; also where it is not there yet.
std::string followed(const std::string& path) {
  std::error_code problem;
  if (!fs::is_symlink(path, problem)) return path;
  const fs::path there =
      fs::weakly_canonical(fs::path(path).parent_path() / fs::read_symlink(path, problem), problem);
  return problem || there.empty() ? path : there.string();
}

/// Makes a file that did not exist, and locks it; -1 with errno. Someone who takes it for abandoned in the
/// moment between may remove it: then once more.
int create_locked(const std::string& target, std::string& name) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::string tried = beside(target, temporary_beginning(target) + random_letters());
    const int file = ::open(tried.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && (errno == EEXIST || errno == EINTR)) continue;
    if (file < 0) return -1;
    name = std::move(tried);
    if (::flock(file, LOCK_EX) != 0 || is_still(file, name)) return file;  // without locks nobody removes it
    ::close(file);
    ::unlink(name.c_str());
    name.clear();
  }
  errno = EEXIST;
  return -1;
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  struct stat info {};
  const bool exists = ::stat(path_.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode))
    throw Error(ErrorCode::cannot_create, fmt::format("{}: cannot create: it is a folder", path_),
                "name a file in it");
  if (exists && !S_ISREG(info.st_mode)) {
    file_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file_ < 0)
      throw Error(ErrorCode::cannot_create, fmt::format("{}: cannot write: {}", path_, std::strerror(errno)));
    return;
  }
  target_ = followed(path_);
  remove_leftovers(target_);
  file_ = create_locked(target_, temporary_);
  if (file_ < 0)
    throw Error(ErrorCode::cannot_create, fmt::format("{}: cannot create: {}", path_, std::strerror(errno)),
                "does the folder exist, and may you write there?");
}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());  // while it is locked: then the name is ours
  if (file_ >= 0) ::close(file_);
}

void AtomicFile::fail(const char* what) const {
  throw Error(ErrorCode::io, fmt::format("{}: {}: {}", path_, what, std::strerror(errno)));
}

void AtomicFile::write(const void* data, std::size_t size) {
  const char* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t done = ::write(file_, bytes, size);
    if (done < 0 && errno == EINTR) continue;
    if (done == 0) errno = ENOSPC;
    if (done <= 0) fail("writing failed");
    bytes += done;
    size -= static_cast<std::size_t>(done);
  }
}

void AtomicFile::write_at(std::size_t offset, const void* data, std::size_t size) {
  const char* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t done = ::pwrite(file_, bytes, size, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done == 0) errno = ENOSPC;
    if (done <= 0) fail("writing failed");
    bytes += done;
    offset += static_cast<std::size_t>(done);
    size -= static_cast<std::size_t>(done);
  }
}

void AtomicFile::read_at(std::size_t offset, void* data, std::size_t size) const {
  char* bytes = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t done = ::pread(file_, bytes, size, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done == 0) errno = EIO;
    if (done <= 0) fail("reading back what was written failed");
    bytes += done;
    offset += static_cast<std::size_t>(done);
    size -= static_cast<std::size_t>(done);
  }
}

std::size_t AtomicFile::size() const {
  struct stat info {};
  if (::fstat(file_, &info) != 0) fail("writing failed");
  return static_cast<std::size_t>(info.st_size);
}

void AtomicFile::commit() {
  int synced = 0;
  while ((synced = ::fsync(file_)) != 0 && errno == EINTR) {
  }
  if (synced != 0 && errno != EINVAL && errno != EROFS) fail("writing failed");
  // Renamed before it is closed, since closing gives up the lock. What closing a file could report, fsync
  // has.
  if (!temporary_.empty()) {
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("renaming into place failed");
    temporary_.clear();
  }
  const int file = std::exchange(file_, -1);
  if (::close(file) != 0 && errno != EINTR && target_.empty()) fail("writing failed");
}

}  // namespace mercer
