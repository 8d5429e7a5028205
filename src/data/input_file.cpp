// Opening an input file, with the reasons why it cannot be.
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
  if (file.get() < 0) fail_to_open(path, errno);
  if (::fstat(file.get(), &info) != 0) fail_to_open(path, errno);
  if (S_ISDIR(info.st_mode))
    throw Error(ErrorCode::no_input, fmt::format("{}: is a folder, not a file", path), "name a file in it");
  return file;
}

}  // namespace mercer
