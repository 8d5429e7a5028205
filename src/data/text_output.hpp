// TextOutput: where the text formats write to: a file that appears whole or not at all, the same
// gzipped, or standard output.
#pragma once

#include "base/atomic_file.hpp"
#include "data/format.hpp"

#include <memory>
#include <string_view>

namespace mercer {

class TextOutput {
 public:
  explicit TextOutput(const Location& file);
  ~TextOutput();
  TextOutput(const TextOutput&) = delete;
  TextOutput& operator=(const TextOutput&) = delete;

  void write(std::string_view text);
  void finish();

 private:
  struct Gzip;
  std::unique_ptr<AtomicFile> file_;  ///< null: standard output
  std::unique_ptr<Gzip> gzip_;
};

}  // namespace mercer
