// A file name of its own for a test, removed at the end with whatever was written there.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace mercer::test {

class TemporaryFile {
 public:
  /// `ending` as in ".csv".
  explicit TemporaryFile(std::string_view ending, std::string_view content = {}) {
    static std::atomic<int> counter{0};
    path_ = ::testing::TempDir() + "mercer-" + std::to_string(::getpid()) + '-' + std::to_string(counter++) +
            std::string(ending);
    if (!content.empty()) write(content);
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void write(std::string_view content) const {
    std::ofstream(path_, std::ios::binary)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
  }
  [[nodiscard]] std::string bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace mercer::test
