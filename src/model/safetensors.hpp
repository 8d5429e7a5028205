// The safetensors layout, bare of any meaning: 8 bytes of header length (little-endian), a JSON
// header padded with spaces to a multiple of 8, then the tensors, contiguous and little-endian.
// Everything a header claims is checked against the file before anything is allocated.
#pragma once

#include <mercer/matrix.hpp>

#include <nlohmann/json_fwd.hpp>

#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace mercer::safetensors {

static_assert(std::endian::native == std::endian::little, "tensors are written as they lie in memory");

/// As the safetensors library: a longer header is refused, by the writer and by the reader.
inline constexpr std::size_t max_header_bytes = 100'000'000;

/// Bytes an element takes; 0 for a dtype that is not in the format.
[[nodiscard]] std::size_t element_bytes(std::string_view dtype);

template <class T>
[[nodiscard]] constexpr std::string_view dtype_of() {
  if constexpr (std::is_same_v<T, float>)
    return "F32";
  else if constexpr (std::is_same_v<T, double>)
    return "F64";
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return "I32";
  else {
    static_assert(std::is_same_v<T, std::int64_t>, "a type that is not stored in model files");
    return "I64";
  }
}

using Shape = std::vector<Index>;
[[nodiscard]] std::string to_string(const Shape& shape);  ///< "1797x64"; "scalar" when empty

using Sink = std::function<void(const void* data, std::size_t bytes)>;

/// A tensor about to be written: what it is, and how to hand its bytes over, piece by piece.
struct Tensor {
  std::string name;
  std::string_view dtype;
  Shape shape;
  std::function<void(const Sink&)> emit;
};

/// JSON that must not repeat a key nor nest without end; throws Error{bad_data}, "is not JSON" or so.
[[nodiscard]] nlohmann::json parse_strictly(const std::string& text);

/// Pairs, not a map: they are written in this order.
using Metadata = std::vector<std::pair<std::string, std::string>>;

/// Writes the file atomically. The metadata gains "checksum": "xxh3:" and 16 hexadecimal digits,
/// the XXH3 hash (64 bits) of the whole file with those 16 digits replaced by zeros. Tensors of
/// wider elements come first, so that each one is aligned.
void write(const std::string& path, Metadata metadata, std::vector<Tensor> tensors);

/// A file open for reading, whose header has been checked: the tensors tile the data exactly, and
/// each one's length is that of its shape.
class File {
 public:
  struct Entry {
    std::string dtype;
    Shape shape;
    std::size_t begin = 0, end = 0;  ///< from the start of the data
  };

  /// Throws Error{no_input} or Error{bad_data}.
  explicit File(std::string path);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::map<std::string, std::string>& metadata() const { return metadata_; }
  [[nodiscard]] const std::map<std::string, Entry>& tensors() const { return tensors_; }

  /// Forgets all tensors but those whose names begin with `prefix`, which they lose.
  void narrow(const std::string& prefix);

  /// Reads the whole file once; throws Error{bad_data} unless the checksum is there and matches.
  void verify_checksum() const;
  /// Bytes [first, first + count) of a tensor.
  void read(const Entry& entry, std::size_t first, void* destination, std::size_t count) const;

  /// Throws Error{bad_data}: "PATH is damaged: WHAT".
  [[noreturn]] void damaged(const std::string& what) const;

 private:
  [[noreturn]] void not_a_model() const;
  void read_at(std::size_t offset, void* destination, std::size_t count) const;
  void read_header();
  void parse_header();
  void check_tiling() const;

  std::string path_;
  int file_ = -1;
  std::size_t size_ = 0;  ///< of the file
  std::size_t data_ = 0;  ///< where the tensors begin
  std::string header_;    ///< as it stands in the file
  std::map<std::string, std::string> metadata_;
  std::map<std::string, Entry> tensors_;
};

}  // namespace mercer::safetensors
