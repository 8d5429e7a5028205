// Writing .npz through libzip, into the temporary file that takes the place of the output.
#include "data/npz_output.hpp"

#include "data/zip_bytes.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <deque>

namespace mercer {

struct NpzOutput::Zip {
  explicit Zip(AtomicFile& file) : path(file.path()), target(file) {
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t* source = target.source();
    archive = zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, &error);
    if (archive != nullptr) return;
    const int code = zip_error_code_zip(&error);
    zip_source_free(source);
    target.rethrow(&error);
    zip_error_fini(&error);
    throw Error(ErrorCode::io, fmt::format("{}: cannot start the archive ({})", path, code));
  }
  ~Zip() {
    if (archive != nullptr) zip_discard(archive);
  }
  Zip(const Zip&) = delete;
  Zip& operator=(const Zip&) = delete;

  void add(const std::string& name, zip_source_t* source) {
    if (source == nullptr) fail();
    const zip_int64_t index = zip_file_add(archive, (name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      fail();
    }
    if (zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0) != 0) fail();
  }

  void close() {
    if (zip_close(archive) != 0) fail();
    archive = nullptr;
  }

  [[noreturn]] void fail() {
    for (const ZipBytes& entry : entries) entry.rethrow(nullptr);
    target.rethrow(zip_get_error(archive));
    throw Error(ErrorCode::io, fmt::format("{}: writing failed: {}", path, zip_strerror(archive)));
  }

  std::string path;
  ZipOutput target;
  std::deque<ZipOutput> entries;
  zip_t* archive = nullptr;
};

NpzOutput::NpzOutput(const std::string& path) : file_(path), zip_(std::make_unique<Zip>(file_)) {}

NpzOutput::~NpzOutput() = default;

void NpzOutput::add_file(const std::string& name, AtomicFile& npy) {
  zip_->add(name, zip_->entries.emplace_back(npy).source());
}

void NpzOutput::add_bytes(const std::string& name, std::string_view npy) {
  zip_->add(name, zip_source_buffer(zip_->archive, npy.data(), npy.size(), 0));
}

void NpzOutput::finish() {
  zip_->close();
  file_.commit();
}

}  // namespace mercer
