// A folder of its own for a test, removed at the end with all that is in it.
#pragma once

#include "data/temporary_file.hpp"

namespace mercer::test {

class TemporaryFolder {
 public:
  TemporaryFolder() { std::filesystem::create_directory(name_.path()); }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(name_.path(), ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return name_.path(); }
  [[nodiscard]] std::string path(const std::string& name) const { return name_.path() + '/' + name; }
  void write(const std::string& name, std::string_view content) const {
    std::ofstream(path(name), std::ios::binary)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
  }
  /// How many files are in it.
  [[nodiscard]] std::ptrdiff_t files() const {
    return std::distance(std::filesystem::directory_iterator(path()), {});
  }

 private:
  TemporaryFile name_{""};
};

}  // namespace mercer::test
