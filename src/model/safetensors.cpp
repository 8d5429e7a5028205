// The safetensors layout: one pass to write, every claim checked to read.
// Layout: https://github.com/huggingface/safetensors#format
#include "model/safetensors.hpp"

#include "base/atomic_file.hpp"

#include <mercer/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <set>

namespace mercer::safetensors {

namespace {

constexpr std::string_view checksum_prefix = "xxh3:";
constexpr std::size_t checksum_digits = 16;
constexpr int max_nesting = 16;  // our headers need 4
constexpr Index max_side = Index{1} << 40;
constexpr std::size_t length_bytes = sizeof(std::uint64_t);

class Hash {
 public:
  Hash() : state_(XXH3_createState(), &XXH3_freeState) {
    if (!state_) throw std::bad_alloc();
    XXH3_64bits_reset(state_.get());
  }
  void add(const void* data, std::size_t bytes) { XXH3_64bits_update(state_.get(), data, bytes); }
  [[nodiscard]] std::string digits() const {
    return fmt::format("{:016x}", XXH3_64bits_digest(state_.get()));
  }

 private:
  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state_;
};

/// Product of the dimensions and the element's bytes; false when it does not fit 64 bits.
bool byte_length(const Shape& shape, std::size_t element, std::size_t& bytes) {
  bytes = element;
  bool overflow = false;
  for (const Index dimension : shape) {
    if (dimension == 0) {
      bytes = 0;
      return true;
    }
    overflow = overflow || __builtin_mul_overflow(bytes, static_cast<std::size_t>(dimension), &bytes);
  }
  return !overflow;
}

std::string make_header(const Metadata& metadata, const std::vector<Tensor>& tensors) {
  // From an object on: a null that becomes one is left broken where memory is refused.
  auto header = nlohmann::ordered_json::object();
  auto& words = header["__metadata__"] = nlohmann::ordered_json::object();
  for (const auto& [key, value] : metadata) words[key] = value;
  std::size_t end = 0;
  for (const auto& tensor : tensors) {
    std::size_t bytes = 0;
    if (!byte_length(tensor.shape, element_bytes(tensor.dtype), bytes))
      throw Error(ErrorCode::internal, fmt::format("tensor '{}' is too large for a file", tensor.name));
    header[tensor.name] = {
        {"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {end, end + bytes}}};
    end += bytes;
  }
  // Names may hold bytes that are not UTF-8 (a column of an old file); JSON cannot, so replace them.
  std::string text = header.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

}  // namespace

nlohmann::json parse_strictly(const std::string& text) {
  std::vector<std::set<std::string>> keys(max_nesting + 2);
  const auto check = [&](int depth, nlohmann::json::parse_event_t event, nlohmann::json& value) {
    using Event = nlohmann::json::parse_event_t;
    if (depth > max_nesting) throw Error(ErrorCode::bad_data, "is nested too deeply");
    if (event == Event::object_start) keys[static_cast<std::size_t>(depth) + 1].clear();
    if (event == Event::key && !keys[static_cast<std::size_t>(depth)].insert(value.get<std::string>()).second)
      throw Error(ErrorCode::bad_data, fmt::format("has '{}' twice", value.get<std::string>()));
    return true;
  };
  try {
    return nlohmann::json::parse(text, check);
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorCode::bad_data, "is not JSON");
  }
}

std::size_t element_bytes(std::string_view dtype) {
  static constexpr std::array<std::pair<std::string_view, std::size_t>, 15> sizes{{
      {"F64", 8},
      {"I64", 8},
      {"U64", 8},
      {"F32", 4},
      {"I32", 4},
      {"U32", 4},
      {"F16", 2},
      {"BF16", 2},
      {"I16", 2},
      {"U16", 2},
      {"I8", 1},
      {"U8", 1},
      {"BOOL", 1},
      {"F8_E4M3", 1},
      {"F8_E5M2", 1},
  }};
  for (const auto& [name, bytes] : sizes)
    if (name == dtype) return bytes;
  return 0;
}

std::string to_string(const Shape& shape) {
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

void write(const std::string& path, Metadata metadata, std::vector<Tensor> tensors) {
  std::stable_sort(tensors.begin(), tensors.end(), [](const Tensor& a, const Tensor& b) {
    return element_bytes(a.dtype) > element_bytes(b.dtype);
  });
  metadata.emplace_back("checksum", std::string(checksum_prefix) + std::string(checksum_digits, '0'));
  const std::string header = make_header(metadata, tensors);
  if (header.size() > max_header_bytes)
    throw Error(ErrorCode::bad_data,
                fmt::format("{}: the names in the model take {} bytes, more than a model file's header may",
                            path, header.size()),
                "use shorter column names");

  AtomicFile file(path);
  Hash hash;
  std::size_t written = 0;
  const Sink sink = [&](const void* data, std::size_t bytes) {
    if (bytes == 0) return;
    file.write(data, bytes);
    hash.add(data, bytes);
    written += bytes;
  };
  const std::uint64_t length = header.size();
  sink(&length, sizeof length);
  sink(header.data(), header.size());
  for (const auto& tensor : tensors) {
    std::size_t expected = 0;
    byte_length(tensor.shape, element_bytes(tensor.dtype), expected);
    const std::size_t before = written;
    tensor.emit(sink);
    if (written - before != expected)
      throw Error(ErrorCode::internal, fmt::format("tensor '{}': {} bytes written, {} promised", tensor.name,
                                                   written - before, expected));
  }
  const std::string key =
      fmt::format("\"checksum\":\"{}", checksum_prefix);  // a quote inside a string would be escaped
  const std::string digits = hash.digits();
  file.write_at(length_bytes + header.find(key) + key.size(), digits.data(), digits.size());
  file.commit();
}

File::File(std::string path) : path_(std::move(path)) {
  file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0 && errno == ENOENT)
    throw Error(ErrorCode::no_input, fmt::format("{}: no such file", path_), "check the name and the folder");
  if (file_ < 0)
    throw Error(ErrorCode::no_input, fmt::format("{}: cannot open: {}", path_, std::strerror(errno)));
  try {
    read_header();
    parse_header();
    check_tiling();
  } catch (...) {
    ::close(file_);
    throw;
  }
}

File::~File() { ::close(file_); }

void File::damaged(const std::string& what) const {
  throw Error(ErrorCode::bad_data, fmt::format("{} is damaged: {}", path_, what),
              "copy it again, or fit and save the model again");
}

void File::not_a_model() const {
  throw Error(ErrorCode::bad_data, fmt::format("{} is not a Mercer model", path_),
              "models are written by --model or save()");
}

void File::read_at(std::size_t offset, void* destination, std::size_t count) const {
  char* bytes = static_cast<char*>(destination);
  while (count > 0) {
    const ssize_t done = ::pread(file_, bytes, count, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0)
      throw Error(ErrorCode::io, fmt::format("{}: reading failed: {}", path_, std::strerror(errno)));
    if (done == 0) damaged("it became shorter while it was read");
    bytes += done;
    offset += static_cast<std::size_t>(done);
    count -= static_cast<std::size_t>(done);
  }
}

void File::read_header() {
  struct stat info {};
  if (::fstat(file_, &info) != 0)
    throw Error(ErrorCode::io, fmt::format("{}: {}", path_, std::strerror(errno)));
  if (S_ISDIR(info.st_mode))
    throw Error(ErrorCode::no_input, fmt::format("{}: is a folder, not a file", path_), "name a file in it");
  if (!S_ISREG(info.st_mode)) not_a_model();  // a pipe
  size_ = static_cast<std::size_t>(info.st_size);
  if (size_ <= length_bytes) not_a_model();
  std::uint64_t length = 0;
  char first = 0;
  read_at(0, &length, sizeof length);
  read_at(length_bytes, &first, 1);
  if (first != '{') not_a_model();  // so the format demands; text files hardly ever have it there
  if (length > size_ - length_bytes)
    damaged(fmt::format("its header should take {} bytes, and the file has {}", length, size_));
  if (length > max_header_bytes)
    damaged(fmt::format("its header of {} bytes is longer than the {} allowed", length, max_header_bytes));
  data_ = length_bytes + static_cast<std::size_t>(length);
  header_.resize(static_cast<std::size_t>(length));
  read_at(length_bytes, header_.data(), header_.size());
}

namespace {

bool natural(const nlohmann::json& value) {
  return value.is_number_unsigned() &&
         value.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<Index>::max());
}

bool naturals(const nlohmann::json& value) {
  return value.is_array() && std::all_of(value.begin(), value.end(), natural);
}

}  // namespace

void File::parse_header() {
  nlohmann::json header;
  try {
    header = parse_strictly(header_);
  } catch (const Error& error) {
    damaged("its header " + error.message());
  }
  for (const auto& [name, value] : header.items()) {
    if (!value.is_object()) damaged(fmt::format("'{}' in its header is not an object", name));
    if (name == "__metadata__") {
      for (const auto& [key, word] : value.items()) {
        if (!word.is_string()) damaged(fmt::format("'{}' in its metadata is not a string", key));
        metadata_[key] = word.get<std::string>();
      }
      continue;
    }
    const bool complete = value.size() == 3 && value.contains("dtype") && value["dtype"].is_string() &&
                          value.contains("shape") && naturals(value["shape"]) &&
                          value.contains("data_offsets") && naturals(value["data_offsets"]) &&
                          value["data_offsets"].size() == 2;
    if (!complete) damaged(fmt::format("tensor '{}' lacks a proper dtype, shape or data_offsets", name));
    tensors_[name] = {value["dtype"].get<std::string>(), value["shape"].get<Shape>(),
                      value["data_offsets"][0].get<std::size_t>(),
                      value["data_offsets"][1].get<std::size_t>()};
  }
}

void File::check_tiling() const {
  const std::size_t available = size_ - data_;
  std::vector<const std::pair<const std::string, Entry>*> in_order;
  for (const auto& item : tensors_) {
    const auto& [name, entry] = item;
    if (entry.begin > entry.end || entry.end > available)
      damaged(fmt::format("tensor '{}' should lie at bytes {} to {} of {}", name, entry.begin, entry.end,
                          available));
    const std::size_t element = element_bytes(entry.dtype);
    if (element == 0) damaged(fmt::format("tensor '{}' has the unknown dtype '{}'", name, entry.dtype));
    std::size_t bytes = 0;
    if (!byte_length(entry.shape, element, bytes) || bytes != entry.end - entry.begin)
      damaged(fmt::format("tensor '{}' of {} {} does not take {} bytes", name, to_string(entry.shape),
                          entry.dtype, entry.end - entry.begin));
    // The sides of an empty tensor (the scores on no component) are not held in check by its bytes.
    if (std::any_of(entry.shape.begin(), entry.shape.end(), [](Index side) { return side > max_side; }))
      damaged(fmt::format("tensor '{}' of {} is larger than any there is", name, to_string(entry.shape)));
    in_order.push_back(&item);
  }
  std::sort(in_order.begin(), in_order.end(), [](const auto* a, const auto* b) {
    return std::pair(a->second.begin, a->second.end) < std::pair(b->second.begin, b->second.end);
  });
  std::size_t end = 0;
  for (const auto* item : in_order) {
    if (item->second.begin != end)
      damaged(fmt::format("tensor '{}' begins at byte {}, not {}", item->first, item->second.begin, end));
    end = item->second.end;
  }
  if (end != available)
    damaged(fmt::format("its tensors take {} bytes, and the file has {} for them", end, available));
}

void File::narrow(const std::string& prefix) {
  std::map<std::string, Entry> kept;
  for (auto& [name, entry] : tensors_)
    if (name.starts_with(prefix)) kept.emplace(name.substr(prefix.size()), std::move(entry));
  tensors_ = std::move(kept);
}

void File::verify_checksum() const {
  const auto found = metadata_.find("checksum");
  if (found == metadata_.end()) damaged("it has no checksum");
  const std::string& checksum = found->second;
  if (!checksum.starts_with(checksum_prefix) || checksum.size() != checksum_prefix.size() + checksum_digits)
    damaged(fmt::format("its checksum '{}' is not of a kind we know", checksum));
  const std::string key = fmt::format("\"checksum\":\"{}\"", checksum);
  const std::size_t place = header_.find(key);
  if (place == std::string::npos || header_.rfind(key) != place)
    damaged("its checksum is not where it should be");

  const std::uint64_t length = header_.size();
  std::string zeroed = header_;
  zeroed.replace(place + key.size() - 1 - checksum_digits, checksum_digits, checksum_digits, '0');
  Hash hash;
  hash.add(&length, sizeof length);
  hash.add(zeroed.data(), zeroed.size());
  std::vector<char> buffer(std::min<std::size_t>(size_ - data_, std::size_t{1} << 20));
  for (std::size_t at = data_; at < size_;) {
    const std::size_t count = std::min(buffer.size(), size_ - at);
    read_at(at, buffer.data(), count);
    hash.add(buffer.data(), count);
    at += count;
  }
  if (hash.digits() != checksum.substr(checksum_prefix.size()))
    damaged("its checksum does not match its contents");
}

void File::read(const Entry& entry, std::size_t first, void* destination, std::size_t count) const {
  if (first > entry.end - entry.begin || count > entry.end - entry.begin - first)
    throw Error(ErrorCode::internal, fmt::format("{}: read beyond the end of a tensor", path_));
  read_at(data_ + entry.begin + first, destination, count);
}

}  // namespace mercer::safetensors
