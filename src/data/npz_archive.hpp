// NpzArchive: the arrays in a .npz file (a zip of .npy files), by name. Sizes are checked before
// memory is taken: an archive cannot make us allocate more than it could really unpack to.
#pragma once

#include "data/npy_array.hpp"

#include <memory>
#include <string>
#include <vector>

namespace mercer {

class NpzArchive {
 public:
  struct Entry {
    std::string name;  ///< without ".npy"
    NpyHeader header;
    std::uint64_t index = 0, size = 0;
  };

  explicit NpzArchive(const std::string& path);
  ~NpzArchive();
  NpzArchive(const NpzArchive&) = delete;
  NpzArchive& operator=(const NpzArchive&) = delete;

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] const Entry* find(const std::string& name) const;
  [[nodiscard]] NpyArray read(const Entry& entry) const;
  /// "images (60000 x 28 x 28), labels (60000)" for messages.
  [[nodiscard]] std::string list() const;

 private:
  struct Zip;
  [[nodiscard]] std::string unpack(std::uint64_t index, std::uint64_t size, bool all,
                                   const std::string& where) const;

  std::string path_;
  std::unique_ptr<Zip> zip_;
  std::vector<Entry> entries_;
};

}  // namespace mercer
