// Streams of bytes from files and pipes (read) and from gzip files (zlib; several members are joined).
#include "data/byte_stream.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace mercer {

namespace {

double share(double part, double whole) { return whole > 0 ? std::min(1.0, part / whole) : 0; }

class PlainBytes final : public ByteStream {
 public:
  PlainBytes(std::string name, Descriptor file, std::size_t size, bool regular)
      : name_(std::move(name)), file_(std::move(file)), size_(size), regular_(regular) {}
  ~PlainBytes() override {
    if (file_.get() == STDIN_FILENO) file_.release();  // not ours to close
  }

  std::size_t read(char* to, std::size_t size) override {
    for (;;) {
      const ssize_t got = ::read(file_.get(), to, size);
      if (got >= 0) {
        done_ += static_cast<std::size_t>(got);
        return static_cast<std::size_t>(got);
      }
      if (errno != EINTR)
        throw Error(ErrorCode::io, fmt::format("{}: reading failed: {}", name_, std::strerror(errno)));
    }
  }

  [[nodiscard]] bool can_rewind() const override { return regular_; }
  void rewind() override {
    if (::lseek(file_.get(), 0, SEEK_SET) != 0)
      throw Error(ErrorCode::io, fmt::format("{}: cannot go back: {}", name_, std::strerror(errno)));
    done_ = 0;
  }
  [[nodiscard]] double fraction() const override {
    return share(static_cast<double>(done_), static_cast<double>(size_));
  }

 private:
  std::string name_;
  Descriptor file_;
  std::size_t size_, done_ = 0;
  bool regular_;
};

class GzipBytes final : public ByteStream {
 public:
  GzipBytes(std::string name, Descriptor file, std::size_t size, bool regular)
      : name_(std::move(name)), size_(size), regular_(regular), gz_(::gzdopen(file.get(), "rb")) {
    if (!gz_) throw Error(ErrorCode::io, fmt::format("{}: cannot start zlib", name_));
    file.release();  // gzclose closes it
    ::gzbuffer(gz_.get(), 1U << 18);
  }

  std::size_t read(char* to, std::size_t size) override {
    constexpr std::size_t most = std::size_t{1} << 30;  // zlib counts in 32 bits
    const int got = ::gzread(gz_.get(), to, static_cast<unsigned>(std::min(size, most)));
    int status = Z_OK;
    const char* reason = ::gzerror(gz_.get(), &status);
    if (got < 0 || (got == 0 && status != Z_OK && status != Z_STREAM_END))
      throw Error(ErrorCode::bad_data, fmt::format("{}: damaged gzip file: {}", name_, reason),
                  "is it complete? make or fetch it again");
    if (got > 0 && ::gzdirect(gz_.get()) != 0)
      throw Error(ErrorCode::bad_data, fmt::format("{}: not a gzip file", name_), "drop .gz from its name");
    return static_cast<std::size_t>(got);
  }

  [[nodiscard]] bool can_rewind() const override { return regular_; }
  void rewind() override {
    if (::gzrewind(gz_.get()) != 0) throw Error(ErrorCode::io, fmt::format("{}: cannot go back", name_));
  }
  [[nodiscard]] double fraction() const override {
    return share(static_cast<double>(::gzoffset(gz_.get())), static_cast<double>(size_));
  }

 private:
  struct Close {
    void operator()(gzFile_s* f) const { ::gzclose(f); }
  };
  std::string name_;
  std::size_t size_;
  bool regular_;
  std::unique_ptr<gzFile_s, Close> gz_;
};

}  // namespace

std::unique_ptr<ByteStream> bytes_of(const std::string& name, Descriptor file) {
  return std::make_unique<PlainBytes>(name, std::move(file), 0, false);
}

std::unique_ptr<ByteStream> open_bytes(const Location& file) {
  if (file.standard_stream) return bytes_of(file.shown(), Descriptor(STDIN_FILENO));
  struct stat info {};
  Descriptor opened = open_to_read(file.path, info);
  const bool regular = S_ISREG(info.st_mode);
  const std::size_t size = regular ? static_cast<std::size_t>(info.st_size) : 0;
  if (file.gzip) return std::make_unique<GzipBytes>(file.path, std::move(opened), size, regular);
  return std::make_unique<PlainBytes>(file.path, std::move(opened), size, regular);
}

}  // namespace mercer
