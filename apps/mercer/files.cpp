// Paths: checks before the work starts.
#include "files.hpp"

#include <mercer/dataset.hpp>
#include <mercer/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace mercer::app {
namespace {

[[noreturn]] void cannot_create(const std::string& path, const std::string& why, const std::string& hint) {
  throw Error(ErrorCode::cannot_create, fmt::format("{}: cannot create: {}", path, why), hint);
}

}  // namespace

void require_creatable(const std::string& path) {
  if (path.empty() || is_stream(path)) return;
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) cannot_create(path, "it is a folder", "name a file in it");
    if (!S_ISREG(info.st_mode)) return;  // a device or a pipe is written straight into
  }
  std::error_code problem;
  auto folder = std::filesystem::weakly_canonical(path, problem).parent_path();  // a link is followed
  if (problem || folder.empty()) folder = ".";
  // A file without a name shows that one can be made here, and is gone by itself.
  const int probe = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (probe >= 0) {
    ::close(probe);
    return;
  }
  if ((errno == EOPNOTSUPP || errno == EISDIR) && ::access(folder.c_str(), W_OK | X_OK) == 0) return;
  cannot_create(path, std::strerror(errno), "does the folder exist, and may you write there?");
}

void require_table_creatable(const std::string& path) {
  require_creatable(path);
  if (path.empty() || is_stream(path)) return;
  if (is_libsvm(path)) return;               // written whole, so a writer of rows refuses them
  const TableWriter<double> probe(path, 1);  // never finished, so nothing remains
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return !a.empty() && !is_stream(a) && (a == b || std::filesystem::equivalent(a, b, ignored));
}

bool comes_once(const std::string& path) {
  struct stat info {};
  return is_stream(path) ||
         (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode));
}

bool is_libsvm(const std::string& path) {
  auto name = std::filesystem::path(path);
  if (name.extension() == ".gz") name.replace_extension();
  return name.extension() == ".libsvm" || name.extension() == ".svm";
}

bool is_text_table(const std::string& path) {
  const auto ending = std::filesystem::path(path).extension().string();
  return ending != ".npy" && ending.substr(0, 4) != ".npz";
}

bool is_model_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  unsigned char head[9] = {};
  const bool complete = !file.read(reinterpret_cast<char*>(head), sizeof head).fail();
  if (file.bad()) throw Error(ErrorCode::io, fmt::format("{}: reading failed", path));
  if (!complete) return false;
  std::uint64_t length = 0;  // of the JSON header, little-endian: absurdly large when this is text
  for (int i = 7; i >= 0; --i) length = length << 8 | head[i];
  return head[8] == '{' && length < (std::uint64_t{1} << 32);
}

std::vector<std::string> component_names(Index count) {
  std::vector<std::string> names;
  for (Index i = 1; i <= count; ++i) names.push_back(fmt::format("pc{}", i));
  return names;
}

}  // namespace mercer::app
