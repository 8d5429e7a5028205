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

namespace mercer {

namespace {

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

class GzipBytes final : public ByteStream {
 public:
  GzipBytes(std::string name, Descriptor file, const struct stat& info)
      : name_(std::move(name)), descriptor_(file.get()), gz_(::gzdopen(file.get(), "rb")) {
    if (!gz_) throw std::bad_alloc();  // nothing else can go wrong with a descriptor that is open
    file.release();                    // gzclose closes it
    if (S_ISREG(info.st_mode)) {
      size_ = static_cast<std::size_t>(info.st_size);
      unchanged_.emplace(info);
    }
    ::gzbuffer(gz_.get(), 1U << 18);
  }

  std::size_t read(char* to, std::size_t size) override {
    constexpr std::size_t most = std::size_t{1} << 30;  // zlib counts in 32 bits
    int got = 0, status = Z_OK, why = 0;
    const char* reason = nullptr;
    for (bool again = true; again;) {
      got = ::gzread(gz_.get(), to, static_cast<unsigned>(std::min(size, most)));
      why = errno;
      reason = ::gzerror(gz_.get(), &status);
      again = status == Z_ERRNO && why == EINTR && got <= 0;
      if (again) ::gzclearerr(gz_.get());
    }
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_ERRNO && got <= 0)
      throw Error(ErrorCode::io, fmt::format("{}: reading failed: {}", name_, std::strerror(why)));
    if (got < 0 || (got == 0 && status != Z_OK && status != Z_STREAM_END))
      throw Error(ErrorCode::bad_data, fmt::format("{}: damaged gzip file: {}", name_, reason),
                  "is it complete? make or fetch it again");
    if (got > 0 && ::gzdirect(gz_.get()) != 0)
      throw Error(ErrorCode::bad_data, fmt::format("{}: not a gzip file", name_), "drop .gz from its name");
    if (got == 0 && unchanged_) unchanged_->check(descriptor_, name_);
    return static_cast<std::size_t>(got);
  }

  [[nodiscard]] bool can_rewind() const override { return unchanged_.has_value(); }
  void rewind() override {
    if (unchanged_) unchanged_->check(descriptor_, name_);
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
  int descriptor_;
  std::size_t size_ = 0;
  std::optional<Unchanged> unchanged_;
  std::unique_ptr<gzFile_s, Close> gz_;
};

}  // namespace

std::unique_ptr<ByteStream> bytes_of(const std::string& name, Descriptor file) {
  return std::make_unique<PlainBytes>(name, std::move(file), nullptr);
}

std::unique_ptr<ByteStream> open_bytes(const Location& file) {
  if (file.standard_stream) return bytes_of(file.shown(), Descriptor(STDIN_FILENO));
  struct stat info {};
  Descriptor opened = open_to_read(file.path, info);
  if (file.gzip) return std::make_unique<GzipBytes>(file.path, std::move(opened), info);
  return std::make_unique<PlainBytes>(file.path, std::move(opened), S_ISREG(info.st_mode) ? &info : nullptr);
}

}  // namespace mercer
