// Reading .npz through libzip; every name, size and header is distrusted until checked.
#include "data/npz_archive.hpp"

#include "data/zip_bytes.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <new>
#include <optional>
#include <utility>

namespace mercer {

struct NpzArchive::Zip {
  std::optional<ZipInput> file;
  std::optional<Unchanged> unchanged;
  FileBytes bytes;  ///< of a pipe
  int descriptor = -1;
  std::size_t size = 0;
  zip_t* archive = nullptr;

  explicit Zip(const std::string& path) {
    struct stat info {};
    Descriptor opened = open_to_read(path, info);
    if (!S_ISREG(info.st_mode)) {
      bytes = file_bytes(path);
      size = bytes.text.size();
      return;
    }
    size = static_cast<std::size_t>(info.st_size);
    descriptor = opened.get();
    unchanged.emplace(info);
    file.emplace(path, std::move(opened), size);
  }
  ~Zip() {
    if (archive != nullptr) zip_discard(archive);
  }
  Zip(const Zip&) = delete;
  Zip& operator=(const Zip&) = delete;

  [[nodiscard]] zip_source_t* source(zip_error_t* error) {
    return file ? file->source() : zip_source_buffer_create(bytes.text.data(), bytes.text.size(), 0, error);
  }
  /// Where not the archive is to blame.
  void rethrow(zip_error_t* error) const {
    if (file) file->rethrow(error);
    if (zip_error_code_zip(error) == ZIP_ER_MEMORY) throw std::bad_alloc();
  }
};

namespace {

/// Deflate cannot do better than 1032 : 1.
constexpr std::uint64_t best_ratio = 1032;

[[noreturn]] void fail_damaged(const std::string& where, const std::string& why) {
  throw Error(ErrorCode::bad_data, fmt::format("{}: damaged npz file: {}", where, why),
              "is it complete? write it again");
}

}  // namespace

NpzArchive::NpzArchive(const std::string& path) : path_(path), zip_(std::make_unique<Zip>(path)) {
  if (zip_->size == 0) throw Error(ErrorCode::bad_data, fmt::format("{}: the file is empty", path));
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_->source(&error);
  if (source != nullptr) zip_->archive = zip_open_from_source(source, ZIP_RDONLY, &error);
  if (zip_->archive == nullptr) {
    if (source != nullptr) zip_source_free(source);
    zip_->rethrow(&error);
    const char* words = zip_error_strerror(&error);
    const std::string reason = words != nullptr ? words : "it cannot be opened";
    zip_error_fini(&error);
    fail_damaged(path, reason);
  }
  zip_error_fini(&error);

  const zip_int64_t count = zip_get_num_entries(zip_->archive, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    zip_stat_t info;
    zip_stat_init(&info);
    if (zip_stat_index(zip_->archive, static_cast<zip_uint64_t>(i), 0, &info) != 0 ||
        (info.valid & ZIP_STAT_NAME) == 0)
      continue;
    std::string name = info.name;
    if (name.size() < 4 || name.substr(name.size() - 4) != ".npy") continue;
    name.resize(name.size() - 4);
    const std::string where = path + ':' + name;
    constexpr zip_uint64_t sizes = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
    if ((info.valid & sizes) != sizes || info.comp_size > zip_->size ||
        info.size > info.comp_size * best_ratio + 1024)
      fail_damaged(where, "impossible size");
    Entry entry{name, {}, static_cast<std::uint64_t>(i), info.size};
    std::string beginning(std::min<std::uint64_t>(info.size, npy_header_limit), '\0');
    Stream(*this, entry).read(beginning.data(), beginning.size());
    entry.header = parse_npy_header(beginning, info.size, where);
    entries_.push_back(std::move(entry));
  }
  if (entries_.empty()) throw Error(ErrorCode::bad_data, fmt::format("{}: no arrays in it", path));
}

NpzArchive::~NpzArchive() = default;

struct NpzArchive::Stream::File {
  File() = default;
  ~File() {
    if (file != nullptr) zip_fclose(file);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  zip_file_t* file = nullptr;
};

NpzArchive::Stream::Stream(const NpzArchive& archive, const Entry& entry)
    : zip_(*archive.zip_), file_(std::make_unique<File>()), where_(archive.path_ + ':' + entry.name) {
  file_->file = zip_fopen_index(zip_.archive, entry.index, 0);
  if (file_->file != nullptr) return;
  zip_.rethrow(zip_get_error(zip_.archive));
  fail_damaged(where_, zip_strerror(zip_.archive));
}

NpzArchive::Stream::~Stream() = default;

void NpzArchive::Stream::read(char* to, std::size_t size) {
  while (size > 0) {
    const zip_int64_t got = zip_fread(file_->file, to, std::min<std::size_t>(size, std::size_t{1} << 30));
    if (got < 0) {
      zip_.rethrow(zip_file_get_error(file_->file));
      fail_damaged(where_, zip_file_strerror(file_->file));
    }
    if (got == 0) fail_damaged(where_, "it ends too early");
    to += got;
    size -= static_cast<std::size_t>(got);
  }
}

void NpzArchive::Stream::finish() {
  char beyond = 0;  // reading past the end is what makes libzip compare the checksum
  if (zip_fread(file_->file, &beyond, 1) == 0) return;
  zip_.rethrow(zip_file_get_error(file_->file));
  fail_damaged(where_, "the checksum or the size is wrong");
}

void NpzArchive::check_unchanged() const {
  if (zip_->unchanged) zip_->unchanged->check(zip_->descriptor, path_);
}

const NpzArchive::Entry* NpzArchive::find(const std::string& name) const {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.name == name; });
  return found == entries_.end() ? nullptr : &*found;
}

NpyArray NpzArchive::read(const Entry& entry) const {
  NpyArray array;
  array.where = path_ + ':' + entry.name;
  array.header = entry.header;
  if (!entry.header.is_text()) require_numeric(entry.header, array.where);
  auto bytes = std::make_shared<std::string>(entry.size, '\0');
  Stream stream(*this, entry);
  stream.read(bytes->data(), bytes->size());
  stream.finish();
  array.data = bytes->data() + entry.header.offset;
  array.owner = std::move(bytes);
  return array;
}

std::string NpzArchive::list() const {
  std::vector<std::string> out;
  for (const Entry& e : entries_)
    out.push_back(e.header.shape.empty() ? e.name
                                         : fmt::format("{} ({})", e.name, fmt::join(e.header.shape, " x ")));
  return fmt::format("arrays: {}", fmt::join(out, ", "));
}

}  // namespace mercer
