// ZipBytes: the bytes of a zip archive or of an entry in it, as libzip asks for them. Through it archives are
// written into the AtomicFile that takes their place (libzip by itself makes a temporary file of its own),
// and whatever goes wrong with a file has its own words.
#pragma once

#include "base/atomic_file.hpp"
#include "data/input_file.hpp"

#include <zip.h>

#include <exception>
#include <string>

namespace mercer {

class ZipBytes {
 public:
  ZipBytes() = default;
  virtual ~ZipBytes() = default;
  ZipBytes(const ZipBytes&) = delete;
  ZipBytes& operator=(const ZipBytes&) = delete;

  /// For libzip, which frees it; this object must outlive it. Throws std::bad_alloc.
  [[nodiscard]] zip_source_t* source();
  /// What failed in here, if libzip reports a failure, or a lack of memory of libzip's own.
  void rethrow(zip_error_t* error) const;

 protected:
  [[nodiscard]] virtual std::size_t size() const = 0;
  /// As many as there are.
  virtual std::size_t read_at(std::size_t offset, char* to, std::size_t count) = 0;
  virtual void write_at(std::size_t offset, const char* from, std::size_t count);
  [[nodiscard]] virtual bool writable() const { return false; }

 private:
  static zip_int64_t call(void* self, void* data, zip_uint64_t length, zip_source_cmd_t command);
  zip_int64_t answer(void* data, zip_uint64_t length, zip_source_cmd_t command);

  std::size_t read_from_ = 0, write_to_ = 0;
  zip_error_t error_{};
  std::exception_ptr failure_;
};

/// A regular file that is open.
class ZipInput final : public ZipBytes {
 public:
  ZipInput(std::string path, Descriptor file, std::size_t size)
      : path_(std::move(path)), file_(std::move(file)), size_(size) {}

 private:
  [[nodiscard]] std::size_t size() const override { return size_; }
  std::size_t read_at(std::size_t offset, char* to, std::size_t count) override;

  std::string path_;
  Descriptor file_;
  std::size_t size_;
};

/// What has been written so far, to be read or to be written to.
class ZipOutput final : public ZipBytes {
 public:
  explicit ZipOutput(AtomicFile& file) : file_(file) {}

 private:
  [[nodiscard]] std::size_t size() const override { return file_.size(); }
  std::size_t read_at(std::size_t offset, char* to, std::size_t count) override;
  void write_at(std::size_t offset, const char* from, std::size_t count) override {
    file_.write_at(offset, from, count);
  }
  [[nodiscard]] bool writable() const override { return true; }

  AtomicFile& file_;
};

}  // namespace mercer
