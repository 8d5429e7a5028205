// NpzOutput: a .npz file that appears whole or not at all; its arrays are stored as numpy.savez does, not
// packed. Files and bytes that are added must stay until finish() has written them.
#pragma once

#include "base/atomic_file.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace mercer {

class NpzOutput {
 public:
  explicit NpzOutput(const std::string& path);
  ~NpzOutput();
  NpzOutput(const NpzOutput&) = delete;
  NpzOutput& operator=(const NpzOutput&) = delete;

  /// Arrays in .npy form: a temporary file of its own, or bytes in memory.
  void add_file(const std::string& name, AtomicFile& npy);
  void add_bytes(const std::string& name, std::string_view npy);
  void finish();

 private:
  struct Zip;
  AtomicFile file_;
  std::unique_ptr<Zip> zip_;
};

}  // namespace mercer
