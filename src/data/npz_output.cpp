// Writing .npz through libzip, into the temporary file that takes the place of the output.
#include "data/npz_output.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>
#include <zip.h>

namespace mercer {

struct NpzOutput::Zip {
  explicit Zip(const AtomicFile& file) : path(file.path()) {
    int code = 0;
    archive = zip_open(file.temporary_path().c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
    if (archive == nullptr)
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
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0);
  }

  void close() {
    if (zip_close(archive) != 0) fail();
    archive = nullptr;
  }

  [[noreturn]] void fail() const {
    throw Error(ErrorCode::io, fmt::format("{}: writing failed: {}", path, zip_strerror(archive)));
  }

  std::string path;
  zip_t* archive = nullptr;
};

NpzOutput::NpzOutput(const std::string& path) : file_(path), zip_(std::make_unique<Zip>(file_)) {}

NpzOutput::~NpzOutput() = default;

void NpzOutput::add_file(const std::string& name, const std::string& npy) {
  zip_->add(name, zip_source_file(zip_->archive, npy.c_str(), 0, -1));
}

void NpzOutput::add_bytes(const std::string& name, std::string_view npy) {
  zip_->add(name, zip_source_buffer(zip_->archive, npy.data(), npy.size(), 0));
}

void NpzOutput::finish() {
  zip_->close();
  file_.commit();
}

}  // namespace mercer
