// Streams of bytes from files and pipes (read) and from gzip files (zlib; several members are joined).
#include "data/byte_stream.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <optional>
#include <vector>

namespace mercer {

namespace {

/// What is held of a gzip file: all of it where it is small.
std::size_t packed_at_once(const struct stat* info) {
  constexpr std::size_t least = 512, most = std::size_t{1} << 18;
  return info == nullptr ? most : std::clamp(static_cast<std::size_t>(info->st_size), least, most);
}

double share(double part, double whole) { return whole > 0 ? std::min(1.0, part / whole) : 0; }

class PlainBytes final : public ByteStream {
 public:
  /// `info` of a regular file, else null.
  PlainBytes(std::string name, Descriptor file, const struct stat* info)
      : name_(std::move(name)), file_(std::move(file)) {
    if (info == nullptr) return;
    size_ = static_cast<std::size_t>(info->st_size);
    unchanged_.emplace(*info);
  }
  ~PlainBytes() override {
    if (file_.get() == STDIN_FILENO) file_.release();  // not ours to close
  }

  std::size_t read(char* to, std::size_t size) override {
    for (;;) {
      const ssize_t got = ::read(file_.get(), to, size);
      if (got >= 0) {
        done_ += static_cast<std::size_t>(got);
        if (got == 0 && unchanged_) unchanged_->check(file_, name_);
        return static_cast<std::size_t>(got);
      }
      if (errno != EINTR)
        throw Error(ErrorCode::io, fmt::format("{}: reading failed: {}", name_, std::strerror(errno)));
    }
  }

  [[nodiscard]] bool can_rewind() const override { return unchanged_.has_value(); }
  void rewind() override {
    if (unchanged_) unchanged_->check(file_, name_);
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
  std::size_t size_ = 0, done_ = 0;
  std::optional<Unchanged> unchanged_;
};

/// zlib's inflate over the packed bytes. (Its gzread loses what it has read already where a signal interrupts
/// the next read.) Members follow each other; what comes behind the last one is left alone, as gzip does.
class GzipBytes final : public ByteStream {
 public:
  GzipBytes(const std::string& name, Descriptor file, const struct stat* info)
      : name_(name), packed_(name, std::move(file), info), buffer_(packed_at_once(info)) {
    constexpr int gzip_wrapper = 15 + 16;
    if (::inflateInit2(&stream_, gzip_wrapper) != Z_OK) throw std::bad_alloc();
  }
  ~GzipBytes() override { ::inflateEnd(&stream_); }

  std::size_t read(char* to, std::size_t size) override {
    constexpr std::size_t most = std::size_t{1} << 30;  // zlib counts in 32 bits
    const auto room = static_cast<uInt>(std::min(size, most));
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = room;
    while (stream_.avail_out == room) {
      if (between_ && !begin_member()) break;
      if (stream_.avail_in == 0 && !fill()) fail("it ends too early");
      const int status = ::inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_MEM_ERROR) throw std::bad_alloc();
      if (status == Z_STREAM_END)
        between_ = true;
      else if (status != Z_OK && status != Z_BUF_ERROR)
        fail(stream_.msg != nullptr ? stream_.msg : "it cannot be unpacked");
    }
    return room - stream_.avail_out;
  }

  [[nodiscard]] bool can_rewind() const override { return packed_.can_rewind(); }
  void rewind() override {
    packed_.rewind();
    stream_.avail_in = 0;
    between_ = first_ = true;
    ended_ = false;
  }
  [[nodiscard]] double fraction() const override { return packed_.fraction(); }

 private:
  [[noreturn]] void fail(const char* why) const {
    throw Error(ErrorCode::bad_data, fmt::format("{}: damaged gzip file: {}", name_, why),
                "is it complete? make or fetch it again");
  }

  /// More packed bytes behind those that are left; false at the end.
  bool fill() {
    if (stream_.avail_in > 0) std::memmove(buffer_.data(), stream_.next_in, stream_.avail_in);
    char* free = reinterpret_cast<char*>(buffer_.data()) + stream_.avail_in;
    const std::size_t got = packed_.read(free, buffer_.size() - stream_.avail_in);
    stream_.next_in = buffer_.data();
    stream_.avail_in += static_cast<uInt>(got);
    return got > 0;
  }

  /// False where there is none.
  bool begin_member() {
    while (stream_.avail_in < 2 && !ended_) ended_ = !fill();
    const bool is_one = stream_.avail_in >= 2 && stream_.next_in[0] == 0x1f && stream_.next_in[1] == 0x8b;
    if (!is_one && first_ && stream_.avail_in > 0)
      throw Error(ErrorCode::bad_data, fmt::format("{}: not a gzip file", name_), "drop .gz from its name");
    if (!is_one) return false;
    ::inflateReset(&stream_);
    between_ = first_ = false;
    return true;
  }

  std::string name_;
  PlainBytes packed_;
  std::vector<Bytef> buffer_;
  z_stream stream_{};
  bool between_ = true, first_ = true, ended_ = false;  ///< two members, before the first one, no more bytes
};

}  // namespace

std::unique_ptr<ByteStream> bytes_of(const std::string& name, Descriptor file) {
  return std::make_unique<PlainBytes>(name, std::move(file), nullptr);
}

std::unique_ptr<ByteStream> open_bytes(const Location& file) {
  if (file.standard_stream) return bytes_of(file.shown(), Descriptor(STDIN_FILENO));
  struct stat info {};
  Descriptor opened = open_to_read(file.path, info);
  const struct stat* regular = S_ISREG(info.st_mode) ? &info : nullptr;
  if (file.gzip) return std::make_unique<GzipBytes>(file.path, std::move(opened), regular);
  return std::make_unique<PlainBytes>(file.path, std::move(opened), regular);
}

}  // namespace mercer
