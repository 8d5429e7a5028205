// Reading .npz through libzip; every name, size and header is distrusted until checked.
#include "data/npz_archive.hpp"

#include "data/file_bytes.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zip.h>

#include <algorithm>

namespace mercer {

struct NpzArchive::Zip {
  FileBytes bytes;
  zip_t* archive = nullptr;
  ~Zip() {
    if (archive != nullptr) zip_discard(archive);
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

NpzArchive::NpzArchive(const std::string& path) : path_(path), zip_(std::make_unique<Zip>()) {
  zip_->bytes = map_file(path);
  const std::string_view text = zip_->bytes.text;
  if (text.empty()) throw Error(ErrorCode::bad_data, fmt::format("{}: the file is empty", path));
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(text.data(), text.size(), 0, &error);
  if (source != nullptr) zip_->archive = zip_open_from_source(source, ZIP_RDONLY, &error);
  if (zip_->archive == nullptr) {
    if (source != nullptr) zip_source_free(source);
    const std::string reason = zip_error_strerror(&error);
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
    if ((info.valid & sizes) != sizes || info.comp_size > text.size() ||
        info.size > info.comp_size * best_ratio + 1024)
      fail_damaged(where, "impossible size");
    Entry entry{name, {}, static_cast<std::uint64_t>(i), info.size};
    entry.header = parse_npy_header(
        unpack(entry.index, std::min<std::uint64_t>(info.size, npy_header_limit), false, where), info.size,
        where);
    entries_.push_back(std::move(entry));
  }
  if (entries_.empty()) throw Error(ErrorCode::bad_data, fmt::format("{}: no arrays in it", path));
}

NpzArchive::~NpzArchive() = default;

std::string NpzArchive::unpack(std::uint64_t index, std::uint64_t size, bool all,
                               const std::string& where) const {
  const auto close = [](zip_file_t* f) { zip_fclose(f); };
  const std::unique_ptr<zip_file_t, decltype(close)> file(zip_fopen_index(zip_->archive, index, 0), close);
  if (!file) fail_damaged(where, zip_strerror(zip_->archive));
  std::string out(size, '\0');
  std::size_t used = 0;
  while (used < size) {
    const zip_int64_t got =
        zip_fread(file.get(), out.data() + used, std::min<std::size_t>(size - used, std::size_t{1} << 30));
    if (got < 0) fail_damaged(where, zip_file_strerror(file.get()));
    if (got == 0) fail_damaged(where, "it ends too early");
    used += static_cast<std::size_t>(got);
  }
  char beyond = 0;  // reading past the end is what makes libzip compare the checksum
  if (all && zip_fread(file.get(), &beyond, 1) != 0) fail_damaged(where, "the checksum or the size is wrong");
  return out;
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
  auto bytes = std::make_shared<const std::string>(unpack(entry.index, entry.size, true, array.where));
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
