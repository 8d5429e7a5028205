// ByteStream: an input's bytes in order, unpacked where it is gzip; for what need not be in memory
// at once. (FileBytes, beside it, is for what must.)
#pragma once

#include "data/format.hpp"
#include "data/input_file.hpp"

#include <memory>

namespace mercer {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  /// Up to `size` bytes; 0 only at the end. Throws Error{io}, or Error{bad_data} for damaged gzip.
  [[nodiscard]] virtual std::size_t read(char* to, std::size_t size) = 0;
  /// Can it be read twice? A pipe cannot.
  [[nodiscard]] virtual bool can_rewind() const = 0;
  virtual void rewind() = 0;
  /// The share that has been read; 0 where the whole is not known.
  [[nodiscard]] virtual double fraction() const = 0;

 protected:
  ByteStream() = default;
};

/// A file, a gzip file or standard input, as the location says.
[[nodiscard]] std::unique_ptr<ByteStream> open_bytes(const Location& file);
/// What an open descriptor gives; a pipe must not be opened a second time.
[[nodiscard]] std::unique_ptr<ByteStream> bytes_of(const std::string& name, Descriptor file);

}  // namespace mercer
