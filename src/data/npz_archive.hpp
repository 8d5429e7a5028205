// NpzArchive: the arrays in a .npz file (a zip of .npy files), by name, read as they are asked for. Sizes are
// checked before memory is taken: an archive cannot make us allocate more than it could really unpack to.
#pragma once

#include "data/file_bytes.hpp"
#include "data/npy_array.hpp"

#include <memory>
#include <string>
#include <vector>

namespace mercer {

class NpzArchive {
  struct Zip;

 public:
  struct Entry {
    std::string name;  ///< without ".npy"
    NpyHeader header;
    std::uint64_t index = 0, size = 0;
  };

  /// An entry's bytes in order, unpacked as they are asked for. The archive must outlive it.
  class Stream {
   public:
    Stream(const NpzArchive& archive, const Entry& entry);
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    void read(char* to, std::size_t size);
    /// After the last byte: compares the checksum.
    void finish();

   private:
    struct File;
    const Zip& zip_;
    std::unique_ptr<File> file_;
    std::string where_;
  };

  explicit NpzArchive(const std::string& path);
  ~NpzArchive();
  NpzArchive(const NpzArchive&) = delete;
  NpzArchive& operator=(const NpzArchive&) = delete;

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] const Entry* find(const std::string& name) const;
  [[nodiscard]] NpyArray read(const Entry& entry) const;
  /// Throws Error{io} where the file is not what it was when it was opened.
  void check_unchanged() const;
  /// "images (60000 x 28 x 28), labels (60000)" for messages.
  [[nodiscard]] std::string list() const;

 private:
  std::string path_;
  std::unique_ptr<Zip> zip_;
  std::vector<Entry> entries_;
};

}  // namespace mercer
